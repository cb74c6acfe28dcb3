"""Learning: `train`, `evaluate` and `rollout` of policies, `demonstrate` and `imitate`, `export`.

Each function does what the command of its name does, with the same defaults, and returns the same digits.
Settings of the task are keywords with their names in ``default_settings(task)``, dotted or nested, as in `insonate.Env`.
After Ctrl-C the exception ``KeyboardInterrupt`` has what was computed until then as its attribute ``partial``.
"""

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _insonate
from ._insonate import Policy
from .progress import Progress, shown
from .results import Result, raise_stopped, table


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """Statistics of policies; the table has one row for each episode."""


@dataclass(frozen=True, eq=False)
class Rollout(Result):
    """One episode; the table has one row for each step, as ``log.csv`` of the command."""

    time: NDArray[np.float64]
    """Time at the start of each step [s], shape ``[n]``."""
    observations: NDArray[np.float32]
    """Observation at the start of each step, shape ``[n, n_obs]``."""
    actions: NDArray[np.float32]
    """Action of each step, shape ``[n, n_actions]``."""
    rewards: NDArray[np.float64]
    """Reward of each step, shape ``[n]``."""
    reward_terms: NDArray[np.float64]
    """Weighted terms of the reward, shape ``[n, n_terms]``."""
    costs: NDArray[np.float64]
    """Costs of each step, shape ``[n, n_costs]``."""

    @property
    def verdict(self) -> str | None:
        """``passed`` or ``failed``; None for tasks without a probe."""
        return self.summary.get("verdict")

    @property
    def reasons(self) -> list[str]:
        """Why the episode failed; empty if it passed."""
        return list(self.summary.get("reasons", []))


@dataclass(frozen=True, eq=False)
class Training(Result):
    """A training; the table has one row for each iteration, as ``progress.csv`` in the folder."""

    folder: Path
    """Folder with settings, checkpoint, policies, tables and the learning curve."""
    evaluations: dict[str, NDArray[Any]]
    """Evaluations during the training: one array for each column of ``evaluations.csv``, shape ``[n]``."""
    runs: "list[Training]" = field(default_factory=list)
    """The trainings of `train` with several seeds, in their order; empty with one seed."""

    def policy(self, *, best: bool = False) -> Policy:
        """The last policy, or that of the best evaluation.

        Raises:
            FileNotFoundError: if the training ended before its first policy.
            ValueError: for trainings with several seeds, which have one each in `runs`.
        """
        if self.runs:
            raise ValueError("each training of several seeds has its own policy: runs[0].policy()")
        return _insonate.load_policy(self.folder / ("best_policy.safetensors" if best else "policy.safetensors"))


@dataclass(frozen=True, eq=False)
class Imitation(Result):
    """A policy that was learnt from demonstrations; the table has the losses of each epoch."""

    folder: Path
    """Folder with the policy, the losses and the summary."""

    def policy(self) -> Policy:
        """The policy of the epoch with the least loss on the demonstrations for validation."""
        return _insonate.load_policy(self.folder / "policy.safetensors")


def evaluate(
    policy: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    task: str | None = None,
    episodes: int = 100,
    seed: int = 0,
    seeds: Sequence[int] | None = None,
    fix: Mapping[str, float] | None = None,
    envs: int = 8,
    threads: int = 0,
    progress: Progress = False,
    **settings: Any,
) -> Evaluation:
    """Runs episodes with a policy, as ``insonate evaluate`` does; several policies are compared on the same episodes.

    Args:
        policy: policy file, training folder, or ``zero``, ``random``, ``scripted``; or several.
        task: the task; may be omitted if a file names it.
        episodes: number of episodes for each seed.
        seed: seed of the first episode; episode e has ``seed + e``.
        seeds: several seeds, each with its own episodes.
        fix: random parameters that are fixed, by name, in the units of ``env.parameters``.
        envs: number of environments that step together. It does not affect the results.
        threads: number of threads; 0 uses one per core. It does not affect the results.
        progress: True shows a bar; a function is called with the share that is done and a text.
        **settings: settings of the task.

    Returns:
        Statistics with confidence intervals, and one row for each episode.

    Raises:
        ValueError: for a value out of range, or a policy that does not exist.
        SimulationError: if a simulation failed.
    """
    several = [policy] if isinstance(policy, str | PathLike) else list(policy)
    names = [_named(one) for one in several]
    if not names:
        raise ValueError("policy is missing: give a policy file, a training folder, zero, random or scripted")
    with shown(progress, "evaluating") as tell:
        summary, episodes_table, stopped = _insonate.evaluate(
            names,
            task=task,
            episodes=episodes,
            seeds=[seed] if seeds is None else list(seeds),
            fix=dict(fix or {}),
            settings=settings,
            envs=envs,
            threads=threads,
            progress=tell,
        )
    result = Evaluation(json.loads(summary), table(episodes_table))
    raise_stopped(result, stopped)
    return result


def rollout(
    policy: str | PathLike[str],
    *,
    task: str | None = None,
    seed: int = 0,
    fix: Mapping[str, float] | None = None,
    progress: Progress = False,
    **settings: Any,
) -> Rollout:
    """Runs one episode and records every step, as ``insonate rollout`` does without its files.

    Args:
        policy: policy file, training folder, or ``zero``, ``random``, ``scripted``.
        task: the task; may be omitted if a file names it.
        seed: seed of the episode.
        fix: random parameters that are fixed, by name.
        progress: True shows a bar; a function is called with the share that is done and a text.
        **settings: settings of the task.

    Returns:
        Statistics, and arrays of all steps.

    Raises:
        ValueError, SimulationError: as in `evaluate`.
    """
    with shown(progress, "rollout") as tell:
        summary, arrays, log, stopped = _insonate.rollout(
            _named(policy), task=task, seed=seed, fix=dict(fix or {}), settings=settings, progress=tell
        )
    result = Rollout(json.loads(summary), table(log), **arrays)
    raise_stopped(result, stopped)
    return result


def train(
    task: str | None = None,
    *,
    output: str | PathLike[str] = "output/train",
    algorithm: str | None = None,
    seed: int | None = None,
    seeds: Sequence[int] = (),
    steps: int | None = None,
    envs: int | None = None,
    threads: int = 0,
    resume: bool = False,
    overwrite: bool = False,
    from_policy: str | PathLike[str] | None = None,
    cost_limit: float | None = None,
    until_success: float | None = None,
    evaluate_every: int | None = None,
    evaluate_episodes: int | None = None,
    hold_out: Sequence[str] = (),
    checkpoint_every: int = 10,
    tensorboard: bool = True,
    ppo: Mapping[str, Any] | None = None,
    sac: Mapping[str, Any] | None = None,
    progress: Progress = False,
    **settings: Any,
) -> Training:
    """Trains a policy in a folder, as ``insonate train`` does.

    Args:
        task: the task; may be omitted with ``resume``.
        output: folder for settings, checkpoint, policies, tables and the learning curve.
        algorithm: ``ppo`` (default) or ``sac``.
        seed: seed of weights, exploration, minibatches and episodes [default: 1].
        seeds: several seeds, one after the other, each in a folder of its own in `output`, such as ``seed-1``.
        steps: training steps over all environments [default: depends on the task].
        envs: number of environments that step in parallel [default: depends on the task].
        threads: number of threads; 0 uses one per core. It does not affect the results.
        resume: continue from the checkpoint in ``output``, bit for bit.
        overwrite: remove the files of an earlier training in ``output``.
        from_policy: policy from which the training starts: its task, settings and network.
        cost_limit: upper limit of the mean cost of an episode (PPO-Lagrangian).
        until_success: stop at the first evaluation with at least this success rate, 0 to 1.
        evaluate_every: training steps between evaluations [default: a tenth of all].
        evaluate_episodes: number of episodes of an evaluation [default: 50].
        hold_out: names of the folders in ``scene.patients`` that are not trained on; ``patients`` of the summary has figures of all.
        checkpoint_every: iterations between checkpoints.
        tensorboard: write TensorBoard events.
        ppo, sac: settings of the algorithm by name, such as ``{"learning_rate": 1e-4}``.
        progress: True shows a bar; a function is called with the share that is done and a text.
        **settings: settings of the task.

    Returns:
        Summary, iterations and evaluations; `Training.policy` reads the policy. With `seeds` the summary is over all seeds, the tables
        have a column ``seed``, and `Training.runs` are the trainings.

    Raises:
        FileExistsError: if the folder holds another training.
        ValueError: for a name or value out of range, or settings that differ from the checkpoint's.
        KeyboardInterrupt: after Ctrl-C; all finished iterations are saved, and ``resume=True`` continues.
    """
    if resume and overwrite:
        raise ValueError("resume and overwrite exclude each other")
    if seeds and seed is not None:
        raise ValueError("seed and seeds exclude each other")
    if len(set(seeds)) < len(seeds):
        raise ValueError(f"seeds is {list(seeds)}; it must not name a seed twice")
    evaluation = _given(
        success=_float(until_success),
        stop=None if until_success is None else True,
        every=evaluate_every,
        episodes=evaluate_episodes,
    )
    folder = Path(output)
    folders: dict[int | None, Path] = {one: folder / f"seed-{one}" for one in seeds} or {seed: folder}
    runs: list[Training] = []
    handles = []
    for one, place in folders.items():
        learning = _given(seed=one, total_timesteps=steps, n_envs=envs, cost_limit=_float(cost_limit))
        with shown(progress, f"training, seed {one}" if seeds else "training") as tell:
            summary, stopped, handle = _insonate.train(
                task,
                output=fspath(place),
                algorithm=algorithm,
                start="resume" if resume else "overwrite" if overwrite else "new",
                from_policy=None if from_policy is None else _named(from_policy),
                settings=settings,
                learning=learning,
                ppo=dict(ppo or {}),
                sac=dict(sac or {}),
                evaluation=evaluation,
                hold_out=list(hold_out),
                threads=threads,
                checkpoint_every=checkpoint_every,
                tensorboard=tensorboard,
                progress=tell,
            )
        progress_table, evaluations = _read(place / "progress.csv"), _read(place / "evaluations.csv")
        runs.append(Training(json.loads(summary), progress_table, place, evaluations))
        handles.append(handle)
        raise_stopped(runs[-1], stopped)
    if not seeds:
        return runs[0]
    together = json.loads(_insonate.finish_seeds(fspath(output), handles))
    tables = [_stacked(seeds, [one.columns for one in runs]), _stacked(seeds, [one.evaluations for one in runs])]
    return Training(together, tables[0], folder, tables[1], runs)


def demonstrate(
    task: str,
    output: str | PathLike[str],
    *,
    expert: str | PathLike[str] = "scripted",
    episodes: int = 50,
    seed: int = 0,
    format: str = "lerobot",
    successes_only: bool = False,
    keep_failures: bool = False,
    recovery: int = 0,
    vary_instruction: bool = False,
    image_latency: float = 0.0,
    dropped_frames: float = 0.0,
    action_noise: float = 0.0,
    cameras: Sequence[str] = (),
    camera_size: tuple[int, int] = (128, 96),
    b_mode: bool = False,
    size: int = 320,
    lines: int = 128,
    samples: int = 512,
    imaging_depth: float | None = None,
    fix: Mapping[str, float] | None = None,
    overwrite: bool = False,
    progress: Progress = False,
    **settings: Any,
) -> dict[str, Any]:
    """Records an expert's episodes as a data set, as ``insonate demonstrate`` does.

    Args:
        task: the task.
        output: folder (``lerobot``, ``open-h``) or file (``robomimic``); a data set there is replaced.
        expert: ``scripted``, a policy file or a training folder.
        episodes: number of episodes in the data set.
        seed: seed of the first episode; the others follow.
        format: ``lerobot`` (v3.0), ``open-h`` (LeRobot v2.1 with videos) or ``robomimic`` (HDF5).
        successes_only: discard episodes that failed.
        keep_failures: record episodes that failed after the others; ``episodes`` does not count them.
        recovery: number of further episodes that begin after a random action was held for 0.1 to 0.4 s.
        vary_instruction: draw the wording of the instruction by the seed of each episode.
        image_latency: lag of the pictures behind the other numbers [s], rounded to steps.
        dropped_frames: share of pictures that are lost; a row then holds the one before.
        action_noise: standard deviation of noise on the executed but not on the recorded actions, in half ranges of the action.
        cameras: cameras to record, such as ``close`` or ``probe/camera``.
        camera_size: width and height of the pictures [pixels].
        b_mode: record the ultrasound image at each step, as the camera ``ultrasound``; for tasks with ``scene.shape="adult"`` or
            ``scene.patients``.
        size: width and height of that image [pixels].
        lines: number of its scanlines.
        samples: number of samples per scanline.
        imaging_depth: its depth [m]; None: that of the probe.
        fix: random parameters that are fixed, by name.
        overwrite: remove what another command wrote into the folder.
        progress: True shows a bar; a function is called with the share that is done and a text.
        **settings: settings of the task.

    Returns:
        Counts, success and verdicts, as the command prints them with ``--json``. A warning names episodes that are missing.

    Raises:
        ValueError: for a name or value out of range, and for options that contradict each other.
        KeyboardInterrupt: after Ctrl-C; the finished episodes are saved.
    """
    with shown(progress, "recording") as tell:
        summary, stopped = _insonate.demonstrate(
            task,
            fspath(output),
            expert=_named(expert),
            episodes=episodes,
            seed=seed,
            format=format,
            successes_only=successes_only,
            keep_failures=keep_failures,
            recovery=recovery,
            vary_instruction=vary_instruction,
            image_latency=image_latency,
            dropped_frames=dropped_frames,
            noise=action_noise,
            cameras=list(cameras),
            camera_size=camera_size,
            b_mode=(size, lines, samples, imaging_depth) if b_mode else None,
            fix=dict(fix or {}),
            settings=settings,
            overwrite=overwrite,
            progress=tell,
        )
    result: dict[str, Any] = json.loads(summary)
    raise_stopped(result, stopped)
    for it in result["missing"]:
        warnings.warn(f"only {it['kept']} of {it['wanted']} episodes of the kind {it['kind']} in {it['tried']} attempts", stacklevel=2)
    return result


def imitate(
    task: str,
    data: str | PathLike[str],
    *,
    output: str | PathLike[str] = "output/imitate",
    overwrite: bool = False,
    epochs: int = 100,
    batch_size: int = 128,
    learning_rate: float = 1e-3,
    hidden: Sequence[int] | None = None,
    convolutions: Sequence[int] = (),
    rounds: int = 0,
    episodes: int = 40,
    expert_share: float = 0.0,
    threads: int = 0,
    seed: int = 1,
    progress: Progress = False,
    **settings: Any,
) -> Imitation:
    """Trains a policy from demonstrations (behaviour cloning), as ``insonate imitate`` does.

    Args:
        task: the task.
        data: a LeRobot folder (v3.0) or a robomimic file.
        output: folder for the policy, the losses and the summary.
        overwrite: remove what another command wrote into the folder.
        epochs: number of passes over the demonstrations.
        batch_size: number of samples of a step.
        learning_rate: initial learning rate of Adam; it decays to zero.
        hidden: widths of the hidden layers [default: as in `train`].
        convolutions: channels of the convolutions over the images of observations, multiples of 16; none: pixels enter the hidden layers.
        rounds: number of rounds in which the policy acts and the task's script labels its states (DAgger).
        episodes: number of episodes in a round.
        expert_share: probability that the script acts in a step of the first round; in round r it is the r-th power.
        threads: number of threads of the rounds; 0 uses one per core.
        seed: seed of the weights, of the order of samples and of the episodes of rounds.
        progress: True shows a bar; a function is called with the share that is done and a text.
        **settings: settings of the task, over those of the recording.

    Returns:
        Losses of each epoch; `Imitation.policy` reads the policy.

    Raises:
        ValueError: for a data set of another task, or values out of range.
        KeyboardInterrupt: after Ctrl-C; the policy so far is saved.
    """
    with shown(progress, "imitating") as tell:
        summary, stopped = _insonate.imitate(
            task,
            fspath(data),
            output=fspath(output),
            overwrite=overwrite,
            epochs=epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            hidden=None if hidden is None else list(hidden),
            convolutions=list(convolutions),
            rounds=rounds,
            episodes=episodes,
            expert_share=expert_share,
            threads=threads,
            seed=seed,
            settings=settings,
            progress=tell,
        )
    folder = Path(output)
    result = Imitation(json.loads(summary), _read(folder / "losses.csv"), folder)
    raise_stopped(result, stopped)
    return result


def export(policy: str | PathLike[str], *, onnx: str | PathLike[str] | None = None) -> dict[str, Any]:
    """Writes a policy as an ONNX model, as ``insonate export`` does.

    Args:
        policy: policy file or training folder.
        onnx: file to write [default: next to the policy file, with the extension .onnx].

    Returns:
        Task, paths, size [bytes] and shapes, as the command prints them with ``--json``.

    Raises:
        ValueError: if there is no such policy.
    """
    written: dict[str, Any] = json.loads(
        _insonate.export_policy(_named(policy), None if onnx is None else fspath(onnx))
    )
    return written


def _stacked(seeds: Sequence[int], tables: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Tables below each other, with the columns that all have, and a column ``seed``."""
    rows = [len(next(iter(one.values()), [])) for one in tables]
    stacked: dict[str, NDArray[Any]] = {"seed": np.repeat(np.array(seeds, np.uint64), rows)}
    shared = [name for name in tables[0] if all(name in one for one in tables)]
    return stacked | {name: np.concatenate([one[name] for one in tables]) for name in shared}


def _named(policy: str | PathLike[str]) -> str:
    return fspath(policy)


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _read(path: Path) -> dict[str, NDArray[Any]]:
    return table(path.read_bytes()) if path.is_file() else {}
