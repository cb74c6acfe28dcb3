"""Writes the recordings of this folder: pip install rosbags h5py numpy, then python make.py.

Synthetic: z = 0.12 − 0.004 sin²(πt) m, force along z = 3 + 2 sin(2πt) N; wrenches at 100 Hz, poses at 80 Hz and 3 ms later.
"""

import shutil
from pathlib import Path

import h5py
import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

HERE = Path(__file__).parent
START = 1_700_000_000_000_000_000
store = get_typestore(Stores.ROS2_HUMBLE)
types = store.types


def height(t):
    return 0.12 - 0.004 * np.sin(np.pi * t) ** 2


def force(t):
    return 3.0 + 2.0 * np.sin(2 * np.pi * t)


def header(ns):
    stamp = types["builtin_interfaces/msg/Time"](sec=ns // 10**9, nanosec=ns % 10**9)
    return types["std_msgs/msg/Header"](stamp=stamp, frame_id="probe")


def vector(kind, x, y, z):
    return types[f"geometry_msgs/msg/{kind}"](x=float(x), y=float(y), z=float(z))


def wrench(t, ns):
    inner = types["geometry_msgs/msg/Wrench"](force=vector("Vector3", 0.1, -0.2, force(t)), torque=vector("Vector3", 0, 0, 0.01))
    return types["geometry_msgs/msg/WrenchStamped"](header=header(ns), wrench=inner)


def pose(t, ns):
    turn = types["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=0.0, w=1.0)
    inner = types["geometry_msgs/msg/Pose"](position=vector("Point", 0.4, 0.1, height(t)), orientation=turn)
    return types["geometry_msgs/msg/PoseStamped"](header=header(ns), pose=inner)


def joints(t, ns):
    return types["sensor_msgs/msg/JointState"](
        header=header(ns),
        name=["a", "b", "c"],
        position=np.array([t, 0.0, 1.0]),
        velocity=np.array([1.0, 0.0, 0.0]),
        effort=np.array([0.0, 0.0, force(t)]),
    )


def bag(plugin, ending):
    folder = HERE / "bag"
    with Writer(folder, version=9, storage_plugin=plugin) as writer:
        for topic, make, interval, offset in [
            ("/ft_sensor/wrench", wrench, 10_000_000, 0),
            ("/probe/pose", pose, 12_500_000, 3_000_000),
            ("/joint_states", joints, 20_000_000, 0),
        ]:
            name = {wrench: "geometry_msgs/msg/WrenchStamped", pose: "geometry_msgs/msg/PoseStamped", joints: "sensor_msgs/msg/JointState"}[make]
            connection = writer.add_connection(topic, name, typestore=store)
            for ns in range(offset, 1_500_000_000, interval):
                # Recorded a little late, as recorders do.
                data = store.serialize_cdr(make(ns * 1e-9, START + ns), name)
                writer.write(connection, START + ns + 700_000, data)
    shutil.move(next(folder.glob(f"*.{ending}")), HERE / f"palpation.{ending}")
    shutil.rmtree(folder)


def demonstrations():
    with h5py.File(HERE / "palpation.h5", "w") as file:
        for number in (0, 3):
            t = np.arange(100) / 100 + number
            group = file.create_group(f"data/demo_{number}")
            group["obs/tcp_pos"] = np.stack([0 * t + 0.4, 0 * t + 0.1, height(t)], 1)
            group.create_dataset("obs/force", data=np.stack([0 * t, 0 * t, force(t)], 1).astype("f4"), compression="gzip")
            group["actions"] = np.zeros((100, 7))
            group["obs/image"] = np.zeros((100, 2, 2, 3), "u1")


bag(StoragePlugin.SQLITE3, "db3")
bag(StoragePlugin.MCAP, "mcap")
demonstrations()
