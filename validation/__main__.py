# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Make pages of docs/: ``python -m validation [--only NAME ...] [--check | --print]``."""

import sys

from .harness.run import main

sys.exit(main())
