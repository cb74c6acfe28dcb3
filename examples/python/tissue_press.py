"""Presses a rigid ball into a block of tissue with both solvers, and plots force over depth with Hertz's law.

pip install ./python matplotlib
python examples/python/tissue_press.py --output press.png
"""

import argparse

import matplotlib
import numpy as np

from insonate import tissue

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

HALF = (0.06, 0.06, 0.04)
YOUNG, POISSON = 2e4, 0.4
RADIUS, DEPTH, SPEED, STEP = 0.02, 0.006, 0.03, 0.005


def block() -> tissue.TissueBody:
    """A block with a fixed lower side."""
    shear = YOUNG / (2 * (1 + POISSON))
    material = {"young_modulus": YOUNG, "poisson_ratio": POISSON, "viscosity": 0.005 * shear}
    return tissue.TissueBody(
        name="block",
        solid={"cuboid": {"half": HALF}},
        layers=[{"name": "tissue", "material": material}],
        fixed=[{"half_space": {"point": [0, 0, 0.003 - HALF[2]], "normal": [0, 0, 1]}}],
    )


def xpbd(edge: float) -> tissue.SoftTissue:
    return tissue.Xpbd([block().xpbd_body(edge, damping_time=0.005)], gravity=(0, 0, 0))


def mls_mpm(cell_width: float) -> tissue.SoftTissue:
    origin = np.array(HALF) * -1 - 4 * cell_width
    cells = np.ceil(2 * np.array(HALF) / cell_width).astype(int) + 10
    bodies = block().mpm_bodies(cell_width)
    return tissue.MlsMpm(bodies, origin=origin, cell_width=cell_width, cells=cells, gravity=(0, 0, 0))


def press(world: tissue.SoftTissue) -> tuple[list[float], list[float]]:
    """Depths [m] and forces [N] while the ball moves down at constant speed."""
    start = (0.0, 0.0, HALF[2] + RADIUS)
    ball = world.add_tool(tissue.Tool(tissue.Shape.sphere(RADIUS), position=start, linear=(0, 0, -SPEED)))
    depths, forces = [], []
    while not depths or depths[-1] < DEPTH:
        world.step(STEP)
        # The wrench is the mean over the step.
        depths.append(start[2] - world.tool(ball).position[2] - 0.5 * SPEED * STEP)
        forces.append(world.wrench(ball)[0][2])
    return depths, forces


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", default="press.png")
    options = parser.parse_args()
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for name, world in (("XPBD, edges of 5 mm", xpbd(0.005)), ("MLS-MPM, cells of 5 mm", mls_mpm(0.005))):
        depths, forces = press(world)
        axes.plot(1e3 * np.array(depths), forces, label=name)
        print(f"{name}: {forces[-1]:.2f} N at {1e3 * depths[-1]:.1f} mm")
    depth = np.linspace(0.0, DEPTH)
    hertz = 4 / 3 * YOUNG / (1 - POISSON**2) * np.sqrt(RADIUS) * depth**1.5
    axes.plot(1e3 * depth, hertz, color="gray", linestyle="--", label="Hertz, half space")
    print(f"Hertz: {hertz[-1]:.2f} N at {1e3 * depth[-1]:.1f} mm")
    axes.set(xlabel="depth of the ball [mm]", ylabel="force on the ball [N]", xlim=(0, None), ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(options.output, dpi=120)


if __name__ == "__main__":
    main()
