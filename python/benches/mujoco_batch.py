"""Steps per second of `mujoco.batch`, MuJoCo's own vector of simulations, as a yardstick for `insonate bench env`.

python python/benches/mujoco_batch.py reacher --substeps 2 --envs 16 --threads 2

Needs `mujoco` 3.17 or later and, for models of its own, Gymnasium, in any environment; insonate is not used. Each round steps all simulations with random controls,
which are constant for the substeps of a control step, and simulations begin again after --episode control steps. Medians over rounds are
printed as JSON.
"""

import argparse
import importlib.util
import json
import statistics
import time
from pathlib import Path

import mujoco
import numpy as np
from mujoco.batch import Batch


def path_of(model: str) -> str:
    """The file of a model."""
    if Path(model).suffix:
        return model
    package = importlib.util.find_spec("gymnasium")
    if package is None or package.origin is None:
        raise SystemExit(f"{model} is a model of Gymnasium: pip install gymnasium")
    return str(Path(package.origin).parent / f"envs/mujoco/assets/{model}.xml")


def main() -> None:
    """Prints the rates."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("model", help="MJCF file, or a model of Gymnasium: reacher")
    parser.add_argument("--substeps", type=int, default=1, help="physics steps in a control step")
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=50, help="control steps in a round")
    parser.add_argument("--episode", type=int, default=50, help="control steps in an episode")
    parser.add_argument("--rounds", type=int, default=60)
    args = parser.parse_args()
    model = mujoco.MjModel.from_xml_path(path_of(args.model))
    batch = Batch(model, nsim=args.envs, nthread=args.threads)
    qpos, qvel, ctrl = (batch.bind(name) for name in ("qpos", "qvel", "ctrl"))
    start = qpos.copy(), qvel.copy()
    low, high = model.actuator_ctrlrange.T
    rng = np.random.default_rng(0)
    actions = rng.uniform(low, high, (args.steps, args.envs, model.nu))
    walls, n_done = [], 0
    for _ in range(args.rounds):
        began = time.perf_counter()
        for action in actions:
            ctrl[:] = action
            batch.step(nstep=args.substeps)
            n_done += 1
            if n_done % args.episode == 0:
                qpos[:], qvel[:] = start
        walls.append(time.perf_counter() - began)
    seconds = statistics.median(walls)
    n_steps = args.steps * args.envs
    print(
        json.dumps(
            {
                "mujoco": mujoco.__version__,
                "n_envs": args.envs,
                "n_threads": args.threads,
                "env_steps_per_second": n_steps / seconds,
                "physics_steps_per_second": n_steps * args.substeps / seconds,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
