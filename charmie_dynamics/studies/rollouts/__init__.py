# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rollouts of policies, for training, in tasks that any worker can compute.

- ``rollout_job``: a task, and the collected results.
"""
