"""Robotic ultrasound on MuJoCo: soft-contact environments, scenes, physics, calibration, tissue, continuum robots.

Importing the package registers every task with Gymnasium::

    import gymnasium, insonate
    env = gymnasium.make("insonate/ProbeSweep-v0")
    envs = gymnasium.make_vec("insonate/ProbeSweep-v0", num_envs=16)

SI units and radians; quaternions are ``[w, x, y, z]``.
"""

from . import continuum, psm, tissue, ultrasound
from . import library as _library
from ._insonate import (
    ClosedError,
    Error,
    OrderError,
    Physics,
    PhysicsBatch,
    Policy,
    Scene,
    SimulationError,
    __version__,
    default_settings,
    laws,
    load_policy,
    parts,
    tasks,
)
from .calibration import Calibration, calibrate
from .check import check_vector_env
from .env import Env
from .experiments import Recording, Run, Stress, palpate, press, scan
from .export import save_policy
from .learning import Evaluation, Imitation, Rollout, Training, demonstrate, evaluate, export, imitate, rollout, train
from .own_task import ProbeTask, register_task
from .registration import env_id, register_all
from .results import Result
from .study import Study, study
from .task_state import TaskRandom, TaskState
from .ultrasound import Image, Phantom, Scanner, image
from .vector_env import VectorEnv

__all__ = [
    "Calibration",
    "ClosedError",
    "Env",
    "Error",
    "Evaluation",
    "Image",
    "Imitation",
    "OrderError",
    "Phantom",
    "Physics",
    "PhysicsBatch",
    "Policy",
    "ProbeTask",
    "Recording",
    "Result",
    "Rollout",
    "Run",
    "Scanner",
    "Scene",
    "SimulationError",
    "Stress",
    "Study",
    "TaskRandom",
    "TaskState",
    "Training",
    "VectorEnv",
    "__version__",
    "calibrate",
    "check_vector_env",
    "continuum",
    "default_settings",
    "demonstrate",
    "env_id",
    "evaluate",
    "export",
    "image",
    "imitate",
    "laws",
    "load_policy",
    "palpate",
    "parts",
    "press",
    "psm",
    "register_task",
    "rollout",
    "save_policy",
    "scan",
    "study",
    "tasks",
    "tissue",
    "train",
    "ultrasound",
]

_library.find()
register_all()
