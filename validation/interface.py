"""Write the table of topics into README.md from the table of outputs in the package.

``python -m validation.interface`` writes it between the two comments in README.md.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.topics import Topic

README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN, END = "<!-- topics: python -m validation.interface -->", "<!-- end of topics -->"


def table() -> str:
    """Return the table; topics of the same content share a row."""
    incoming = {*topics.INPUTS, *topics.TOLD}
    every = list(outputs.every_topic().values())
    first = {topic.content: place for place, topic in reversed(list(enumerate(every)))}
    every.sort(key=lambda topic: first[topic.content])
    lines = ["| topic | type | content |", "| --- | --- | --- |"]
    for content, group in groupby(every, key=lambda topic: topic.content):
        lines.append(_row(list(group), content, incoming))
    return "\n".join(lines)


def _row(alike: list[Topic], content: str, incoming: set[Topic]) -> str:
    names = ", ".join(f"`{topic.name}`" for topic in alike)
    direction = " (in)" if alike[0] in incoming else ""
    return f"| {names}{direction} | {alike[0].type.replace('/msg/', '/')} | {content} |"


def document(text: str) -> str:
    """Return a text with the table between its two comments made anew."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}"


def main() -> None:
    """Write the table."""
    README.write_text(document(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
