# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""docs/contact.md has the laws that there are, and what restitution they give."""

from __future__ import annotations

import pytest

from charmie_dynamics.core.contact.registry import FRICTION_LAWS, NORMAL_LAWS
from validation.harness.pages import DOCS

pytest.importorskip("matplotlib")
from validation.contact_laws import page

TEXT = (DOCS / "contact.md").read_text(encoding="utf-8")


def test_the_page_is_up_to_date() -> None:
    assert page() == TEXT, "run: python -m validation --only contact"


@pytest.mark.parametrize("name", [*NORMAL_LAWS, *FRICTION_LAWS])
def test_each_law_stands_there_with_its_parameters(name: str) -> None:
    assert f"| `{name}` |" in TEXT
    law = {**NORMAL_LAWS, **FRICTION_LAWS}[name]
    assert all(f"`{parameter.name}`" in TEXT for parameter in law.parameters)
