"""Motion of the tool in `force_newton.py` and `force_mujoco.py`."""

import time

import numpy as np


def follow(problem, case, step):
    """Forces at rest after the press and after each drag, and the processor time of a simulated second."""
    dt = problem["step"]
    n_hold, n_read = round(problem["hold"] / dt), round(problem["read"] / dt)
    n_all, begun = 0, time.process_time()

    def motion(along, up):
        nonlocal n_all
        n_move = int(np.ceil((abs(along) + abs(up)) / problem["speed"] / dt - 1e-9))
        velocity = [along / (n_move * dt), up / (n_move * dt)]
        for _ in range(n_move):
            step(velocity)
        forces = [step([0.0, 0.0]) for _ in range(n_hold)]
        n_all += n_move + n_hold
        return np.mean(forces[-n_read:], axis=0)

    found, last = [float(motion(0.0, -problem["gap"] - case["depth"])[2])], 0.0
    for drag in case["drags"]:
        found.append(-float(motion(drag - last, 0.0)[0]))
        last = drag
    return {"forces": found, "cpu": (time.process_time() - begun) / (n_all * dt)}
