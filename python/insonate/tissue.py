"""Soft tissue pressed and pulled by rigid tools: XPBD (tetrahedra) and MLS-MPM (particles).

SI units, world axes; quaternions are ``[w, x, y, z]``.
"""

from ._insonate import (
    MlsMpm,
    MpmBody,
    Shape,
    SoftTissue,
    TissueBody,
    Tool,
    Xpbd,
    XpbdBody,
    xpbd_scene,
)

__all__ = [
    "MlsMpm",
    "MpmBody",
    "Shape",
    "SoftTissue",
    "TissueBody",
    "Tool",
    "Xpbd",
    "XpbdBody",
    "xpbd_scene",
]
