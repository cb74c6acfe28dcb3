"""A Ray cluster of three nodes on one machine. One node is killed while `rllib_cluster.py` trains on it.

python examples/python/local_cluster.py --kill-after 60 -- --steps 150000 --output output/rllib_cluster
"""

import argparse
import subprocess
import sys
import threading
from pathlib import Path

from ray.cluster_utils import Cluster


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kill-after", type=float, default=60.0, help="seconds after the start of the training")
    parser.add_argument("training", nargs="*", help="arguments of rllib_cluster.py, after --")
    options = parser.parse_args()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=2) for _ in range(2)]
    cluster.wait_for_nodes()
    print(f"3 nodes at {cluster.address}", flush=True)

    def kill() -> None:
        print("killing a node", flush=True)
        cluster.remove_node(nodes[0], allow_graceful=False)

    timer = threading.Timer(options.kill_after, kill)
    timer.start()
    script = Path(__file__).with_name("rllib_cluster.py")
    command = [sys.executable, str(script), "--address", cluster.address, *options.training]
    status = subprocess.run(command, check=False).returncode
    timer.cancel()
    cluster.shutdown()
    sys.exit(status)


if __name__ == "__main__":
    main()
