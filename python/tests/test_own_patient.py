"""Contract: patients that `insonate patient make` wrote are in scenes, images, environments and trainings."""

import copy
import pickle

import numpy as np
import pytest

import insonate
from conftest import EDGE

QUICK = {"time.limit": 0.2}


def test_a_scene_has_the_trunk_of_its_patient(patients):
    man, woman = (insonate.Scene(patient=folder) for folder in patients)
    heights = [scene.skin(0.0, -0.1)[0][2] for scene in (man, woman)]
    assert abs(heights[0] - heights[1]) > 0.003
    # The trunk is as high above the table as the skin of the labels.
    phantom = insonate.Phantom.patient(patients[0])
    site = phantom.site
    (_, _, face), _ = phantom.probe_pose(site, indentation=0.0)
    table = man.skin(*site)[0][2] - face
    (_, _, other), _ = phantom.probe_pose((0.0, -0.1), indentation=0.0)
    assert man.skin(0.0, -0.1)[0][2] - other == pytest.approx(table, abs=1.5 * EDGE)
    again = pickle.loads(pickle.dumps(man))
    assert again.to_xml() == man.to_xml() and copy.deepcopy(man) is man


def test_ribs_are_felt_and_the_softness_changes_with_them(patients):
    physics = insonate.Physics(insonate.Scene(patient=patients[0]))

    def felt(physics, site):
        """Force per depth between 6 and 16 N."""
        physics.reset()
        physics.place(*physics.pose_on_skin(*site, 0.002))
        heights = []
        for force in (6.0, 16.0):
            physics.control_force(*physics.pose_on_skin(*site), force)
            physics.step(1000)
            heights.append(physics.read("probe_position")[2])
        return 10.0 / (heights[0] - heights[1])

    belly, rib = (0.0, -0.12), (0.0, 0.15)
    assert 1.3 < felt(physics, rib) / felt(physics, belly) < 3.0
    # Another softness has the same ribs, as if the scene had been made with it.
    physics.set_softness(1000.0, 20.0)
    other = insonate.Physics(insonate.Scene(patient=patients[0], stiffness=1000.0, damping=20.0))
    for site in (belly, rib):
        assert felt(physics, site) == pytest.approx(felt(other, site), rel=1e-6)


def test_images_show_the_labels_of_the_patient(patients):
    phantom = insonate.Phantom.patient(str(patients[0]))
    assert "liver" in phantom.materials and repr(phantom) == "Phantom(patient)"
    size = {"lines": 32, "samples": 240, "size": 64, "imaging_depth": 0.12}
    still = insonate.image(phantom=phantom, **size)
    number = {name: key for key, name in still.legend.items()}["liver"]
    assert np.any(still.labels == number)
    scene = insonate.Scene(patient=patients[0])
    assert np.array_equal(insonate.image(phantom=insonate.Phantom.of_scene(scene), **size).b_mode, still.b_mode)
    pressed = insonate.image(scene=scene, force=5.0, **size)
    assert pressed.summary["verdict"] == "passed" and 4.0 < pressed.summary["force_n"] < 6.0
    assert np.any(pressed.labels == number)
    # A running scene is imaged with the patient that lies there.
    physics = insonate.Physics(scene)
    physics.place(*physics.pose_on_skin(*phantom.site, 0.002))
    physics.control_force(*physics.pose_on_skin(*phantom.site), 6.0)
    physics.step(600)
    scanner = insonate.Scanner(lines=32, samples=240, depth=0.12, size=64)
    running = scanner.frame(physics)
    assert np.array_equal(running.b_mode, scanner.frame(physics, phantom=phantom).b_mode)
    assert np.any(running.labels == number)


def test_environments_take_patients(patients):
    folders = [str(folder) for folder in patients]
    envs = insonate.VectorEnv("probe-press", 4, scene={"patients": folders}, **QUICK)
    envs.reset(seed=0)
    drawn = set()
    for _ in range(24):
        _, _, _, _, infos = envs.step(envs.scripted_action())
        if "parameters" in infos:
            drawn |= set(np.asarray(infos["parameters"]["organs.seed"])[infos["_parameters"]].tolist())
    assert drawn == {0.0, 1.0}
    env = insonate.Env("image-quality", **{"scene.patients": folders[:1], **QUICK})
    observation, _ = env.reset(seed=1)
    assert all(np.isfinite(np.asarray(entry, float)).all() for entry in observation.values())


def test_patients_are_held_out_by_name(patients, tmp_path):
    folders = [str(folder) for folder in patients]
    quick = {"steps": 128, "envs": 2, "evaluate_episodes": 2, "tensorboard": False}
    ppo = {"n_steps": 32, "n_minibatches": 2, "update_epochs": 1}
    settings = {"scene.patients": folders, **QUICK}
    done = insonate.train("probe-press", output=tmp_path / "sweep", hold_out=["zoe"], ppo=ppo, **quick, **settings)
    told = [(own["name"], own["seen"], own["episodes"]) for own in done.summary["patients"]]
    assert told == [("adam", True, 2), ("zoe", False, 2)]
    result = insonate.evaluate(tmp_path / "sweep", episodes=3, **{"scene.patients": folders[1:]})
    told = [(own["name"], own["seen"], own["episodes"]) for own in result.summary["patients"]]
    assert told == [("zoe", False, 3)]
    with pytest.raises(ValueError, match="zoey.*zoe"):
        insonate.train("probe-press", output=tmp_path / "none", hold_out=["zoey"], **quick, **settings)
    with pytest.raises(ValueError, match=r"in scene\.patients"):
        insonate.train("probe-press", output=tmp_path / "none", hold_out=["zoe"], **quick)


def test_errors_name_the_folder_and_the_reason(patients, tmp_path):
    empty = tmp_path / "nobody"
    empty.mkdir()
    for make in (lambda: insonate.Scene(patient=empty), lambda: insonate.Phantom.patient(empty)):
        with pytest.raises(ValueError, match=r"nobody has no patient\.toml.*patient make"):
            make()
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "patient.toml").write_text("format = ")
    with pytest.raises(ValueError, match=r"broken.*patient\.toml"):
        insonate.Scene(patient=broken)
    with pytest.raises(ValueError, match=r"adult, or a folder"):
        insonate.Scene(patient="adlut")
    with pytest.raises(ValueError, match="shape"):
        insonate.Scene(patient=patients[0], shape="box")
    with pytest.raises(ValueError, match="torso"):
        insonate.Scene(patient=patients[0], torso=None)
    with pytest.raises(ValueError, match="adam has its own"):
        insonate.Scene(patient=patients[0], patient_height=1.8)
    with pytest.raises(ValueError, match="nobody.*patient.toml"):
        insonate.Env("probe-press", **{"scene.patients": [str(empty)]})
