"""Contract: rods bend, oscillate and move through lumens with the same bits as in Rust, and refuse invalid input."""

import json
import math
import os
import signal
import subprocess
import threading

import numpy as np
import pytest

import insonate
from insonate import continuum

CLI = os.environ.get("INSONATE_CLI")

YOUNG, AREA, INERTIA, LENGTH = 5.1e8, 5.551e-6, 5.041e-12, 0.1
SECTION = continuum.Section.tube(YOUNG, AREA, INERTIA, 1010.0)
DOWN = (math.cos(math.pi / 4), 0.0, math.sin(math.pi / 4), 0.0)


def rod(n_elements=50, **options):
    return continuum.RodConfig([(LENGTH, SECTION)], n_elements, **options)


def cantilever(config=None, **options):
    options = {"tolerance": 1e-9, "max_displacement": 0.1 * LENGTH, "max_iterations": 1000, **options}
    return continuum.Simulation(config or rod(), continuum.Actuation(LENGTH), **options)


def in_the_t(**options):
    start = continuum.Actuation(0.02, rotation=DOWN)
    lumen = continuum.Lumen.t_phantom()
    config = continuum.RodConfig.table("a", 94, gravity=(0.5, 0.0, -9.8))
    return continuum.Simulation(config, start, lumen, **options)


def test_a_loaded_tip_follows_the_elastica():
    simulation = cantilever()
    force = 3.0 * YOUNG * INERTIA / LENGTH**2
    report = simulation.solve(continuum.Actuation(LENGTH, tip_force=(0.0, force, 0.0)))
    assert report.stop_reason == "done" and report.equilibrium_residual <= 1e-9
    # Elliptic integrals of the inextensible cantilever.
    position, quaternion = simulation.state.world_from_tip
    assert position[1] / LENGTH == pytest.approx(0.6032534411, rel=1e-3)
    assert 1.0 - position[0] / LENGTH == pytest.approx(0.2544201846, rel=1e-3)
    assert 2.0 * math.acos(quaternion[0]) == pytest.approx(0.9860169467, rel=1e-3)
    assert report.base_force[1] == pytest.approx(-force, rel=1e-6)
    assert simulation.elastic_energy > 0.0


def test_a_cable_bends_the_rod_by_what_it_pulls():
    simulation = cantilever(rod(cable_offset=1e-3))
    simulation.solve(continuum.Actuation(LENGTH, tensions=(1.0, 0.0, 0.0)))
    _, (w, _, _, z) = simulation.state.world_from_tip
    # A moment of T d, constant along the rod.
    assert 2.0 * math.atan2(z, w) == pytest.approx(1.0 * 1e-3 * LENGTH / (YOUNG * INERTIA), rel=0.01)


def test_the_shape_is_arrays_of_its_own():
    simulation = cantilever(rod(10))
    straight = simulation.state
    simulation.solve(continuum.Actuation(LENGTH, tip_force=(0.0, 0.5, 0.0)))
    np.testing.assert_allclose(straight.positions, np.linspace(0, 1, 11)[:, None] * (LENGTH, 0, 0), atol=1e-15)
    bent = simulation.state
    assert bent.positions.shape == (11, 3) and bent.rotations.shape == (11, 4)
    assert bent.positions.dtype == np.float64 and bent.positions.flags.c_contiguous
    np.testing.assert_allclose(bent.from_tip, np.linspace(LENGTH, 0.0, 11), atol=1e-15)
    np.testing.assert_array_equal(bent.position_at(0.0), bent.positions[-1])
    simulation.place(straight)
    np.testing.assert_array_equal(simulation.state.positions, straight.positions)
    with pytest.raises(ValueError, match="11 elements"):
        simulation.place(cantilever(rod(11)).state)


def test_a_saved_state_goes_on_with_the_same_bits():
    simulation = cantilever(rod(20))
    load = continuum.Actuation(LENGTH, tip_force=(0.0, 0.2, 0.0))
    simulation.step(load)
    saved, tips = simulation.state, []
    for _ in range(2):
        simulation.place(saved)
        simulation.solve(continuum.Actuation(LENGTH, tip_force=(0.0, 0.4, 0.1)))
        tips.append(simulation.state.positions)
    np.testing.assert_array_equal(*tips)


def test_a_cantilever_swings_at_its_first_frequency():
    simulation = cantilever(rod(20), tolerance=1e-7)
    simulation.solve(continuum.Actuation(LENGTH, tip_force=(0.0, 1e-3, 0.0)))
    free = continuum.Actuation(LENGTH)
    omega = 1.8751040687**2 * math.sqrt(YOUNG * INERTIA / (1010.0 * AREA)) / LENGTH**2
    timestep = 2.0 * math.pi / omega / 200
    start = simulation.state.world_from_tip[0][1]
    simulation.step_dynamic(free, timestep, alpha=-0.05, n=100)
    assert simulation.kinetic_energy < 0.05 * simulation.elastic_energy
    assert simulation.state.world_from_tip[0][1] == pytest.approx(-start, rel=0.1)


def test_a_rod_in_the_t_stays_within_its_walls():
    simulation = in_the_t(friction=0.1)
    for length in np.arange(0.021, 0.2, 0.001):
        report = simulation.step(continuum.Actuation(length, rotation=DOWN))
    assert report.max_penetration <= 1e-5 and report.peak_contact_force > 0.0
    n = len(report.contact_from_tip)
    assert n and report.contact_positions.shape == report.contact_forces.shape == (n, 3)
    assert report.total_contact_force >= report.peak_contact_force
    lumen = continuum.Lumen.t_phantom()
    clearances = [lumen.clearance(node, 0.05) for node in simulation.state.positions[1:]]
    assert min(clearances) > SECTION.radius - 2e-5


def test_lumens_tell_their_branches_and_walls(tmp_path):
    tree = continuum.Lumen.bronchial_tree("segmental")
    assert len(tree.ends()) == 18 and len(continuum.Lumen.bronchial_tree().ends()) == 36
    line = tree.centre_line(tree.ends()[0])
    np.testing.assert_array_equal(line[0], 0.0)
    assert line.shape[1] == 3 and line[-1, 2] < -0.1
    with pytest.raises(ValueError, match="trachea"):
        tree.centre_line("nose")
    positions, triangles = continuum.Lumen.t_phantom().wall(0.004)
    mesh = continuum.Lumen.mesh(positions, triangles)
    assert mesh.clearance((0.0, 0.0, -0.05), 0.05) == pytest.approx(0.015, abs=1e-3)
    np.testing.assert_array_equal(mesh.wall()[1], triangles)
    np.savetxt(tmp_path / "t.obj", positions * 1e3, fmt="v %.9f %.9f %.9f")
    with (tmp_path / "t.obj").open("a") as file:
        np.savetxt(file, triangles + 1, fmt="f %d %d %d")
    read = continuum.Lumen.read(tmp_path / "t.obj", unit=1e-3)
    assert read.clearance((0.0, 0.0, -0.05), 0.05) == pytest.approx(0.015, abs=1e-3)
    tube = continuum.Lumen.straight_tube((0, 0, 0), (0, 0, 2), 0.01)
    assert tube.clearance((0.004, 0.0, 7.0), 0.1) == pytest.approx(0.006)
    assert continuum.Lumen.plane((0, 0, 0), (0, 0, 1)).clearance((0, 0, 0.2), 0.1) is None
    for lumen, call in ((tube, tube.wall), (mesh, mesh.ends)):
        with pytest.raises(ValueError, match="lumen has no"):
            call()
    with pytest.raises(FileNotFoundError, match="nowhere"):
        continuum.Lumen.read(tmp_path / "nowhere.obj")
    with pytest.raises(ValueError, match="edge"):
        continuum.Lumen.mesh(positions, triangles[1:])


TRIANGLE = np.array([[0, 1, 2]])


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: continuum.RodConfig([], 10), ValueError, "segments"),
        (lambda: continuum.RodConfig([(-1.0, SECTION)], 10), ValueError, "length"),
        (lambda: continuum.RodConfig([(math.nan, SECTION)], 10), ValueError, "length"),
        (lambda: continuum.RodConfig([(0.1, 3.0)], 10), TypeError, "segments"),
        (lambda: continuum.RodConfig.table("e", 10), ValueError, "row"),
        (lambda: rod(0), ValueError, "n_elements"),
        (lambda: rod(10**9), ValueError, "n_elements"),
        (lambda: rod(gravity=(0, 0, math.inf)), ValueError, "gravity"),
        (lambda: rod(cable_guides=0.1, cables_at_tip=True), ValueError, "cable_guides"),
        (lambda: rod(held_tip=[True]), ValueError, "6"),
        (lambda: continuum.RodConfig([(0.1, continuum.Section.tube(0.0, AREA, INERTIA, 1.0))], 9), ValueError, "young"),
        (lambda: continuum.Actuation(0.1, rotation=(0, 0, 0, 0)), ValueError, "quaternion"),
        (lambda: continuum.Actuation("0.1"), TypeError, "inserted_length"),
        (lambda: continuum.Simulation(rod(), continuum.Actuation(0.2)), ValueError, "inserted_length"),
        (lambda: continuum.Simulation(rod(), continuum.Actuation(math.nan)), ValueError, "inserted_length"),
        (lambda: continuum.Simulation(rod(), continuum.Actuation(0.1, position=(math.nan, 0, 0))), ValueError, "base"),
        (lambda: cantilever(solver="osqp"), ValueError, "solver"),
        (lambda: cantilever(tolerance=2.0), ValueError, "tolerance"),
        (lambda: cantilever(friction=-1.0), ValueError, "friction"),
        (lambda: in_the_t(friction=0.1, solver="clarabel"), ValueError, "friction"),
        (lambda: continuum.Lumen.plane((0, 0, 0), (0, 0, 0)), ValueError, "normal"),
        (lambda: continuum.Lumen.straight_tube((0, 0, 0), (1, 0, 0), math.nan), ValueError, "radius"),
        (lambda: continuum.Lumen.t_phantom(diameter=-1.0), ValueError, "radius"),
        (lambda: continuum.Lumen.bronchial_tree("all"), ValueError, "depth"),
        (lambda: continuum.Lumen.t_phantom().wall(math.nan), ValueError, "cell_width"),
        (lambda: continuum.Lumen.t_phantom().clearance((math.nan, 0, 0), 0.1), ValueError, "finite"),
        (lambda: continuum.Lumen.mesh(np.zeros((3, 2)), TRIANGLE), ValueError, "shape"),
        (lambda: continuum.Lumen.mesh(np.zeros((3, 3), np.float32), TRIANGLE), TypeError, "float32"),
        (lambda: continuum.Lumen.mesh(np.zeros((6, 3))[::2], TRIANGLE), ValueError, "contiguous"),
        (lambda: continuum.Lumen.mesh(np.full((3, 3), np.nan), TRIANGLE), ValueError, "vertex 0"),
        (lambda: continuum.Lumen.mesh(np.zeros((3, 3)), TRIANGLE + 1), ValueError, "vertex 3"),
        (lambda: continuum.Lumen.mesh(np.zeros((3, 3)), TRIANGLE * 1.0), TypeError, "float64"),
    ],
)
def test_nonsense_is_refused_by_name(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_bad_calls_change_nothing():
    simulation = cantilever(rod(10))
    before = simulation.state.positions
    for call, error, words in [
        (lambda: simulation.step(continuum.Actuation(LENGTH, tensions=(-1, 0, 0))), ValueError, "tensions"),
        (lambda: simulation.step(continuum.Actuation(LENGTH, tip_force=(math.nan, 0, 0))), ValueError, "tip_force"),
        (lambda: simulation.step_dynamic(continuum.Actuation(LENGTH), 0.0), ValueError, "timestep"),
        (lambda: simulation.step_dynamic(continuum.Actuation(LENGTH), 1e-3, alpha=1.0), ValueError, "alpha"),
        (lambda: simulation.step_dynamic(continuum.Actuation(LENGTH), 1e-3, n=0), ValueError, "at least 1"),
        (lambda: simulation.solve(continuum.Actuation(LENGTH), max_steps=0), ValueError, "at least 1"),
        (lambda: simulation.state.position_at(1.0), ValueError, "from_tip"),
        (lambda: simulation.step(LENGTH), TypeError, "actuation"),
        (lambda: in_the_t().solve(continuum.Actuation(0.02)), ValueError, "tolerance"),
    ]:
        with pytest.raises(error, match=words):
            call()
    np.testing.assert_array_equal(simulation.state.positions, before)
    base = continuum.Actuation(0.02, position=(1.0, 0.0, 0.0), rotation=DOWN)
    with pytest.raises(ValueError, match="inside a wall"):
        continuum.Simulation(continuum.RodConfig.table("a", 94), base, continuum.Lumen.t_phantom())


def test_what_does_not_balance_says_so():
    simulation = cantilever(max_iterations=1)
    with pytest.raises(insonate.SimulationError, match="unbalanced"):
        simulation.solve(continuum.Actuation(LENGTH, tip_force=(0.0, 1.0, 0.0)), max_steps=2)


def test_another_thread_may_step_but_not_at_the_same_moment():
    simulation, seen = cantilever(rod(400)), []

    def swing_often():
        for _ in range(10):
            try:
                simulation.step_dynamic(continuum.Actuation(LENGTH, tip_force=(0, 0.01, 0)), 1e-4)
                seen.append("stepped")
            except insonate.OrderError as error:
                seen.append(str(error))

    threads = [threading.Thread(target=swing_often) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "stepped" in seen
    assert all(what == "stepped" or "another thread" in what for what in seen)


def test_ctrl_c_ends_long_calls():
    simulation = cantilever()
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.step_dynamic(continuum.Actuation(LENGTH), 1e-4, n=10**9)
    timer.join()


def summary(*words):
    done = subprocess.run([CLI, "continuum", *words, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")
def test_a_bend_of_the_command_line_is_repeated_bit_for_bit():
    told = summary("bend", "--length", "0.1", "--tip-force", "0,0.3,-0.2", "--tensions", "2,0,1")
    simulation = cantilever()
    simulation.solve(continuum.Actuation(LENGTH, tip_force=(0.0, 0.3, -0.2), tensions=(2.0, 0.0, 1.0)))
    position, quaternion = simulation.state.world_from_tip
    assert position == told["tip_position_m"] and quaternion == told["tip_rotation_wxyz"]
    assert simulation.elastic_energy == told["elastic_energy_j"]


@pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")
def test_an_insertion_of_the_command_line_is_repeated_bit_for_bit(tmp_path):
    words = ["--material", "a", "--depth", "0.18", "--equilibrium", "one-step", "--no-pictures", "--gravity", "0.5,0,-9.8"]
    told = summary("insert", "--lumen", "t", *words, "--output", str(tmp_path))
    simulation, length, forces = in_the_t(), 0.02, []
    while length < 0.18 - 1e-9:
        length += min(1e-3, 0.18 - length)
        forces.append(simulation.step(continuum.Actuation(length, rotation=DOWN)).peak_contact_force)
    assert len(forces) == told["n_steps"] and told["n_contacts_max"] > 0
    assert simulation.state.world_from_tip[0] == told["tip_position_m"]
    assert max(forces) == told["peak_contact_force_n"] > 0.0
