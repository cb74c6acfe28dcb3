"""Steers a bronchoscope through the bronchial tree along a centre line, and plots the path of its tip and the force on
the walls.

pip install ./python matplotlib
python examples/python/bronchoscope.py --target RB8a --output bronchoscope.png
"""

import argparse

import matplotlib
import numpy as np

from insonate import continuum

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

DOWN = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
AHEAD, MAX_PULL_CHANGE, MAX_ADVANCE, ARRIVED = 0.012, 0.4, 1e-3, 0.003


def point_ahead(line: np.ndarray, tip: np.ndarray) -> np.ndarray:
    """The point of a polyline [m] that is AHEAD further on than the point nearest to the tip."""
    fine = np.vstack([np.linspace(a, b, 100, endpoint=False) for a, b in zip(line, line[1:])] + [line[-1:]])
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    nearest = lengths[np.linalg.norm(fine - tip, axis=1).argmin()]
    return fine[min(np.searchsorted(lengths, nearest + AHEAD), len(fine) - 1)]


def in_frame(quaternion: list[float], vector: np.ndarray) -> np.ndarray:
    """Converts a vector from the world frame to the axes of a frame."""
    w, axis = quaternion[0], -np.array(quaternion[1:])
    return vector + 2.0 * np.cross(axis, np.cross(axis, vector) + w * vector)


def tensions(pull: np.ndarray, angles: list[float]) -> np.ndarray:
    """Tensions [N] of three cables with a given resultant along y and z of the tip; one of them is slack."""
    shares = 2.0 / 3.0 * (pull[0] * np.cos(angles) + pull[1] * np.sin(angles))
    return shares - shares.min()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="RB8a", help="an end of the tree, such as LB6a")
    parser.add_argument("--output", default="bronchoscope.png")
    options = parser.parse_args()
    config, tree = continuum.RodConfig.table("c", 94), continuum.Lumen.bronchial_tree()
    line, length, pull = tree.centre_line(options.target), 0.02, np.zeros(2)
    simulation = continuum.Simulation(config, continuum.Actuation(length, rotation=DOWN), tree)
    tips, forces, lengths = [], [], []
    for _ in range(600):
        state = simulation.state
        position, quaternion = state.world_from_tip
        if np.linalg.norm(line[-1] - position) < ARRIVED:
            break
        x, y, z = in_frame(quaternion, point_ahead(line, np.array(position)) - position)
        angles = np.arctan2([y, z], abs(x))
        pull = pull + angles * min(1.0, MAX_PULL_CHANGE / max(np.linalg.norm(angles), 1e-12))
        length += MAX_ADVANCE * np.clip(1.0 - np.linalg.norm(angles) / 0.9, 0.15, 1.0)
        report = simulation.step(
            continuum.Actuation(length, rotation=DOWN, tensions=tensions(pull, config.cable_angles))
        )
        tips.append(position)
        lengths.append(length)
        forces.append(report.peak_contact_force)
    distance = np.linalg.norm(line[-1] - position)
    print(f"{len(tips)} steps, {1e3 * distance:.1f} mm from {options.target}, at most {max(forces):.2f} N")

    figure, (shape, force) = plt.subplots(1, 2, figsize=(9, 5), width_ratios=(2, 3), layout="constrained")
    wall, _ = tree.wall()
    shape.scatter(1e3 * wall[::15, 0], 1e3 * wall[::15, 2], s=0.3, color="0.8", label="airways' wall")
    way, rod = 1e3 * np.array(tips), 1e3 * simulation.state.positions
    shape.plot(line[:, 0] * 1e3, line[:, 2] * 1e3, color="gray", linestyle="--", label="centre line")
    shape.plot(way[:, 0], way[:, 2], color="C1", label="way of the tip")
    shape.plot(rod[:, 0], rod[:, 2], color="C0", linewidth=3, alpha=0.6, label="rod at the end")
    shape.set(xlabel="to the patient's left [mm]", ylabel="upwards [mm]", aspect="equal")
    force.plot(1e3 * np.array(lengths), forces)
    force.set(xlabel="inserted length [mm]", ylabel="greatest force of a wall on the rod [N]", ylim=(0, None))
    force.grid(alpha=0.3)
    shape.legend(loc="upper right", fontsize="small", markerscale=8)
    figure.savefig(options.output, dpi=120)


if __name__ == "__main__":
    main()
