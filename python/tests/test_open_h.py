"""Contract: a data set of Open-H's format keeps the rules of its validator, and its features hold what their names say."""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest

CLI = os.environ.get("INSONATE_CLI")

pytestmark = [
    pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program"),
    pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="videos need the program ffmpeg"),
]

N_EPISODES = 4
ULTRASOUND = "observation.images.ultrasound"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A data set of short episodes, and the same episodes in robomimic's format."""
    folder = tmp_path_factory.mktemp("open_h")
    task = ["demonstrate", "probe-press", "--episodes", str(N_EPISODES), "--set", "env.scene.shape=adult"]
    task += ["--set", "env.time.limit=0.5", "--b-mode", "--size", "480", "--lines", "24", "--samples", "128"]
    for name, output in (("open-h", "set"), ("robomimic", "set.hdf5")):
        # Status 1: the episodes are too short for the task's verdict.
        done = subprocess.run([CLI, *task, "--format", name, "--output", folder / output], capture_output=True, text=True)
        assert "the data set was written" in done.stderr, done.stderr
    return folder


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def breaches(folder):
    """Errors and warnings of the validator: facts of open-h-embodiment/data-collection."""
    found = [f"no folder {name}" for name in ("videos", "meta", "data") if not (folder / name).is_dir()]
    files = ["info.json", "episodes.jsonl", "tasks.jsonl", "episodes_stats.jsonl", "README.md"]
    found += [f"no meta/{name}" for name in files if not (folder / "meta" / name).is_file()]
    if not list(folder.glob("data/chunk-*/episode_*.parquet")):
        found.append("no episode")
    info = json.loads((folder / "meta/info.json").read_text())
    found += [f"no {name}" for name in ("action", "observation.state") if name not in info["features"]]
    found += [f"no {name}" for name in ("robot_type", "splits", "fps") if not info.get(name)]
    if info["fps"] < 20:
        found.append(f"{info['fps']} frames a second")
    found += [f"no split {name}" for name in ("train", "val", "test") if name not in info["splits"]]
    pictures = {name: it for name, it in info["features"].items() if name.startswith("observation.images.")}
    if not pictures:
        found.append("no pictures")
    found += [f"{name} is small" for name, it in pictures.items() if min(it["shape"][:2]) < 480]
    readme = (folder / "meta/README.md").read_text().lower()
    words = ["synchronization", "dataset description", "collection procedure", "robot", "sensor"]
    return found + [f"README has no {word}" for word in words if word not in readme]


def test_it_keeps_the_rules(recorded):
    folder = recorded / "set"
    assert breaches(folder) == []
    info = json.loads((folder / "meta/info.json").read_text())
    episodes = lines(folder / "meta/episodes.jsonl")
    assert [it["episode_index"] for it in episodes] == list(range(N_EPISODES))
    assert sum(it["length"] for it in episodes) == info["total_frames"]
    assert info["total_videos"] == N_EPISODES
    ranges = [list(map(int, info["splits"][name].split(":"))) for name in ("train", "val", "test")]
    assert ranges == [[0, 2], [2, 3], [3, 4]]


def test_columns_are_the_features(recorded):
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = recorded / "set"
    info = json.loads((folder / "meta/info.json").read_text())
    stats = lines(folder / "meta/episodes_stats.jsonl")
    first = 0
    for episode, it in enumerate(lines(folder / "meta/episodes.jsonl")):
        table = parquet.read_table(folder / f"data/chunk-000/episode_{episode:06}.parquet")
        assert table.num_rows == it["length"]
        columns = {name for name, feature in info["features"].items() if feature["dtype"] != "video"}
        assert set(table.column_names) == columns
        rows = {name: np.array(table[name].to_pylist()) for name in columns}
        for name in columns:
            width = info["features"][name]["shape"][0]
            assert rows[name].shape == ((it["length"],) if width == 1 else (it["length"], width)), name
        assert (rows["index"] == first + rows["frame_index"]).all()
        np.testing.assert_allclose(rows["timestamp"], rows["frame_index"] / info["fps"], atol=1e-6)
        assert rows["observation.meta.probe_type"][0].endswith("convex")
        for name, own in stats[episode]["stats"].items():
            if name.startswith("observation.images."):
                continue
            values = rows[name].astype(float).reshape(it["length"], -1)
            np.testing.assert_allclose(own["mean"], values.mean(0), atol=1e-5)
            np.testing.assert_allclose(own["std"], values.std(0), atol=1e-5)
            np.testing.assert_allclose(own["max"], values.max(0), atol=1e-6)
        first += it["length"]


def test_an_action_is_the_pose_that_is_reached(recorded):
    parquet = pytest.importorskip("pyarrow.parquet")
    h5py = pytest.importorskip("h5py")
    transform = pytest.importorskip("scipy.spatial.transform")
    base = json.loads((recorded / "set/meta/insonate.json").read_text())["rig"]["base_position"]
    with h5py.File(recorded / "set.hdf5") as file:
        for episode in range(N_EPISODES):
            table = parquet.read_table(recorded / f"set/data/chunk-000/episode_{episode:06}.parquet")
            actions = np.array(table["action"].to_pylist())
            poses = file[f"data/demo_{episode}/next_obs/probe_pose"][:]
            np.testing.assert_allclose(actions[:, :3], poses[:, :3] - base, atol=1e-5)
            ours = transform.Rotation.from_euler("xyz", actions[:, 3:])
            theirs = transform.Rotation.from_quat(poses[:, [4, 5, 6, 3]])
            assert (ours.inv() * theirs).magnitude().max() < 1e-3
            force = np.array(table["observation.meta.force_torque"].to_pylist())
            np.testing.assert_array_equal(force, file[f"data/demo_{episode}/obs/probe_wrench"][:])


def test_videos_have_a_frame_for_each_row(recorded):
    av = pytest.importorskip("av")
    h5py = pytest.importorskip("h5py")
    with h5py.File(recorded / "set.hdf5") as file:
        for episode, it in enumerate(lines(recorded / "set/meta/episodes.jsonl")):
            path = recorded / f"set/videos/chunk-000/{ULTRASOUND}/episode_{episode:06}.mp4"
            with av.open(str(path)) as video:
                frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
            assert len(frames) == it["length"] and frames[0].shape == (480, 480, 3)
            wanted = file[f"data/demo_{episode}/obs/ultrasound_image"][-1]
            # The encoder rounds.
            assert np.abs(frames[-1].astype(int) - wanted).mean() < 4
