# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Read XML into elements that know their line; what could blow up is refused before it does."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.parsers import expat

from charmie_dynamics.errors import ModelFileError, shown

# Of all kinds, also skipped ones; for those that are read the form has a lower limit.
MOST_ELEMENTS = 120_000
# beyond it, products of a few numbers need not be finite
LARGEST_NUMBER = 1e30
# kinds of unknown elements that are reported
MOST_NOTICES = 20
LONG_TAG = re.compile(rb"<[A-Za-z_][^>]{65536}")


class Form(NamedTuple):
    """Defines which elements of a document are read.

    Attributes
    ----------
    root : str
        Name of the outermost element.
    grammar : mapping
        For each element those that are read in it, and those that are known and skipped.
    watched : mapping
        For elements that are skipped those directly in them that are reported.
    with_text : set of str
        Elements whose text is read.
    most_read : int
        How many elements are read at most.
    uncounted : set of str
        Elements that do not count for it, nor do those in them.
    """

    root: str
    grammar: Mapping[str, tuple[frozenset[str], frozenset[str]]]
    watched: Mapping[str, frozenset[str]]
    with_text: frozenset[str]
    most_read: int
    uncounted: frozenset[str]


class Skipped(NamedTuple):
    """Elements of one name in elements of another that are not read.

    Attributes
    ----------
    tag, above : str
        Their name, and that of the elements around them.
    line : int
        Of the first.
    number : int
        How many there are.
    inside : tuple of str
        Names of the watched elements in them; empty for unknown elements.
    """

    tag: str
    above: str
    line: int
    number: int = 1
    inside: tuple[str, ...] = ()


class _Place(NamedTuple):
    """Tag and name of an element, and of those around it."""

    tag: str
    name: str | None
    above: _Place | None


class Element:
    """An element, its attributes and children, and its place in the file.

    Attributes
    ----------
    tag : str
    line : int
        From 1.
    attributes : dict of str to str
    children : sequence of Element
    content : str
        Text in the element, for those whose text is read.
    """

    __slots__ = ("_above", "_place", "attributes", "children", "content", "line", "source", "tag")

    def __init__(
        self, tag: str, attributes: dict[str, str], line: int, source: str, above: Element | None
    ) -> None:
        self.tag = tag
        self.attributes = attributes
        self.line = line
        self.source = source
        self.children: Sequence[Element] = ()  # few have any
        self.content = ""
        self._above = None if above is None else above._named()
        self._place: _Place | None = None

    def add(self, child: Element) -> None:
        """Append a child."""
        if isinstance(self.children, list):
            self.children.append(child)
        else:
            self.children = [child]

    def _named(self) -> _Place:
        """Return what names this element in messages about those in it."""
        if self._place is None:  # the same for all children; and no child refers to its parent
            self._place = _Place(self.tag, self.attributes.get("name"), self._above)
        return self._place

    def error(self, reason: str, attribute: str = "") -> ModelFileError:
        """Return the error that this element has; the message begins with file, line and name."""
        parts: list[str] = []
        place: _Place | None = self._named()
        while place is not None:
            if place.above is not None or not parts:
                name = "" if place.name is None else f" '{shown(place.name)}'"
                parts.append(f"{shown(place.tag)}{name}")
            place = place.above
        subject = ", ".join(reversed(parts)) + (attribute and f" {attribute}")
        return ModelFileError(f"{self.source}, line {self.line}: {subject}: {reason}")

    def all(self, tag: str) -> list[Element]:
        """Return the children of that name."""
        return [child for child in self.children if child.tag == tag]

    def find(self, tag: str) -> Element | None:
        """Return the only child of that name, None without such a child.

        Raises
        ------
        ModelFileError
            If there are several.
        """
        found = None
        for child in self.children:
            if child.tag == tag:
                if found is not None:
                    raise child.error(f"occurs twice, first on line {found.line}; expected once")
                found = child
        return found

    def need(self, tag: str) -> Element:
        """Return the only child of that name.

        Raises
        ------
        ModelFileError
            If there is no such child, or several.
        """
        found = self.find(tag)
        if found is None:
            raise self.error(f"not a valid URDF: <{tag}> is missing")
        return found

    def text(self, name: str) -> str:
        """Return an attribute.

        Raises
        ------
        ModelFileError
            If it is missing or empty.
        """
        value = self.attributes.get(name)
        if not value:
            how = "missing" if value is None else "empty"
            raise self.error(f"not a valid URDF: attribute '{name}' is {how}")
        return value

    def numbers(
        self,
        name: str,
        count: int,
        default: tuple[float, ...] | None = None,
        largest: float = LARGEST_NUMBER,
    ) -> tuple[float, ...]:
        """Return an attribute that holds `count` numbers; `default` (if any) where it is missing.

        Raises
        ------
        ModelFileError
            If it holds anything else or a number of magnitude beyond `largest`, or is missing and
            there is no default.
        """
        if default is not None and name not in self.attributes:
            return default
        text = self.text(name)
        words = text.split(maxsplit=count)
        try:
            # float() takes 1_000 for a number
            values = tuple(map(float, words)) if "_" not in text else ()
        except ValueError:
            values = ()
        expected = "a number" if count == 1 else f"{count} numbers"
        if len(values) != count:
            raise self.error(f"not a valid URDF: expected {expected}, got '{shown(text)}'", name)
        for value in values:
            if not -largest <= value <= largest:
                if largest < math.inf:
                    expected += f", finite and of magnitude up to {largest:g}"
                raise self.error(f"expected {expected}, got '{shown(text)}'", name)
        return values

    def number(self, name: str, default: float | None, largest: float = LARGEST_NUMBER) -> float:
        """Return an attribute that holds one number; `default` (if any) where it is missing.

        Raises
        ------
        ModelFileError
            If it holds anything else, or is missing and there is no default.
        """
        text = self.attributes.get(name)
        if text is None and default is not None:
            return default
        try:
            value = float(text or "")
        except ValueError:
            value = math.nan
        if -largest <= value <= largest and "_" not in (text or ""):
            return value
        return self.numbers(name, 1, largest=largest)[0]  # raises and says why


class _Builder:
    """Makes elements of what the parser reports, of those alone that the grammar says are read."""

    def __init__(self, source: str, form: Form) -> None:
        self.root: Element | None = None
        self.skipped: dict[tuple[str, str], Skipped] = {}
        self._watching: tuple[str, str, int] | None = None
        self._source = source
        self._form = form
        self._open: list[Element] = []
        self._skipped = 0  # how deep inside an element that is not read
        self._uncounted = 0  # how deep inside an element that does not count
        self._count = self._read = 0
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end

    def parse(self, data: bytes) -> Element:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise ModelFileError(
                f"{self._source}, line {error.lineno}: not a valid URDF: {reason}"
            ) from error
        if self.root is None:  # the parser itself refuses a text without any element
            raise ModelFileError(f"{self._source}: not a valid URDF: no element")
        return self.root

    def _here(self) -> str:
        return f"{self._source}, line {self._parser.CurrentLineNumber}"

    def _doctype(self, *_: object) -> None:
        raise ModelFileError(
            f"{self._here()}: has a DOCTYPE declaration, which may hold entities; expected plain "
            "XML without it"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise ModelFileError(
                f"{self._here()}: more than {MOST_ELEMENTS} elements; no robot is that large"
            )
        if self._skipped == 1 and self._watching is not None:
            outer, above_outer, line = self._watching
            if tag in self._form.watched[outer]:
                self._report(outer, above_outer, line, tag)
                self._watching = outer, above_outer, 0  # counted once
        if self._skipped or not self._is_read(tag):
            self._skipped += 1
            return
        above = self._open[-1] if self._open else None
        line = self._parser.CurrentLineNumber
        element = Element(tag, attributes, line, self._source, above)
        if above is None:
            self.root = element
        else:
            above.add(element)
        self._open.append(element)
        self._count_read(element)
        if tag in self._form.with_text:
            self._parser.CharacterDataHandler = self._text

    def _count_read(self, element: Element) -> None:
        if self._uncounted or element.tag in self._form.uncounted:
            self._uncounted += 1
            return
        self._read += 1
        most = self._form.most_read
        if self._read > most:  # at once: the elements of a huge file would take seconds
            raise element.error(f"more than {most} elements that are read; no robot is that large")

    def _text(self, text: str) -> None:
        self._open[-1].content += text

    def _is_read(self, tag: str) -> bool:
        if not self._open:
            if tag != self._form.root:
                raise ModelFileError(
                    f"{self._here()}: not a valid URDF: expected the element "
                    f"<{self._form.root}>, got <{shown(tag)}>"
                )
            return True
        above = self._open[-1].tag
        read, known = self._form.grammar.get(above, _NOTHING)
        if tag in read:
            return True
        line = self._parser.CurrentLineNumber
        self._watching = (tag, above, line) if tag in self._form.watched else None
        if tag not in known:
            if tag.startswith("xacro:"):
                raise ModelFileError(
                    f"{self._here()}: holds the xacro element <{shown(tag)}>; expected a URDF, as "
                    "the program xacro makes of such a file"
                )
            self._report(tag, above, line)
        return False

    def _report(self, tag: str, above: str, line: int, inside: str = "") -> None:
        """Note an element that is skipped; line 0: one that is noted already."""
        entry = self.skipped.get((tag, above))
        if entry is None:
            if len(self.skipped) >= MOST_NOTICES:
                return
            entry = Skipped(tag, above, line, 0)
        if inside and inside not in entry.inside:
            entry = entry._replace(inside=(*entry.inside, inside))
        self.skipped[tag, above] = entry._replace(number=entry.number + (line > 0))

    def _end(self, _: str) -> None:
        if self._skipped:
            self._skipped -= 1
        else:
            self._open.pop()
            self._uncounted = max(0, self._uncounted - 1)
            self._parser.CharacterDataHandler = None


_NOTHING: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())


def read_xml(text: str, source: str, form: Form) -> tuple[Element, list[Skipped]]:
    """Parse an XML document.

    Parameters
    ----------
    text : str
        The document.
    source : str
        Name of the file, for messages.
    form : Form
        The elements that are read.

    Returns
    -------
    root : Element
        With the elements that are read; the content of others is checked for form only.
    skipped : list of Skipped
        Unknown elements, and watched ones, of the first `MOST_NOTICES` kinds.

    Raises
    ------
    ModelFileError
        For text that is no XML, a DOCTYPE (and with it every entity), another root, xacro, or
        more elements than a robot has; with file and line.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ModelFileError(f"{source}: not a valid URDF: {error.reason}") from error
    zero = data.find(b"\0")
    if zero >= 0:  # the parser would take the text for UTF-16
        line = 1 + data.count(b"\n", 0, zero)
        raise ModelFileError(
            f"{source}, line {line}: not a valid URDF: not UTF-8 text, a zero byte"
        )
    long = LONG_TAG.search(data)
    if long is not None:  # the parser would keep all of its attributes first
        line = 1 + data.count(b"\n", 0, long.start())
        raise ModelFileError(
            f"{source}, line {line}: not a valid URDF: a tag of more than 65536 bytes"
        )
    builder = _Builder(source, form)
    element = builder.parse(data)
    return element, list(builder.skipped.values())
