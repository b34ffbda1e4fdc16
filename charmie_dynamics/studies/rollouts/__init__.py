# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rollouts of policies, as training needs them, in parts that any worker can compute.

- ``rollout_job``: what one part is, and what all come to.
"""
