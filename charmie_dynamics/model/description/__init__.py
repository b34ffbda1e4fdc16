# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a robot is, read from its files and checked (step 1).

In reading order:

- ``robot``: links and joints as immutable data.
- ``names``: how long names may be.
- ``files``: where the files of this package are.
- ``xml_document``, ``yaml_document``: documents whose elements know their line.
- ``schema_faults``: messages about what a schema does not allow.
- ``urdf_form``, ``urdf``: the elements of a URDF; from them to a tree.
- ``transmissions``: rotors of the transmissions of a URDF.
- ``tree_root``, ``mimics``, ``inertials``, ``proportions``: checks of a tree as a whole.
- ``description_warnings``: warnings about impossible or unsupported parts of a tree.
- ``mechanisms``: mechanisms of a tree from a mechanisms file, one module for each type.
- ``meshes``: convex meshes from files.
- ``world``: what a world file says of materials and contacts.
- ``package_robots``: the robots that come with this package.
"""
