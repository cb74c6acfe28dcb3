"""Contract: `press` and `scan` give the digits of the command line."""

import csv
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import insonate

CLI = os.environ.get("INSONATE_CLI")
needs_cli = pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")


def command(folder, *arguments):
    """Summary and log of the command."""
    line = [CLI, *arguments, "--no-pictures", "--json", "--output", folder]
    done = subprocess.run(line, capture_output=True, check=False)
    with open(folder / "log.csv", newline="") as file:
        return json.loads(done.stdout), list(csv.DictReader(file))


def assert_same(run, summary, rows):
    for figures in (run.summary, summary):
        assert figures.pop("steps_per_second") > 0.0
    assert run.summary == summary
    assert list(run.phases) == [row["phase"] for row in rows]
    assert [*run.columns] == [name for name in rows[0] if name != "phase"]
    for name, column in run.columns.items():
        digits = {"time_s": 6, "in_contact": 0}.get(name, 9)
        assert [f"{value:.{digits}f}" for value in column] == [row[name] for row in rows], name


@needs_cli
def test_a_press_has_the_digits_of_the_command(tmp_path):
    line = ["press", "--site", "0.01,-0.02", "--depth", "0.01", "--speed", "0.05", "--hold", "0.1"]
    scene = insonate.Scene(stiffness=900.0)
    run = insonate.press(scene, site=(0.01, -0.02), depth=0.01, speed=0.05, hold=0.1)
    assert_same(run, *command(tmp_path, *line, "--stiffness", "900"))
    assert run.columns["force_z_n"].max() > 1.0


@needs_cli
def test_a_scan_has_the_digits_of_the_command(tmp_path):
    line = ["scan", "--from", "0,-0.02", "--to", "0.01,0.02", "--force", "4", "--limit", "lag=1e-6"]
    run = insonate.scan(
        insonate.Scene("ur5e"), start=(0.0, -0.02), end=(0.01, 0.02), force=4.0, limits={"lag": 1e-6}
    )
    assert_same(run, *command(tmp_path, *line, "--robot", "ur5e"))
    assert run.verdict == "failed" and len(run.reasons) == 1


def test_a_run_has_the_pressure_on_the_face():
    run = insonate.press(insonate.Scene(torso="elastic"), depth=0.01, speed=0.05, hold=0.0)
    # The face of the C5-2 in elements of 5 mm; the pressures are those of the force on the face.
    assert run.pressure.shape == (13, 5)
    force = run.pressure.sum() * 0.005**2
    assert force == pytest.approx(run.summary["peak_force_n"], rel=0.1)
    peak = max(run.pressure[i : i + 2, j : j + 2].mean() for i in range(12) for j in range(4))
    assert peak == pytest.approx(run.summary["peak_pressure_pa"])


def test_a_run_has_the_stress_in_the_tissue():
    run = insonate.press(insonate.Scene(torso="xpbd"), depth=0.01, speed=0.05, hold=0.5)
    stress = run.stress
    n = len(stress.volumes)
    shapes = {"centers": (n, 3), "tensors": (n, 3, 3), "von_mises": (n,), "principal_strains": (n, 3)}
    assert {name: getattr(stress, name).shape for name in shapes} == shapes
    # sqrt(3 J2) of each tensor.
    deviators = stress.tensors - np.eye(3) * (np.trace(stress.tensors, axis1=1, axis2=2) / 3.0)[:, None, None]
    np.testing.assert_allclose(stress.von_mises, np.sqrt(1.5 * (deviators**2).sum(axis=(1, 2))), rtol=1e-9)
    assert run.summary["von_mises_max_pa"] == pytest.approx(stress.von_mises.max())
    assert run.summary["principal_strain_min"] == pytest.approx(stress.principal_strains.min())
    # The tissue is pressed down: the integral of the vertical stress is about minus force times height.
    moment = (stress.tensors[:, 2, 2] * stress.volumes).sum()
    height = stress.centers[:, 2].max() - stress.centers[:, 2].min()
    assert -1.1 < moment / (run.columns["force_z_n"][run.phases == "hold"][-1] * height) < -0.7
    assert insonate.press(insonate.Scene(), depth=0.005, speed=0.1, hold=0.0).stress is None


def test_a_run_has_pictures_of_the_scene():
    run = insonate.press(insonate.Scene(torso="composite"), depth=0.005, speed=0.2, hold=0.0, picture_size=(64, 48))
    if not run.pictures:
        # A machine without EGL.
        assert any("no pictures" in note for note in run.notes) and "INSONATE_REQUIRE_EGL" not in os.environ
        return
    assert {picture.shape for picture in run.pictures.values()} == {(48, 64, 3)}
    assert run.pictures["close"].std() > 1.0


def test_wrong_arguments_are_refused():
    scene = insonate.Scene()
    for call in (
        lambda: insonate.press(scene, depth=1.0),
        lambda: insonate.press(scene, site=(np.nan, 0.0)),
        lambda: insonate.press(scene, limits={"nothing": 1.0}),
        lambda: insonate.scan(scene, force=-1.0),
        lambda: insonate.scan(scene, start=(0.0, 0.0), end=(0.0, 0.0)),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        insonate.press(scene, (0.0, 0.0))
    with pytest.raises((insonate.SimulationError, ValueError), match="torso"):
        insonate.press(scene, site=(5.0, 5.0))


def test_pandas_is_named_where_it_is_missing(monkeypatch):
    run = insonate.Run({}, {"time_s": np.zeros(2), "in_contact": np.ones(2)}, np.array(["a", "b"]), [])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        run.to_pandas()


def test_a_log_becomes_a_table():
    pandas = pytest.importorskip("pandas")
    run = insonate.Run({}, {"time_s": np.zeros(2), "in_contact": np.ones(2)}, np.array(["a", "b"]), [])
    table = run.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert [*table.columns] == ["time_s", "phase", "in_contact"]


def synthetic():
    time = np.arange(0.0, 4.0, 0.002)
    indentation = 0.005 * (1.0 - np.cos(2.0 * np.pi * time)) + 0.002
    velocity = 0.005 * 2.0 * np.pi * np.sin(2.0 * np.pi * time)
    force = 900.0 * indentation + 20.0 * velocity
    return {"time": time, "indentation": indentation, "force": force}


def test_calibrate_takes_a_data_frame():
    columns = synthetic()
    pandas = pytest.importorskip("pandas")
    by_arrays = insonate.calibrate(columns, model="kelvin-voigt")
    by_table = insonate.calibrate(pandas.DataFrame(columns), model="kelvin-voigt")
    assert by_table == by_arrays
    assert by_table["parameters"]["stiffness"]["value"] == pytest.approx(900.0, rel=0.02)
