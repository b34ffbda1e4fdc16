# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Long runs of the node under good input with faults mixed in; ``scripts/soak`` runs them."""
