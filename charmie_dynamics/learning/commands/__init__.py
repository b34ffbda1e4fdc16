# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The commands of learning. Options are parsed before anything else is imported.

- ``train_options``, ``train``: charmie_train.
- ``evaluate_options``, ``evaluate``: charmie_evaluate.
"""
