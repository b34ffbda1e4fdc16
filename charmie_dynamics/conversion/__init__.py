# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots of other formats as URDF and mechanisms file, and as MJCF.

In reading order:

- ``import_options``, ``import_command``: charmie_import.
- ``hulls``, ``meshes``: where meshes are, and their convex hulls.
- ``converted_robot``: what every format becomes, its files, and what the loaded robot is like.
- ``compiled_mjcf``, ``mjcf``: MJCF, as MuJoCo compiles it (extra ``mjcf``).
- ``sdf``: SDF, by its own elements.
- ``sdf_scopes``: models in models and in other files as one model.
- ``sdf_frames``: where the frames of an SDF model are.
- ``urdf``: URDF, for its meshes.
- ``export_options``, ``export_command``: charmie_export.
- ``mjcf_writer``: MJCF with real closed loops.
- ``mjcf_efforts``: comparison of efforts with those of MuJoCo.
"""
