# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import CharmieError
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.recordings.read.columns import read_table_format
from charmie_dynamics.recordings.read.received import ReceivedSample
from charmie_dynamics.recordings.read.tabular import TabularRecording

PLAIN = """\
joints: [a, b]
time: t
position: [qa, qb]
velocity: [va, vb]
effort: {columns: [ia, ib], factor: [2.0, -0.5]}
"""
ROWS = [[0.0, 0.1, 0.2, 1.0, 2.0, 10.0, 20.0], [0.5, 0.3, 0.4, 3.0, 4.0, 30.0, 40.0]]
HEADING = ["t", "qa", "qb", "va", "vb", "ia", "ib"]


def recording(
    folder: Path, layout: str, text: str, lengths: tuple[str, ...] = ()
) -> TabularRecording:
    (folder / "columns.yaml").write_text(layout)
    (folder / "table.csv").write_text(text, encoding="utf-8")
    return TabularRecording(
        folder / "table.csv", read_table_format(folder / "columns.yaml"), lengths
    )


def table(delimiter: str = ",", heading: str | None = None, decimal: str = ".") -> str:
    lines = [delimiter.join(HEADING) if heading is None else heading]
    lines += [delimiter.join(str(v).replace(".", decimal) for v in row) for row in ROWS]
    return "\n".join(filter(None, lines)) + "\n"


def require_rows(received: list[ReceivedSample]) -> None:
    assert [entry.sample.stamp for entry in received] == [1_000_000_000, 1_500_000_000]
    for entry, row in zip(received, ROWS, strict=True):
        assert entry.topic == JOINT_STATES
        assert entry.sample.names == ("a", "b")
        np.testing.assert_array_equal(entry.sample.position, row[1:3])
        np.testing.assert_array_equal(entry.sample.velocity, row[3:5])
        np.testing.assert_array_equal(entry.sample.effort, [2.0 * row[5], -0.5 * row[6]])


@pytest.mark.parametrize(
    "text",
    [
        table(),
        table(";"),
        table(";", decimal=","),
        table("\t"),
        table("  "),
        table("|"),
        table(", "),
        table(",", "# " + ",".join(HEADING)),
        table(" ", "# " + " ".join(HEADING)),
        "\ufeff" + table(),
        table().replace("\n", "\r\n"),
        table(",", '"' + '","'.join(HEADING) + '"'),
        "# of a robot\n\n" + table(),
        table(",", ",".join(HEADING).upper()),
        table(" ", "# " + " ".join(HEADING)) + "# end of a motion by robot A B\n",
        table(";", decimal=",").replace("0,5;0,3;0,4;3,0;4,0;30,0;40,0", "0,5;0,3;0,4;3;4;30;40"),
    ],
    ids=["commas", "semicolons", "decimal commas", "tabs", "spaces", "bars", "commas and spaces",
         "heading as comment", "heading of savetxt", "byte order mark", "CRLF", "quotes",
         "comments", "capitals", "footer of savetxt", "decimal commas and whole numbers"],
)  # fmt: skip
def test_tables_of_all_kinds_are_read(tmp_path: Path, text: str) -> None:
    found = recording(tmp_path, PLAIN, text)
    require_rows(list(found.received()))
    assert found.diagnostics.lines() == []


def test_the_last_row_does_not_decide_on_the_decimal_sign(tmp_path: Path) -> None:
    rows = "t;q\n1,0;1,5\n1,1;1,6\n2;2\n"
    found = recording(tmp_path, "joints: [a]\ntime: t\nposition: [q]\n", rows)
    assert [entry.sample.position.tolist() for entry in found.received()] == [[1.5], [1.6], [2.0]]


def test_columns_may_be_numbers(tmp_path: Path) -> None:
    layout = "joints: [a, b]\ntime: 0\nposition: [1, 2]\nvelocity: [3, 4]\n"
    layout += "effort: {columns: [5, 6], factor: [2, -0.5]}\n"
    require_rows(list(recording(tmp_path, layout, table(",", "")).received()))


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("q{}", ["q1", "q2"]),
        ("{columns: 'q[{}]', first: 0}", ["q[0]", "q[1]"]),
        ("'{joint} pos'", ["a pos", "b pos"]),
    ],
)
def test_columns_may_be_a_pattern(tmp_path: Path, pattern: str, names: list[str]) -> None:
    layout = f"joints: [a, b]\nrate: 100\nposition: {pattern}\n"
    (entry,) = recording(tmp_path, layout, f"{names[1]},{names[0]}\n2,1\n").received()
    np.testing.assert_array_equal(entry.sample.position, [1.0, 2.0])
    assert entry.sample.velocity is None and entry.sample.effort is None


def test_units_factors_and_offsets_apply(tmp_path: Path) -> None:
    layout = """\
joints: [a, b]
time: {column: t, unit: ms}
position: {columns: [p, q], unit: deg, factor: [1, -1], offset: [0, 90]}
velocity: {columns: [v, null], unit: rpm}
"""
    first, second = recording(
        tmp_path, layout, "t,p,q,v\n5000,180,30,60\n5010,180,30,60\n"
    ).received()
    assert (first.sample.stamp, second.sample.stamp) == (5_000_000_000, 5_010_000_000)
    np.testing.assert_allclose(first.sample.position, [np.pi, np.pi / 3.0])
    np.testing.assert_allclose(first.sample.velocity, [2.0 * np.pi, np.nan])


def test_rows_come_at_a_rate_where_there_is_no_time(tmp_path: Path) -> None:
    found = recording(tmp_path, "joints: [a]\nrate: 125\nposition: [0]\n", "1\n2\n3\n")
    assert [e.sample.stamp for e in found.received()] == [10**9 + k * 8_000_000 for k in range(3)]


def test_linear_actuators_are_lengths(tmp_path: Path) -> None:
    lengths, joints = recording(tmp_path, "joints: [a, b]\nrate: 1\nposition: [0, 1]\n", "1,2\n",
                                ("b",)).received()  # fmt: skip
    assert (lengths.topic, lengths.sample.names) == (ACTUATOR_LENGTHS, ("b",))
    assert (joints.topic, joints.sample.names) == (JOINT_STATES, ("a",))


def test_what_cannot_be_used_is_left_out_and_told(tmp_path: Path) -> None:
    text = "t,q,e\n1,0.1,5\n3,0.3,7\n2,0.2,\n2,0.25,6\nx,0.4,1\n4,,1\n5,0.5\n6,0.6,bad,9\n"
    layout = "joints: [a]\ntime: t\nposition: [q]\neffort: [e]\n"
    found = recording(tmp_path, layout, text)
    entries = list(found.received())
    assert [e.sample.position[0] for e in entries] == [0.1, 0.25, 0.3, 0.5, 0.6]
    assert np.isnan([e.sample.effort[0] for e in entries]).tolist() == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert found.diagnostics.lines() == [
        "2 of 8 rows do not have 3 cells",
        "2 of 8 rows have no time or no position",
        "the rows are not in the order of their times: sorted",
        "1 rows repeat a time: the last is used",
        "effort of 'a': no number in 2 rows",
    ]


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("joints: [a]\nrate: 1\n", "position"),
        ("joints: []\nrate: 1\nposition: []\n", "joints: expected a list of distinct names"),
        ("joints: [a, a]\nrate: 1\nposition: [0, 1]\n", "distinct"),
        ("joints: [a]\nposition: [0]\n", "either 'time'"),
        ("joints: [a]\nrate: 1\ntime: t\nposition: [0]\n", "either 'time'"),
        ("joints: [a]\nrate: -1\nposition: [0]\n", "above 0"),
        ("joints: [a]\nrate: 1\nposition: [0, 1]\n", "a list of 1"),
        ("joints: [a, b]\nrate: 1\nposition: q\n", "with {}"),
        ("joints: [a]\nrate: 1\npositions: [0]\n", "did you mean 'position'"),
        ("joints: [a]\nrate: 1\nposition: {columns: [0], unit: degree}\n", "did you mean 'deg'"),
        ("joints: [a]\nrate: 1\nposition: {columns: [0], factor: x}\n", "factor: expected a num"),
        ("joints: [a]\nrate: 1\nposition: {columns: [0], factor: [1, 2]}\n", "list of 1 num"),
        ("joints: [a]\nrate: 1\nposition: [-1]\n", "a number from 0"),
        ("joints: [a]\nrate: 1\nposition: [7]\n", "from 0 to 1, got 7"),
        ("joints: [a]\nrate: 1\nposition: [qq]\n", "did you mean 'q'"),
        ("joints: [a]\ntime: 1\nposition: [0]\nheader: maybe\n", "header"),
        ("[1, 2]", "expected a mapping"),
    ],
)
def test_wrong_entries_are_named(tmp_path: Path, layout: str, message: str) -> None:
    with pytest.raises(CharmieError, match=message.replace("{", r"\{")):
        recording(tmp_path, layout, "q,t\n1,2\n")


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "q,t\n", "q,t\nx,y\n"])
def test_a_table_without_usable_rows_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(CharmieError, match="table"):
        recording(tmp_path, "joints: [a]\ntime: t\nposition: [q]\n", text)
