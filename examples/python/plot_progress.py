"""Success rates over steps, from the progress files of the learners in this folder and of `insonate train`.

pip install matplotlib pandas
python examples/python/plot_progress.py --output curves.png "SB3=output/sb3/progress.csv" "insonate train=output/sweep/evaluations.csv"
"""

import argparse

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd

matplotlib.use("Agg")

STEPS = ("steps", "time/total_timesteps", "global_step")
SUCCESS = ("success_rate", "rollout/success_rate", "success")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True)
    parser.add_argument("--mark", type=float, action="append", default=[], help="a step to mark, such as a node's end")
    parser.add_argument("curves", nargs="+", metavar="NAME=FILE")
    options = parser.parse_args()
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for curve in options.curves:
        name, _, file = curve.partition("=")
        table = pd.read_csv(file)
        steps, success = (next(c for c in known if c in table) for known in (STEPS, SUCCESS))
        axes.plot(table[steps] / 1000, 100 * table[success], label=name)
    for mark in options.mark:
        axes.axvline(mark / 1000, color="black", linestyle=":", label="node killed")
    axes.axhline(95, color="gray", linewidth=0.8, linestyle="--")
    axes.set(xlabel="steps of all environments [thousand]", ylabel="success [%]", ylim=(0, 102))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(options.output, dpi=120)


if __name__ == "__main__":
    main()
