"""Receives a running scan like 3D Slicer, then steers the probe.

    insonate serve --openigtlink 18944 --scan --patient adult --b-mode
    python examples/python/slicer_client.py --port 18944 --save b_mode.pgm

Needs `pip install pyigtl`.
"""

import argparse
import time

import numpy as np
import pyigtl


def receive(client, seconds):
    """Counts the messages of each device for some seconds, and keeps the last one of each."""
    counts, last = {}, {}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for message in client.get_latest_messages():
            counts[message.device_name] = counts.get(message.device_name, 0) + 1
            last[message.device_name] = message
        time.sleep(0.002)
    return counts, last


def save(image, file):
    """Writes an image of one byte a pixel, shape [1, height, width], as PGM."""
    _, height, width = image.shape
    with open(file, "wb") as out:
        out.write(f"P5 {width} {height} 255\n".encode() + np.ascontiguousarray(image).tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=18944)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--save", metavar="FILE", help="write the last ultrasound image as PGM")
    arguments = parser.parse_args()

    client = pyigtl.OpenIGTLinkClient(arguments.host, arguments.port)
    if client.wait_for_message("ProbeToRAS", timeout=10) is None:
        raise SystemExit(f"nothing came from {arguments.host}:{arguments.port}: is `insonate serve` running?")

    counts, last = receive(client, arguments.seconds)
    for device, count in sorted(counts.items()):
        print(f"{device:<12} {count / arguments.seconds:6.1f} Hz")
    pose = last["ProbeToRAS"].matrix
    print("probe at", np.round(pose[:3, 3], 1), "mm (right, anterior, superior)")
    print("force   ", last["Force"].string, "(N, N m)")
    if "Camera" in last:
        print("picture ", last["Camera"].image.shape)
    if "BMode" in last:
        # Columns: a step along the array, a step along the beam, the normal, and the first pixel [mm].
        place = last["BMode"].ijk_to_world_matrix
        spacing = np.linalg.norm(place[:3, :2], axis=0)
        print("B-mode  ", last["BMode"].image.shape, np.round(spacing, 3), "mm a pixel, from", np.round(place[:3, 3], 1))
        if arguments.save:
            save(last["BMode"].image, arguments.save)

    # 30 mm off the skin and 20 mm towards the head.
    target = pose.copy()
    target[:3, 3] += [0.0, 30.0, 20.0]
    client.send_message(pyigtl.TransformMessage(target, device_name="TargetToRAS"))
    _, last = receive(client, 3.0)
    error = np.linalg.norm(last["ProbeToRAS"].matrix[:3, 3] - target[:3, 3])
    print(f"steered to within {error:.1f} mm of the target")

    # Far below the table: the server moves the target into the workspace, and reports it.
    target[:3, 3] = [0.0, -500.0, 0.0]
    client.send_message(pyigtl.TransformMessage(target, device_name="TargetToRAS"))
    end = time.monotonic() + 2.0
    while time.monotonic() < end:
        status = client.wait_for_message("Status", timeout=0.5)
        if status is not None and "workspace" in status.string:
            print("server:", status.string)
            break
    client.stop()


if __name__ == "__main__":
    main()
