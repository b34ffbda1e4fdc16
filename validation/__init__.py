# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Checks of the model against other programs and against mechanics, and the report on them.

``python -m validation`` runs every check and writes ``docs/validation.md`` with its figures. The
tests call the same checks.
"""
