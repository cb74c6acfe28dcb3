"""MuJoCo's flex presses the soft block of `cargo run --release -p insonate-sim --example force_peers`, on one thread.

usage: force_mujoco.py PROBLEM.json      needs mujoco==3.17.0 or 4.0.0

PROBLEM.json is what the example writes: the MJCF files of the cases, and the motions of the tools.
One line of JSON: for each case, the forces on the tool [N] and the processor time of a simulated second [s].
"""

import json
import sys

import mujoco
import numpy as np
from force_motion import follow


class Press:
    """The scene of a case."""

    def __init__(self, problem, case):
        self.model = mujoco.MjModel.from_xml_path(case["scene"])
        self.data = mujoco.MjData(self.model)
        self.n_substeps = round(problem["step"] / self.model.opt.timestep)
        self.tool = self.model.body("tool").geomadr[0]

    def step(self, velocity):
        """Mean force on the tool over a step with a velocity along x and z."""
        total = np.zeros(3)
        for _ in range(self.n_substeps):
            # The contact does not slow the tool down.
            self.data.qvel[:2] = velocity
            mujoco.mj_step(self.model, self.data)
            total += self.force()
        return total / self.n_substeps

    def force(self):
        """Force of the contacts on the tool."""
        total, wrench = np.zeros(3), np.zeros(6)
        for index in range(self.data.ncon):
            contact = self.data.contact[index]
            mujoco.mj_contactForce(self.model, self.data, index, wrench)
            on_second = contact.frame.reshape(3, 3).T @ wrench[:3]
            total += on_second if contact.geom[1] == self.tool else -on_second
        return total


def main():
    with open(sys.argv[1]) as file:
        problem = json.load(file)
    found = {}
    for case in problem["cases"]:
        found[case["name"]] = follow(problem, case, Press(problem, case).step)
    print(json.dumps({"program": f"MuJoCo {mujoco.__version__}", "cases": found}))


if __name__ == "__main__":
    main()
