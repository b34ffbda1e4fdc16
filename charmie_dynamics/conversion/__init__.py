# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots of other formats as URDF and mechanisms file, and as MJCF.

In reading order:

- ``import_options``, ``import_command``: charmie_import.
- ``converted_robot``: what every format becomes, its files, and what the loaded robot is like.
- ``compiled_mjcf``, ``mjcf``: MJCF, as MuJoCo compiles it (extra ``mjcf``).
- ``sdf``: SDF, by its own elements.
- ``sdf_frames``: where the frames of an SDF model are.
- ``export_options``, ``export_command``: charmie_export.
- ``mjcf_writer``: MJCF with real closed loops.
- ``mjcf_efforts``: comparison of efforts with those of MuJoCo.
"""
