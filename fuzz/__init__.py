# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coverage-guided fuzzing of what reads model files and messages; see scripts/fuzz."""
