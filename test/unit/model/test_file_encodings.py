# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Encodings and entities of model files: what is no plain UTF-8 text is refused at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_texts import robot
from refusals import quickest, refusal

from charmie_dynamics import load_model
from charmie_dynamics.model.description.urdf import parse_urdf

LAUGHS = (
    '<!DOCTYPE r [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + ']>\n<robot name="&j;"><link name="a"/></robot>'
)
DECLARED = {
    "billion laughs": LAUGHS,
    "external entity": '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="&a;"/>',
    "external document type": '<!DOCTYPE robot SYSTEM "http://localhost/r.dtd"><robot name="r"/>',
}


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "BOM"])
@pytest.mark.parametrize("what", DECLARED)
def test_document_type_is_refused_before_an_entity_is_expanded(what: str, mark: str) -> None:
    text = mark + DECLARED[what]
    assert "line 1: has a DOCTYPE" in refusal(lambda: parse_urdf(text, "arm.urdf"))
    assert quickest(lambda: refusal(lambda: parse_urdf(text, "arm.urdf")), below=0.01) < 0.01


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_urdf_in_another_encoding_is_refused_as_such(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_bytes(LAUGHS.encode(encoding))
    message = refusal(lambda: load_model(urdf=path))
    assert message.startswith(f"{path}, line 1: ")
    assert "not UTF-8 text" in message


def test_words_of_a_declaration_in_a_comment_do_no_harm() -> None:
    text = robot('<!-- no <!DOCTYPE and no <!ENTITY here --><link name="a"/>')
    assert parse_urdf(text, "arm.urdf").root == "a"


def test_byte_order_mark_of_utf_8_is_no_part_of_a_file(tmp_path: Path) -> None:
    urdf, loops = tmp_path / "arm.urdf", tmp_path / "loops.yaml"
    urdf.write_text(robot('<link name="a"/>'), encoding="utf-8-sig")
    loops.write_text("base_body: a\n", encoding="utf-8-sig")
    assert load_model(urdf=urdf, mechanisms=loops).mechanisms.base_body == "a"


def test_line_of_bytes_that_are_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_bytes(b"<robot\n name='z\xfcrich'/>")
    assert "line 2: not UTF-8 text" in refusal(lambda: load_model(urdf=path))
