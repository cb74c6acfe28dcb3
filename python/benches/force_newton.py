"""Newton's VBD presses the soft block of `cargo run --release -p insonate-sim --example force_peers`, on the CPU.

usage: force_newton.py PROBLEM.json [ITERATIONS]      needs newton==1.8.0, warp-lang==1.19.0

PROBLEM.json is what the example writes: the mesh, the tools and their motions.
One line of JSON: for each case, the forces on the tool [N] and the processor time of a simulated second [s].
"""

import json
import sys

import newton
import numpy as np
import warp as wp
from force_motion import follow
from newton.solvers import SolverBase, SolverVBD

PARTICLE_RADIUS = 2e-4
CONTACT_STIFFNESS = 5e4
RAYLEIGH_DAMPING = 1e-3
# Friction grows up to this speed [m/s], so a tool at rest slips back: at the default of 0.01 it loses half of its
# force.
FRICTION_SPEED = 1e-4


class Press:
    """The block and the tool of a case."""

    def __init__(self, problem, case, iterations):
        self.problem = problem
        to_center = case["radius"] if case["tool"] == "ball" else case["half_length"]
        # The particles' radius raises the upper face.
        height = problem["height"] + problem["gap"] + to_center + PARTICLE_RADIUS
        young, nu = np.array(case["young"]), problem["poisson"]
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
        builder.add_soft_mesh(
            pos=wp.vec3(),
            rot=wp.quat_identity(),
            scale=1.0,
            vel=wp.vec3(),
            vertices=[wp.vec3(*point) for point in problem["points"]],
            indices=np.array(problem["tets"]).flatten().tolist(),
            density=1000.0,
            k_mu=young / (2 * (1 + nu)),
            k_lambda=young * nu / ((1 + nu) * (1 - 2 * nu)),
            k_damp=RAYLEIGH_DAMPING,
            particle_radius=PARTICLE_RADIUS,
        )
        active = int(newton.ParticleFlags.ACTIVE)
        for vertex in problem["fixed"]:
            builder.particle_flags[vertex] = int(builder.particle_flags[vertex]) & ~active
        tool = builder.add_body(xform=wp.transform(wp.vec3(0.0, 0.0, height), wp.quat_identity()), is_kinematic=True)
        surface = newton.ModelBuilder.ShapeConfig(ke=CONTACT_STIFFNESS, kd=0.0, mu=case["friction"], density=1000.0)
        if case["tool"] == "ball":
            builder.add_shape_sphere(tool, radius=case["radius"], cfg=surface)
        else:
            builder.add_shape_cylinder(tool, radius=case["radius"], half_height=case["half_length"], cfg=surface)
        builder.color()
        model = builder.finalize()
        model.soft_contact_ke, model.soft_contact_kd, model.soft_contact_mu = CONTACT_STIFFNESS, 0.0, case["friction"]
        self.pipeline = newton.CollisionPipeline(model, soft_contact_gap=0.005)
        self.contacts = self.pipeline.contacts()
        self.solver = SolverVBD(
            model,
            iterations=iterations,
            friction_epsilon=FRICTION_SPEED,
            integrate_with_external_rigid_solver=True,
        )
        self.seen = self.solver.observables(contacts=self.contacts, kinds={SolverBase.ObservableKind.CONTACT_F})
        self.states = [model.state(), model.state()]
        self.at = np.array([0.0, 0.0, height])

    def step(self, velocity):
        """Force on the tool after a step with a velocity along x and z."""
        before, after = self.states
        dt = self.problem["step"]
        for state, at in [(before, self.at), (after, self.at + dt * np.array([velocity[0], 0.0, velocity[1]]))]:
            state.body_q.assign(np.array([[*at, 0.0, 0.0, 0.0, 1.0]], dtype=np.float32))
        self.at = self.at + dt * np.array([velocity[0], 0.0, velocity[1]])
        self.pipeline.collide(after, self.contacts)
        self.solver.step(before, after, None, self.contacts, dt, observables=self.seen)
        self.states = [after, before]
        count = int(self.contacts.soft_contact_count.numpy()[0])
        first = self.contacts.rigid_contact_max
        return self.seen.contact_f.numpy()[first : first + count, :3].sum(axis=0)


def main():
    with open(sys.argv[1]) as file:
        problem = json.load(file)
    iterations = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    wp.config.quiet = True
    found = {}
    with wp.ScopedDevice("cpu"):
        for case in problem["cases"]:
            press = Press(problem, case, iterations)
            # Kernels are compiled in the first step.
            press.step([0.0, 0.0])
            found[case["name"]] = follow(problem, case, press.step)
    print(json.dumps({"program": f"Newton {newton.__version__}", "cases": found}))


if __name__ == "__main__":
    main()
