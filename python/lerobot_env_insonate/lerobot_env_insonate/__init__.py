"""insonate's tasks as environments of LeRobot: ``lerobot-eval --env.type=insonate --env.task=find-view``.

LeRobot imports installed packages whose names begin with ``lerobot_env_``; this one registers the type ``insonate``.
"""

from dataclasses import dataclass, field
from typing import Any

import gymnasium
from insonate.lerobot import LeRobotEnv
from lerobot.configs import FeatureType, PolicyFeature
from lerobot.envs.configs import EnvConfig

TYPE = "insonate"


@EnvConfig.register_subclass(TYPE)
@dataclass
class InsonateEnv(EnvConfig):
    """A task, with the options of ``insonate demonstrate`` by which its data set was recorded.

    Args:
        task: the task.
        cameras: cameras, such as ``["close"]``.
        camera_width, camera_height: size of their pictures [pixels].
        b_mode: the ultrasound image, as the camera ``ultrasound``.
        size: width and height of that image [pixels].
        lines, samples: number of its scanlines, and of samples in each.
        imaging_depth: its depth [m]; None: that of the probe.
        picture_seed: seed of speckle and noise: the ``--seed`` of the data set.
        settings: settings of the task, such as ``{"scene.robot": "ur5e"}``.
    """

    task: str | None = "find-view"
    cameras: list[str] = field(default_factory=list)
    camera_width: int = 128
    camera_height: int = 96
    b_mode: bool = False
    size: int = 320
    lines: int = 128
    samples: int = 512
    imaging_depth: float | None = None
    picture_seed: int = 0
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        env = self.make()
        self.fps = env.metadata["render_fps"]
        self._add("action", FeatureType.ACTION, env.action_space, "action")
        for name, space in env.observation_space.spaces.items():
            if name == "pixels":
                for camera, picture in space.spaces.items():
                    self._add(f"pixels/{camera}", FeatureType.VISUAL, picture, f"observation.images.{camera}")
            else:
                policys = "observation.state" if name == "agent_pos" else f"observation.{name}"
                self._add(name, FeatureType.STATE, space, policys)
        env.close()

    def _add(self, name: str, kind: FeatureType, space: gymnasium.Space[Any], policys: str) -> None:
        self.features[name] = PolicyFeature(type=kind, shape=tuple(space.shape or ()))
        self.features_map[name] = policys

    @property
    def gym_kwargs(self) -> dict[str, Any]:
        """Keywords of `insonate.lerobot.LeRobotEnv`."""
        return {
            "cameras": self.cameras,
            "camera_size": (self.camera_width, self.camera_height),
            "b_mode": self.b_mode,
            "size": self.size,
            "lines": self.lines,
            "samples": self.samples,
            "imaging_depth": self.imaging_depth,
            "picture_seed": self.picture_seed,
            **self.settings,
        }

    def make(self) -> LeRobotEnv:
        """One environment."""
        if self.task is None:
            raise ValueError("env.task is missing; `insonate list` names the tasks")
        return LeRobotEnv(self.task, render_mode="rgb_array", **self.gym_kwargs)

    def create_envs(
        self, n_envs: int, use_async_envs: bool = False
    ) -> dict[str, dict[int, gymnasium.vector.VectorEnv[Any, Any, Any]]]:
        """Environments of the task, in this process or in processes of their own."""
        mode = gymnasium.vector.AutoresetMode.SAME_STEP
        makers = [self.make for _ in range(n_envs)]
        if use_async_envs and n_envs > 1:
            # A fork would copy locked threads.
            envs: Any = gymnasium.vector.AsyncVectorEnv(makers, context="forkserver", autoreset_mode=mode)
        else:
            envs = gymnasium.vector.SyncVectorEnv(makers, autoreset_mode=mode)
        return {TYPE: {0: envs}}


def make_env(n_envs: int = 1, use_async_envs: bool = False, cfg: InsonateEnv | None = None) -> Any:
    """Environments of a configuration, as LeRobot's factory of the same name returns them."""
    return (cfg or InsonateEnv()).create_envs(n_envs, use_async_envs)
