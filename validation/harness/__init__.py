# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What all evidence shares: tables, pages of docs/, the machine, and runs that take turns."""
