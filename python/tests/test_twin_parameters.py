"""Contract: parameters of scenes, recordings, calibrations, trainings and images give the digits of the command's options."""

import copy
import json
import math
import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import insonate

CLI = os.environ.get("INSONATE_CLI")
needs_cli = pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")
LOGS = sorted((Path(__file__).resolve().parents[2] / "data/palpation-sim").glob("*.csv"))


def command(*arguments):
    """What a command prints."""
    done = subprocess.run([CLI, *map(str, arguments)], capture_output=True, check=False, text=True)
    assert done.stdout, done.stderr
    return done.stdout


def figures(*arguments):
    return json.loads(command(*arguments, "--json"))


@pytest.fixture(scope="module")
def calibration():
    return insonate.calibrate(LOGS, bootstrap=50, seed=2)


@pytest.fixture
def softness(calibration, tmp_path):
    file = tmp_path / "softness.toml"
    file.write_text(calibration.softness)
    return file


@needs_cli
@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        (["--patient", "adult", "--patient-seed", "4"], {"patient": "adult", "patient_seed": 4}),
        (
            ["--patient", "adult", "--patient-seed", "4", "--patient-sex", "male", "--patient-mass", "80"],
            {"shape": "adult", "patient_seed": 4, "patient_sex": "male", "patient_mass": 80.0},
        ),
        (["--material", "qiba-5kpa", "--torso", "flex"], {"material": "qiba-5kpa", "torso": "flex"}),
    ],
    ids=["seed", "seed-and-mass", "material"],
)
def test_scenes_have_the_words_of_the_command(options, keywords):
    assert insonate.Scene(**keywords).to_xml() == command("scene", *options)


@needs_cli
def test_a_scene_takes_a_softness_file(softness):
    scene = insonate.Scene("ur5e", softness=softness)
    assert scene.to_xml() == command("scene", "--robot", "ur5e", "--softness", softness)
    assert len(scene.notes) == 1 and "pooled softness" in scene.notes[0]
    # Copies hold the file.
    softness.unlink()
    for other in (pickle.loads(pickle.dumps(scene)), copy.deepcopy(scene)):
        assert other.to_xml() == scene.to_xml() and other.notes == scene.notes
    physics = insonate.Physics(scene)
    state = physics.save()
    physics.step(3)
    insonate.Physics(pickle.loads(pickle.dumps(scene))).restore(state)


def test_a_scene_says_what_steps_its_torso():
    assert "torso_device" in insonate.Scene(torso="xpbd", device="gpu").to_xml()
    assert "torso_device" not in insonate.Scene(torso="xpbd", device="cpu").to_xml()
    with pytest.raises(ValueError, match="torsos on a GPU: mpm, xpbd"):
        insonate.Scene(torso="fast", device="gpu")
    with pytest.raises(ValueError, match="tpu"):
        insonate.Scene(torso="xpbd", device="tpu")


def test_words_of_a_scene_that_exclude_each_other_are_refused(softness):
    with pytest.raises(ValueError, match="one of stiffness or damping and softness"):
        insonate.Scene(softness=softness, stiffness=900.0)
    with pytest.raises(ValueError, match="softness needs a torso"):
        insonate.Scene(torso=None, softness=softness)
    with pytest.raises(ValueError, match="map_origin need a softness file"):
        insonate.Scene(map_origin=(0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="patient_seed"):
        insonate.Scene(patient_seed=1)
    with pytest.raises(ValueError, match="leave out one of them"):
        insonate.Scene(patient="adult", shape="human")
    with pytest.raises(ValueError, match="qiba-5kpa"):
        insonate.Scene(material="qiba-5")
    with pytest.raises(FileNotFoundError):
        insonate.Scene(softness="missing.toml")
    softness.write_text("format = 1\n[scene\n")
    with pytest.raises(ValueError, match="softness.toml"):
        insonate.Scene(softness=softness)


@needs_cli
def test_calibrations_of_several_logs(calibration, tmp_path):
    theirs = figures(
        "calibrate", *LOGS, "--bootstrap", "50", "--seed", "2", "--no-simulation", "--output", tmp_path
    )
    assert calibration.summary == theirs
    assert calibration.softness == (tmp_path / "softness.toml").read_text()
    assert calibration.no_softness is None
    table = calibration.to_pandas()
    stiffness = table[table.parameter == "stiffness"]
    assert list(stiffness.value) == [log["parameters"]["stiffness"]["value"] for log in theirs["logs"]]
    assert calibration.html.startswith("<!") and "palpation-sim" in calibration.html
    with pytest.raises(FileExistsError):
        insonate.calibrate(LOGS[:1], output=other_folder(tmp_path))


def other_folder(path):
    """A folder of another command."""
    folder = path / "other"
    command("press", "--depth", "0.005", "--speed", "0.2", "--hold", "0", "--no-pictures", "--output", folder, "--json")
    return folder


@needs_cli
def test_options_of_a_calibration(tmp_path):
    options = ["--model", "hunt-crossley", "--exponents", "1.4,0.6", "--fit-offset", "--loss", "huber", "--window", "0.8,3"]
    options += ["--bias", "0.1", "--velocity", "estimated:21:3"]
    theirs = figures("calibrate", LOGS[0], *options, "--no-simulation", "--output", tmp_path)["logs"][0]
    ours = insonate.calibrate(
        LOGS[0],
        model="hunt-crossley",
        exponents=(1.4, 0.6),
        fit_offset=True,
        loss="huber",
        window=(0.8, 3.0),
        bias=0.1,
        velocity="estimated:21:3",
    )
    assert ours["window"] == tuple(theirs["window_s"]) and ours["force_bias"] == theirs["force_bias_n"] == 0.1
    for name, found in theirs["parameters"].items():
        assert ours["parameters"][name]["value"] == found["value"]
        assert list(ours["parameters"][name]["ci95"]) == found["ci95"]
    with pytest.raises(ValueError, match="loss is .absolute.*squares, huber, tukey"):
        insonate.calibrate(LOGS[0], loss="absolute")
    with pytest.raises(ValueError, match="argument .offset"):
        insonate.calibrate(LOGS[0], offset=True)
    with pytest.raises(ValueError, match="exponents"):
        insonate.calibrate(LOGS[0], exponents=(1.5, 0.5))
    with pytest.raises(ValueError, match="list"):
        insonate.calibrate(LOGS[0], output=tmp_path)
    with pytest.raises(ValueError, match="empty"):
        insonate.calibrate([])


@needs_cli
def test_a_map_of_several_sites(tmp_path):
    places = {log.stem: (0.03 * (index % 3), 0.04 * (index // 3)) for index, log in enumerate(LOGS)}
    table = tmp_path / "places.csv"
    rows = (f"{name},{x},{y}" for name, (x, y) in places.items())
    table.write_text("\n".join(["log,x,y", *rows]))
    options = ["--map", "--places", table, "--no-simulation", "--output", tmp_path / "calibration"]
    theirs = figures("calibrate", *LOGS, *options)
    ours = insonate.calibrate(LOGS, map=True, places=places)
    assert ours.summary == theirs
    assert ours.summary["map"]["stiffness"]["sites"][1]["place"][:2] == [0.03, 0.0]
    assert ours.softness == (tmp_path / "calibration/softness.toml").read_text()
    with pytest.raises(ValueError, match="places: has no place of centre"):
        insonate.calibrate(LOGS, map=True, places={"elsewhere": (0.0, 0.0)})
    with pytest.raises(ValueError, match=r"places\['centre'\] is \(0.0,\)"):
        insonate.calibrate(LOGS, map=True, places={"centre": (0.0,)})
    with pytest.raises(ValueError, match="list of logs"):
        insonate.calibrate(LOGS[0], map=True)
    with pytest.raises(ValueError, match="give map=True"):
        insonate.calibrate(LOGS, places=places)


@needs_cli
def test_recordings_for_a_calibration(tmp_path):
    options = ["--stiffness", "900", "--noise", "thesis", "--seed", "3", "--depth", "0.006", "--rate", "250"]
    theirs = figures("press", "--sites", "5", *options, "--no-pictures", "--output", tmp_path / "theirs")
    recording = insonate.palpate(insonate.Scene(stiffness=900.0), noise="thesis", seed=3, depth=0.006, rate=250.0)
    assert recording.summary == theirs
    recording.write(tmp_path / "ours")
    for name, text in recording.csv.items():
        assert text == (tmp_path / "theirs" / f"{name}.csv").read_text()
        assert text == (tmp_path / "ours" / f"{name}.csv").read_text()
    files = [tmp_path / "theirs" / f"{name}.csv" for name in recording.logs]
    by_files = insonate.calibrate(files)
    by_arrays = insonate.calibrate(list(recording.logs.values()))
    assert by_arrays.summary["pooled"] == by_files.summary["pooled"]
    assert list(recording.columns["site"]) == list(recording.logs)

    keys = {"force": 0.05, "bias": (-1.0, 0.5), "lateral-bias": 0.0}
    options = ["--noise", "force=0.05,bias=-1:0.5,lateral-bias=0", "--site", "0.01,0.02", "--sine", "0.002,3,2"]
    theirs = figures("press", "--sites", "1", *options, "--no-pictures", "--output", tmp_path / "one")
    one = insonate.palpate(insonate.Scene(), noise=keys, site=(0.01, 0.02), sine=(0.002, 3.0, 2.0))
    assert one.summary == theirs and one.verdict == "passed"
    with pytest.raises(ValueError, match="there is no noise"):
        insonate.palpate(insonate.Scene(), noise={"hum": 1.0})


@needs_cli
def test_random_sites_are_those_of_the_command(tmp_path):
    options = ["--depth", "0.004", "--speed", "0.1", "--hold", "0", "--no-pictures", "--output", tmp_path]
    theirs = figures("press", "--seed", "9", *options)
    ours = insonate.press(insonate.Scene(), seed=9, depth=0.004, speed=0.1, hold=0.0)
    times = {"steps_per_second"}
    assert {k: v for k, v in ours.summary.items() if k not in times} == {
        k: v for k, v in theirs.items() if k not in times
    }
    scene = insonate.Scene()
    assert scene.random_site(9) == scene.random_site(9, 0) != scene.random_site(9, 1)


@needs_cli
def test_a_training_with_several_seeds(tmp_path):
    options = ["--steps", "2048", "--envs", "4", "--evaluate-episodes", "2", "--no-tensorboard"]
    theirs = figures("train", "pendulum", "--seeds", "5,3", *options, "--output", tmp_path / "theirs")
    ours = insonate.train(
        "pendulum",
        output=tmp_path / "ours",
        seeds=[5, 3],
        steps=2048,
        envs=4,
        evaluate_episodes=2,
        tensorboard=False,
    )
    times = {"train_s", "evaluation_s", "wall_s", "frames_per_second"}
    for mine, other in zip(ours.summary.pop("runs"), theirs.pop("runs"), strict=True):
        assert {k: v for k, v in mine.items() if k not in times} == {k: v for k, v in other.items() if k not in times}
    assert ours.summary == theirs
    for seed, run in zip((5, 3), ours.runs, strict=True):
        assert run.summary["seed"] == seed
        mine, other = (tmp_path / whose / f"seed-{seed}/policy.safetensors" for whose in ("ours", "theirs"))
        assert mine.read_bytes() == other.read_bytes()
    rows = [len(run.columns["global_step"]) for run in ours.runs]
    assert list(ours.columns["seed"]) == [5] * rows[0] + [3] * rows[1]
    assert (tmp_path / "ours/learning_curve.svg").is_file()
    with pytest.raises(ValueError, match="runs"):
        ours.policy()
    with pytest.raises(ValueError, match="twice"):
        insonate.train("pendulum", output=tmp_path / "twice", seeds=[1, 1])


SIZE = {"lines": 64, "samples": 256, "size": 96}
SCANNER = {
    "transmit_frequency": 6e6,
    "transmit_cycles": 2,
    "focus": [0.012, 0.03],
    "transmit_f_number": 3.0,
    "receive_f_number": 2.0,
    "views": 3,
    "view_angle": math.radians(12),
    "gain": -3.0,
    "tgc": {0.01: 0.0, 0.03: 4.0},
    "dynamic_range": 70.0,
    "receiver_noise": -65.0,
}
SCANNER_LINE = ["--transmit-frequency", 6e6, "--transmit-cycles", 2, "--focus", "0.012,0.03", "--transmit-f-number", 3, "--receive-f-number", 2, "--views", 3]
SCANNER_LINE += ["--view-angle", 12, "--gain", -3, "--tgc", "0.01=0,0.03=4", "--dynamic-range", 70, "--receiver-noise", -65]
ARRAY = {"elements": 96, "pitch": 0.3e-3, "radius": 0.04, "frequency": 5e6, "bandwidth": 0.7, "elevation": 0.008, "elevation-focus": 0.03}
LINE = [word for name, value in SIZE.items() for word in (f"--{name}", value)]


@needs_cli
@pytest.mark.parametrize(
    ("options", "keywords", "figure"),
    [
        (["--phantom", "points", "--depths", "0.03,0.05"], {"phantom": "points", "depths": [0.03, 0.05]}, "point_targets"),
        (["--phantom", "points", "--depths", "0.03", "--alpha", "0.5"], {"phantom": "points", "depths": [0.03], "alpha": 0.5}, "point_targets"),
        (["--phantom", "points", "--probe", "l12-5"], {"phantom": "points", "probe": "l12-5"}, "point_targets"),
        (["--phantom", "speckle"], {"phantom": "speckle"}, "log_sd_db"),
        (["--phantom", "attenuation", "--alpha", "0.7"], {"phantom": "attenuation", "alpha": 0.7}, "slope_db_per_cm_mhz"),
        (["--lesion", "hypo:0.01", "--lesion", "cyst"], {"lesions": ["hypo:0.01", "cyst"]}, "lesions"),
        (
            ["--phantom", "rod", "--radius", "0.004", "--depth", "0.015"],
            {"phantom": "rod", "radius": 0.004, "depth": 0.015},
            "shadow_db",
        ),
        (["--phantom", "rod", "--probe", "l12-5", "--depths", "0.03"], {"phantom": "rod", "probe": "l12-5", "depths": [0.03]}, "shadow_db"),
        (
            ["--phantom", "neck", "--probe", "l12-5", "--lesion", "hyper:0.001"],
            {"phantom": "neck", "probe": "l12-5", "lesions": ["hyper:0.001"]},
            "lesions",
        ),
        (["--phantom", "cysts", "--lesion", "hyper:0.004"], {"phantom": "cysts", "lesions": ["hyper:0.004"]}, "lesions"),
        (
            ["--phantom", "neck", "--probe", "l12-5", *SCANNER_LINE],
            {"phantom": "neck", "probe": "l12-5", **SCANNER},
            "settings",
        ),
        (
            ["--phantom", "points", "--array", ",".join(f"{name}={value}" for name, value in ARRAY.items())],
            {"phantom": "points", "array": ARRAY},
            "point_targets",
        ),
    ],
    ids=["points", "points-alpha", "points-l12-5", "speckle", "attenuation", "lesions", "rod", "rod-depths", "neck", "block", "scanner", "array"],
)
def test_figures_and_lesions_of_images(options, keywords, figure):
    theirs = figures("image", *options, *LINE)
    ours = insonate.image(**keywords, **SIZE)
    other = {"seconds_per_frame", "device", "site_m"}
    assert ours.summary == {name: value for name, value in theirs.items() if name not in other}
    assert ours.summary[figure]


def test_an_organ_of_a_mesh_is_imaged():
    liver = insonate.Phantom.adult()
    scanner = insonate.Scanner(**SIZE)
    pose = liver.probe_pose()
    plain = scanner.frame(liver, pose)
    # An octahedron below the probe's face.
    position, (w, x, y, z) = pose
    down = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    corners = np.array(position) + 0.05 * down + 0.012 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
    sides = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
    ill = scanner.frame(liver.with_mesh(corners, sides, "spleen"), pose)
    number = next(number for number, name in ill.legend.items() if name == "spleen")
    assert (ill.beam_labels == number).sum() > (plain.beam_labels == number).sum()
    with pytest.raises(ValueError, match="closed"):
        liver.with_mesh(corners, sides[:-1], "spleen")
    with pytest.raises(ValueError, match="splen"):
        liver.with_mesh(corners, sides, "splen")


def test_words_of_images_without_effect_are_refused():
    with pytest.raises(ValueError, match="depths"):
        insonate.image(depths=[0.02], **SIZE)
    with pytest.raises(ValueError, match="alpha"):
        insonate.image(phantom="speckle", alpha=0.7, **SIZE)
    with pytest.raises(ValueError, match="radius"):
        insonate.image(phantom="points", radius=0.002, **SIZE)
    with pytest.raises(ValueError, match="tgc"):
        insonate.image(phantom="speckle", tgc=[0, 3], **SIZE)
    with pytest.raises(ValueError, match="views"):
        insonate.image(phantom="neck", probe="l12-5", views=3, iq=True, **SIZE)
    with pytest.raises(ValueError, match="array"):
        insonate.image(array=ARRAY, probe="l12-5", **SIZE)


def test_settings_of_a_scanner_act_as_they_say():
    block = insonate.Phantom.block("cysts", probe="l12-5", depth=0.04)

    def frame(**settings):
        return insonate.Scanner("l12-5", depth=0.04, **SIZE, **settings).frame(block, confidence=False)

    usual = frame()
    grey = usual.b_mode.astype(float)
    inside = (grey > 60) & (grey < 190)
    # The range of 60 dB is 255 greys.
    louder = frame(gain=6)
    assert np.abs((louder.b_mode - grey)[inside] - 25.5).max() <= 1
    assert (louder.envelope == usual.envelope).all()
    share = grey / 255
    curved = frame(grey_map="s-curve").b_mode
    assert np.abs(curved - 255 * (3 * share**2 - 2 * share**3))[inside].max() <= 2
    added = frame(tgc=[0, 8]).envelope - usual.envelope
    depths = np.arange(SIZE["samples"]) / SIZE["samples"]
    assert np.abs(added - 8 * depths).max() < 0.01
    assert frame(views=3).envelope[:, 60:].std() < usual.envelope[:, 60:].std()
    for wrong in ({"transmit_frequency": 1e6}, {"grey_map": "x"}, {"views": 4}, {"tgc": [99]}, {"view_angle": 0.1}):
        with pytest.raises(ValueError):
            frame(**wrong)
    with pytest.raises(ValueError, match="linear"):
        insonate.Scanner("c5-2", views=3)


@pytest.mark.parametrize("cls", [insonate.Phantom, insonate.psm.Psm, insonate.Scene, insonate.Physics, insonate.Policy])
def test_compiled_classes_explain_themselves(cls):
    public = [getattr(cls, name) for name in dir(cls) if not name.startswith("_")]
    assert cls.__doc__ and all(member.__doc__ for member in public)
    assert cls is not insonate.Phantom or "wxyz" in cls.probe_pose.__doc__
    assert cls is not insonate.psm.Psm or "Jacobian" not in cls.tool_jacobian.__doc__ or "[rad/s]" in cls.tool_jacobian.__doc__


def test_compiled_objects_say_what_they_are():
    assert repr(insonate.psm.Psm()).startswith("Psm(")
    assert repr(insonate.Phantom.adult()) == "Phantom(adult)"
    assert repr(insonate.Phantom.adult().with_lesions(["cyst"], 1)) == "Phantom(adult, lesions=1)"
