"""Continuum robots: slender, cable-driven rods in narrow lumens.

SI units, world axes; quaternions are ``[w, x, y, z]``.
"""

from ._insonate import (
    Actuation,
    Lumen,
    RodConfig,
    RodState,
    Section,
    Simulation,
    StepReport,
)

__all__ = [
    "Actuation",
    "Lumen",
    "RodConfig",
    "RodState",
    "Section",
    "Simulation",
    "StepReport",
]
