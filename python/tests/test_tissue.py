"""Contract: worlds of tissue press, hold and tear with the same bits as in Rust, and refuse invalid input."""

import csv
import math
import os
import signal
import subprocess
import threading

import numpy as np
import pytest

import insonate
from insonate import tissue

CLI = os.environ.get("INSONATE_CLI")

GRID = {"origin": (-0.06, -0.06, -0.05), "cell_width": 0.005, "cells": (24, 24, 24)}
SOFT = {"young_modulus": 2e4, "poisson_ratio": 0.45, "density": 1050.0}


def block(position=(0.0, 0.0, 0.0)):
    return tissue.TissueBody(
        name="block",
        position=position,
        solid={"cuboid": {"half": [0.03, 0.03, 0.02]}},
        layers=[{"name": "tissue", "material": {**SOFT, "viscosity": 30.0}}],
        fixed=[{"half_space": {"point": [0.0, 0.0, -0.018], "normal": [0.0, 0.0, 1.0]}}],
    )


def xpbd(**options):
    return tissue.Xpbd([block().xpbd_body(0.01, damping_time=0.01)], gravity=(0, 0, 0), **options)


def mls_mpm(**options):
    bodies = block().mpm_bodies(0.005)
    return tissue.MlsMpm(bodies, gravity=(0, 0, 0), **{**GRID, **options})


def ball(z=0.03):
    return tissue.Tool(tissue.Shape.sphere(0.01), position=(0.0, 0.0, z))


WORLDS = pytest.mark.parametrize("make", [xpbd, mls_mpm])


@WORLDS
def test_a_pressed_block_pushes_back(make):
    world = make()
    tool = world.add_tool(ball())
    world.set_tool(tool, linear=(0.0, 0.0, -0.05))
    forces = []
    for _ in range(10):
        world.step(0.01)
        force, torque = world.wrench(tool)
        forces.append(force[2])
        assert force.dtype == torque.dtype == np.float64 and force.shape == torque.shape == (3,)
    assert forces == sorted(forces) and forces[0] < 0.1 * forces[-1]
    # Hertz for a half-space: 4/3 E* sqrt(R) d^(3/2), d = 5 mm. A thin block is stiffer.
    hertz = 4 / 3 * 2e4 / (1 - 0.45**2) * math.sqrt(0.01) * 0.005**1.5
    assert 0.7 * hertz < forces[-1] < 3.0 * hertz
    assert world.time == pytest.approx(0.1)
    np.testing.assert_allclose(world.tool(tool).position, (0.0, 0.0, 0.025), atol=1e-12)
    assert world.positions().shape == world.velocities().shape
    assert world.momentum()[2] < 0.0


@WORLDS
def test_a_restored_world_goes_on_bit_for_bit(make):
    world = make()
    tool = world.add_tool(ball(0.029))
    world.set_tool(tool, linear=(0.01, 0.0, -0.02))
    world.step(0.01, n=3)
    state, place = world.save(), world.tool(tool).position
    seen = []
    for _ in range(2):
        world.restore(state)
        world.set_tool(tool, position=place)
        world.step(0.01)
        seen.append((world.positions(), world.velocities(), *world.wrench(tool)))
    for one, other in zip(*seen):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="state"):
        world.restore(state[:-1])
    with pytest.raises(ValueError, match="state"):
        world.restore(b"")
    np.testing.assert_array_equal(world.positions(), seen[0][0])
    world.reset()
    assert world.time == 0.0


def test_particles_deform_and_threads_change_no_bit():
    seen = []
    for n_threads in (1, 2):
        world = mls_mpm(n_threads=n_threads)
        tool = world.add_tool(ball(0.029))
        world.set_tool(tool, linear=(0.0, 0.0, -0.05))
        world.step(0.01, n=5)
        seen.append((world.positions(), world.deformation_grads(), world.damage(), world.fixed_force()))
        world.close()
    for one, other in zip(*seen):
        np.testing.assert_array_equal(one, other)
    positions, grads, damage, fixed_force = seen[0]
    assert grads.shape == (len(positions), 3, 3) and grads.dtype == np.float32
    assert 0.5 < np.linalg.det(grads).min() < 1.0
    assert not damage.any() and fixed_force[2] < 0.0


def test_a_users_mesh_falls_freely():
    positions = np.array([[0, 0, 0], [0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]], float)
    body = tissue.XpbdBody(positions, np.array([[0, 1, 2, 3]]), material=SOFT)
    world = tissue.Xpbd([body], substep=1e-3)
    world.step(0.1)
    np.testing.assert_allclose(world.velocities(), np.tile([0.0, 0.0, -0.981], (4, 1)), rtol=1e-4, atol=1e-5)
    assert world.masses().sum() == pytest.approx(1050.0 * 0.01**3 / 6)
    np.testing.assert_array_equal(world.tets(), [[0, 1, 2, 3]])
    assert world.surface().shape == (4, 3)


def test_a_tool_holds_what_it_grasps():
    world = xpbd()
    tool = world.add_tool(tissue.Tool(tissue.Shape.sphere(1e-6), position=(0.0, 0.0, 0.02)))
    assert world.grasp(tool, (0.0, 0.0, 0.02), 0.02, 5) == 5
    world.set_tool(tool, linear=(0.0, 0.0, 0.05))
    world.step(0.01, n=10)
    assert world.wrench(tool)[0][2] < -0.05
    assert world.positions()[:, 2].max() == pytest.approx(0.025, abs=1e-4)
    world.release(tool)
    world.step(0.01)
    assert world.wrench(tool)[0][2] == 0.0


def test_vertices_are_attached_to_points_and_to_each_other():
    one, other = block().xpbd_body(0.02), block((0.06, 0.0, 0.0)).xpbd_body(0.02)
    apart = np.linalg.norm(one.positions[:, None] - (other.positions - (0.002, 0, 0))[None], axis=2)
    a, b = np.unravel_index(apart.argmin(), apart.shape)
    corner = one.positions.argmax(axis=0)[2]
    ties = [(a, len(one.positions) + b, 0.0, 0.0), (corner, one.positions[corner], 0.0, 0.0)]
    world = tissue.Xpbd([one, other], ties, gravity=(0, 0, 0))
    world.move_anchor(0, one.positions[corner] + (0.0, 0.0, 0.005))
    world.step(0.05)
    assert world.positions()[corner, 2] == pytest.approx(0.025, abs=5e-4)
    with pytest.raises(ValueError, match="anchor"):
        world.move_anchor(7, (0, 0, 0))


def test_descriptions_are_read_and_told(tmp_path):
    (tmp_path / "block.toml").write_text(
        'name = "block"\nsolid.cylinder = { radius = 0.02, half_length = 0.01 }\n'
        '[[layers]]\nname = "skin"\nthickness = 0.002\nmaterial.young_modulus = 5e4\n'
        '[[layers]]\nname = "fat"\nmaterial = { young_modulus = 3e3, poisson_ratio = 0.45 }\n'
    )
    body = tissue.TissueBody.read(tmp_path / "block.toml")
    assert body.description["layers"][1]["material"]["young_modulus"] == 3e3
    assert len(tissue.TissueBody(**body.description).mpm_bodies(0.005)) == 2
    positions, triangles = tissue.TissueBody.liver().surface()
    assert positions.shape[1] == triangles.shape[1] == 3 and triangles.max() < len(positions)
    shape = tissue.Shape.mesh(positions, triangles, resolution=16)
    assert "mesh" in repr(shape)
    bodies, ties = tissue.xpbd_scene(
        [
            tissue.TissueBody(**{**block().description, "name": "low"}),
            tissue.TissueBody(
                **{
                    **block((0.0, 0.0, 0.04)).description,
                    "name": "high",
                    "attachments": [{"to": "low", "distance": 0.001}],
                }
            ),
        ],
        0.02,
    )
    assert ties and tissue.Xpbd(bodies, ties).positions().shape[1] == 3
    with pytest.raises(FileNotFoundError, match="nowhere"):
        tissue.TissueBody.read(tmp_path / "nowhere.toml")
    (tmp_path / "junk.toml").write_text("name = 3")
    with pytest.raises(ValueError, match="junk"):
        tissue.TissueBody.read(tmp_path / "junk.toml")


TETS = np.array([[0, 1, 2, 3]])
CORNERS = np.vstack([np.zeros(3), 0.01 * np.eye(3)])


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: tissue.XpbdBody(CORNERS[:, :2], TETS), ValueError, "shape"),
        (lambda: tissue.XpbdBody(CORNERS.ravel(), TETS), ValueError, "shape"),
        (lambda: tissue.XpbdBody(CORNERS.astype(np.float32), TETS), TypeError, "float32"),
        (lambda: tissue.XpbdBody(CORNERS.tolist(), TETS), TypeError, "list"),
        (lambda: tissue.XpbdBody(CORNERS[::-1], TETS), ValueError, "contiguous"),
        (lambda: tissue.XpbdBody(np.asfortranarray(CORNERS), TETS), ValueError, "contiguous"),
        (lambda: tissue.XpbdBody(CORNERS, TETS.astype(float)), TypeError, "int64"),
        (lambda: tissue.XpbdBody(CORNERS, -TETS), ValueError, "-1"),
        (lambda: tissue.Xpbd([tissue.XpbdBody(CORNERS, TETS + 1)]), ValueError, "below 4"),
        (lambda: tissue.Xpbd([tissue.XpbdBody(CORNERS * np.nan, TETS)]), ValueError, "NaN"),
        (lambda: tissue.Xpbd([tissue.XpbdBody(CORNERS, TETS[:, [1, 0, 2, 3]].copy())]), ValueError, "volume"),
        (lambda: tissue.Xpbd([]), ValueError, "bodies"),
        (lambda: tissue.Xpbd([tissue.XpbdBody(CORNERS, TETS)], [(0, 9, 0.0, 0.0)]), ValueError, "attachments"),
        (lambda: tissue.Xpbd([tissue.XpbdBody(CORNERS, TETS, fixed=[9])]), ValueError, "fixed"),
        (lambda: tissue.Xpbd([tissue.XpbdBody(CORNERS, TETS, material={"stiffness": 1})]), ValueError, "stiffness"),
        (lambda: tissue.Xpbd([tissue.XpbdBody(CORNERS, TETS, material={"young_modulus": -1})]), ValueError, "young"),
        (lambda: xpbd(substep=0.0), ValueError, "substep"),
        (lambda: xpbd(sweep="up"), ValueError, "sweep"),
        (lambda: tissue.Xpbd([block()]), TypeError, "TissueBody"),
        (lambda: mls_mpm(cell_width=math.nan), ValueError, "cell_width"),
        (lambda: mls_mpm(cells=(4, 24, 24)), ValueError, "cells"),
        (lambda: mls_mpm(origin=(0, 0, 0)), ValueError, "outside"),
        (lambda: mls_mpm(law="hooke"), ValueError, "law"),
        (lambda: mls_mpm(n_threads=10**6), ValueError, "n_threads"),
        (lambda: tissue.MlsMpm([tissue.MpmBody(CORNERS * np.nan, 1e-9)], **GRID), ValueError, "NaN"),
        (lambda: tissue.MlsMpm([tissue.MpmBody(CORNERS, -1.0)], **GRID), ValueError, "particle_volume"),
        (lambda: tissue.Shape.sphere(-1.0), ValueError, "radius"),
        (lambda: tissue.Shape.cuboid((0.1, 0.1)), ValueError, "3"),
        (lambda: tissue.Shape.mesh(CORNERS, TETS[:, :3]), ValueError, "edge"),
        (lambda: tissue.Tool(tissue.Shape.sphere(0.1), position=(0, math.nan, 0)), ValueError, "position"),
        (lambda: tissue.Tool(tissue.Shape.sphere(0.1), rotation=(0, 0, 0, 0)), ValueError, "quaternion"),
        (lambda: tissue.Tool(tissue.Shape.sphere(0.1), rotation=(1e200, 0, 0, 0)), ValueError, "quaternion"),
        (lambda: tissue.Tool(tissue.Shape.sphere(0.1), rotation=(math.nan, 0, 0, 0)), ValueError, "quaternion"),
        (lambda: tissue.Tool(tissue.Shape.sphere(0.1), friction=-1.0), ValueError, "friction"),
        (lambda: tissue.TissueBody(name="x", solid="cube", layers=[]), ValueError, "cube"),
        (lambda: tissue.TissueBody(name="x", solid="torso", layers=[]), ValueError, "layer"),
        (lambda: tissue.TissueBody(name="x", solid="torso", layers=[], colour=1), ValueError, "colour"),
        (lambda: tissue.SoftTissue(), TypeError, "SoftTissue"),
    ],
)
def test_nonsense_is_refused_by_name(make, error, words):
    with pytest.raises(error, match=words):
        make()


@WORLDS
def test_bad_calls_change_nothing(make):
    world = make()
    tool = world.add_tool(ball())
    for call, error, words in [
        (lambda: world.step(math.nan), ValueError, "time"),
        (lambda: world.step(-1.0), ValueError, "time"),
        (lambda: world.step(0.01, n=-1), OverflowError, "negative"),
        (lambda: world.wrench(1), ValueError, "tool is 1"),
        (lambda: world.set_tool(1), ValueError, "tool is 1"),
        (lambda: world.set_tool(tool, linear=(math.inf, 0, 0)), ValueError, "linear"),
        (lambda: world.set_tool(tool, linear="abc"), TypeError, "linear"),
        (lambda: world.grasp(tool, (math.nan, 0, 0), 0.1, 1), ValueError, "grasp"),
        (lambda: world.add_tool(3), TypeError, "tool"),
    ]:
        with pytest.raises(error, match=words):
            call()
    fresh = make()
    fresh.add_tool(ball())
    for one in (world, fresh):
        one.step(0.01)
    np.testing.assert_array_equal(world.positions(), fresh.positions())


def test_a_world_that_diverges_says_so_until_a_reset():
    world = xpbd(max_speed=0.01)
    tool = world.add_tool(ball())
    world.set_tool(tool, linear=(0.0, 0.0, -0.5))
    with pytest.raises(insonate.SimulationError, match="diverged"):
        world.step(0.001, n=50)
    with pytest.raises(insonate.SimulationError, match="diverged"):
        world.step(0.001)
    world.reset()
    world.set_tool(tool, position=(0.0, 0.0, 0.05), linear=(0.0, 0.0, 0.0))
    world.step(0.001)


@WORLDS
def test_use_after_close(make):
    world = make()
    tool = world.add_tool(ball())
    world.close()
    world.close()
    for use in (
        lambda: world.step(0.01),
        lambda: world.time,
        lambda: world.wrench(tool),
        world.positions,
        world.save,
        world.reset,
        lambda: world.add_tool(ball()),
    ):
        with pytest.raises(insonate.ClosedError):
            use()


def test_another_thread_may_step_but_not_at_the_same_moment():
    world = mls_mpm(n_threads=1)
    seen = []

    def step_often():
        for _ in range(10):
            try:
                world.step(0.005)
                seen.append("stepped")
            except insonate.OrderError as error:
                seen.append(str(error))

    threads = [threading.Thread(target=step_often) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "stepped" in seen
    assert all(what == "stepped" or "another thread" in what for what in seen)


def test_ctrl_c_ends_long_calls():
    world = xpbd()
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        world.step(0.01, n=10**6)
    assert 0.0 < world.time < 1e3
    timer.join()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_after_a_fork_only_worlds_of_the_callers_thread_go_on():
    alone, shared = mls_mpm(n_threads=1), mls_mpm()
    shared.step(0.001)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        # The child must not leave this block, or it would continue with the tests.
        said = []
        for work in (lambda: shared.step(0.001), lambda: block().mpm_bodies(0.005), shared.close):
            try:
                work()
                said.append("done")
            except insonate.OrderError as error:
                said.append(str(error))
        alone.step(0.001)
        os.write(writer, "\n".join(said).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        step, sample, close = pipe.read().split("\n")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert "fork" in step and "fork" in sample and close == "done"
    shared.step(0.001)


def smooth(time, start, end):
    u = min(max((time - start) / (end - start), 0.0), 1.0)
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


@pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")
@pytest.mark.parametrize("solver", ["xpbd", "mpm"])
def test_a_press_of_the_command_line_is_repeated_bit_for_bit(solver, tmp_path):
    duration, resolution, travel, gap, radius = 0.5, 12, 0.01, 0.008, 0.012
    command = [CLI, "tissue", "press", "--body", "slab", "--solver", solver, "--duration", str(duration)]
    command += ["--travel", str(travel), "--resolution", str(resolution), "--no-pictures"]
    subprocess.run([*command, "--output", tmp_path], check=True, capture_output=True)
    with open(tmp_path / "force.csv", newline="") as file:
        rows = list(csv.DictReader(file))

    spacing = 0.12 / resolution
    stiff = 1.2e4 / (2.0 * (1.0 + 0.45))
    material = {"young_modulus": 1.2e4, "poisson_ratio": 0.45, "density": 1050.0, "viscosity": stiff * 0.005}
    slab = tissue.TissueBody(
        name="slab",
        position=(0.0, 0.0, 0.02),
        solid={"cuboid": {"half": [0.06, 0.06, 0.02]}},
        layers=[{"name": "tissue", "material": material}],
    )
    if solver == "xpbd":
        # The command line numbers vertices in the order in which tetrahedra use them.
        body = slab.xpbd_body(spacing)
        order = list(dict.fromkeys(body.tets.ravel().tolist()))
        tets = np.argsort(order)[body.tets]
        world = tissue.Xpbd([tissue.XpbdBody(body.positions[order], tets, material=material, damping_time=0.005)])
    else:
        around = 0.25 * 0.12 + travel
        corners = np.array([[-0.06, -0.06, 0.0], [0.06, 0.06, 0.04]]) + [[-around], [around]]
        origin = np.floor(corners[0] / spacing - 6.0) * spacing
        cells = np.ceil((corners[1] - origin) / spacing + 6.0).astype(int)
        world = tissue.MlsMpm(slab.mpm_bodies(spacing), origin=origin, cell_width=spacing, cells=cells)
    half = math.pi / 4
    rotation = (math.cos(half), math.sin(half), 0.0, 0.0)
    world.add_tool(tissue.Tool(tissue.Shape.half_space(), friction=math.inf))
    face = world.add_tool(tissue.Tool(tissue.Shape.capsule(radius, 0.02), rotation=rotation, friction=0.2))

    def height(time):
        way = (gap + travel) * smooth(time, 0.12 * duration, 0.8 * duration)
        return (0.04 + gap - way) + radius

    step = float(rows[-1]["time_s"]) / len(rows)
    assert len(rows) > 50 and step < 0.0041
    for index, row in enumerate(rows):
        now, then = height(index * step), height(index * step + step)
        velocity = (0.0, 0.0, (then - now) / step)
        world.set_tool(face, position=(0.0, 0.0, now), rotation=rotation, linear=velocity)
        world.step(step)
        force, _ = world.wrench(face)
        found = [f"{x:.9f}" for x in force]
        assert found == [row[f"force_{axis}_n"] for axis in "xyz"], f"step {index}"
    assert float(rows[-1]["force_z_n"]) > 1.0
