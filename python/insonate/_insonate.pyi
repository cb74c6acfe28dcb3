"""Types of the compiled module."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__version__: str

class Error(Exception):
    """Base class of insonate's errors."""

class SimulationError(Error):
    """A scene cannot be compiled or drawn, or a simulation failed."""

class OrderError(Error):
    """A call out of order: a step before the first reset, calls from two threads at once, or a call after a fork."""

class ClosedError(OrderError):
    """A call after `close`."""

def set_library(file: str | Path) -> None:
    """Sets the path of libmujoco, which is loaded when the first scene is compiled."""

def run_command(arguments: list[str]) -> int:
    """Runs the command line with the arguments after the program's name; returns its exit status."""

def press(
    scene: Scene,
    *,
    site: tuple[float, float],
    depth: float,
    speed: float,
    hold: float,
    max_force: float,
    limits: list[str],
    picture_size: tuple[int, int] | None,
    progress: Callable[[float, str], object] | None,
) -> tuple[
    dict[str, NDArray[np.float64]],
    list[str],
    str,
    list[str],
    dict[str, NDArray[np.uint8]],
    NDArray[np.float64] | None,
    dict[str, NDArray[np.float64]] | None,
    BaseException | None,
]:
    """Use `insonate.press` instead."""

def scan(
    scene: Scene,
    *,
    start: tuple[float, float],
    end: tuple[float, float],
    force: float,
    speed: float,
    max_force: float,
    limits: list[str],
    picture_size: tuple[int, int] | None,
    progress: Callable[[float, str], object] | None,
) -> tuple[
    dict[str, NDArray[np.float64]],
    list[str],
    str,
    list[str],
    dict[str, NDArray[np.uint8]],
    NDArray[np.float64] | None,
    dict[str, NDArray[np.float64]] | None,
    BaseException | None,
]:
    """Use `insonate.scan` instead."""

def palpate(
    scene: Scene,
    *,
    site: tuple[float, float] | None,
    depth: float,
    speed: float,
    hold: float,
    max_force: float,
    noise: str,
    rate: float,
    sine: tuple[float, float, float] | None,
    seed: int,
    limits: list[str],
    progress: Callable[[float, str], object] | None,
) -> tuple[list[tuple[str, dict[str, NDArray[np.float64]], str]], str, BaseException | None]:
    """Use `insonate.palpate` instead."""

def evaluate(
    policies: list[str],
    *,
    task: str | None,
    episodes: int,
    seeds: list[int],
    fix: dict[str, float],
    settings: dict[str, Any],
    envs: int,
    threads: int,
    progress: Callable[[float, str], object] | None,
) -> tuple[str, bytes, BaseException | None]:
    """Use `insonate.evaluate` instead."""

def rollout(
    policy: str,
    *,
    task: str | None,
    seed: int,
    fix: dict[str, float],
    settings: dict[str, Any],
    progress: Callable[[float, str], object] | None,
) -> tuple[str, dict[str, NDArray[Any]], bytes, BaseException | None]:
    """Use `insonate.rollout` instead."""

def train(
    task: str | None,
    *,
    output: str,
    algorithm: str | None,
    start: str,
    from_policy: str | None,
    settings: dict[str, Any],
    learning: dict[str, Any],
    ppo: dict[str, Any],
    sac: dict[str, Any],
    evaluation: dict[str, Any],
    hold_out: list[str],
    threads: int,
    checkpoint_every: int,
    tensorboard: bool,
    progress: Callable[[float, str], object] | None,
) -> tuple[str, BaseException | None, TrainedRun]:
    """Use `insonate.train` instead."""

class TrainedRun:
    """A training that was run, for `finish_seeds`."""

def finish_seeds(output: str, runs: list[TrainedRun]) -> str:
    """Use `insonate.train` instead."""

def demonstrate(
    task: str,
    output: str,
    *,
    expert: str,
    episodes: int,
    seed: int,
    format: str,
    successes_only: bool,
    keep_failures: bool,
    recovery: int,
    vary_instruction: bool,
    image_latency: float,
    dropped_frames: float,
    noise: float,
    cameras: list[str],
    camera_size: tuple[int, int],
    b_mode: tuple[int, int, int, float | None] | None,
    fix: dict[str, float],
    settings: dict[str, Any],
    overwrite: bool,
    progress: Callable[[float, str], object] | None,
) -> tuple[str, BaseException | None]:
    """Use `insonate.demonstrate` instead."""

def imitate(
    task: str,
    data: str,
    *,
    output: str,
    overwrite: bool,
    epochs: int,
    batch_size: int,
    learning_rate: float,
    hidden: list[int] | None,
    convolutions: list[int],
    rounds: int,
    episodes: int,
    expert_share: float,
    threads: int,
    seed: int,
    settings: dict[str, Any],
    progress: Callable[[float, str], object] | None,
) -> tuple[str, BaseException | None]:
    """Use `insonate.imitate` instead."""

def export_policy(policy: str, onnx: str | None) -> str:
    """Use `insonate.export` instead."""

def study(
    logs: list[str],
    *,
    held_out: list[str],
    truth: tuple[float, float] | None,
    words: list[str],
    torso: list[str],
    task: str,
    steps: int,
    train_seed: int,
    episodes: int,
    threads: int,
    start: str,
    output: str,
    robot: dict[str, Any],
    patient: dict[str, Any],
    progress: Callable[[float, str], object] | None,
) -> tuple[str, str]:
    """Use `insonate.study` instead."""

class Phantom:
    """What is imaged, in its rest shape. Its frame: x to the patient's left, y towards the head, z to the front."""

    @staticmethod
    def adult(
        seed: int = 0, *, sex: str | None = None, height: float | None = None, mass: float | None = None
    ) -> Phantom:
        """The trunk of an adult with synthetic organs.

        Args:
            seed: seed of the organs.
            sex: ``female`` or ``male``.
            height: height [m].
            mass: mass [kg].
        """

    @staticmethod
    def of_scene(scene: Scene, seed: int = 0) -> Phantom:
        """The patient of a scene: a made patient, or one of the shape ``adult`` with synthetic organs of a seed."""

    @staticmethod
    def patient(folder: str | Path) -> Phantom:
        """A patient that ``insonate patient make`` wrote, in the frame of its torso.

        Args:
            folder: the patient's folder.

        Raises:
            ValueError: for a folder without a patient, or one that cannot be read.
        """

    @staticmethod
    def neck(seed: int = 0) -> Phantom:
        """The front of a neck: thyroid, trachea and vessels of a seed."""

    @staticmethod
    def labels(
        file: str | Path,
        materials: str | Path,
        *,
        body: str | Path | None = None,
        site: tuple[float, float] | None = None,
        depth: float = 0.15,
    ) -> Phantom:
        """A label volume: NIfTI, NRRD or MetaImage.

        Args:
            file: the volume. Of more than 512³ voxels, only those within ``depth`` [m] and 60 mm of the ``site`` [m] are kept.
            materials: TOML table that says what each label is.
            body: a mask of the body.

        Raises:
            ValueError: for a file that cannot be read, or a label without a material.
        """

    @staticmethod
    def block(
        name: str,
        *,
        probe: str = "c5-2",
        depth: float | None = None,
        depths: Sequence[float] | None = None,
        alpha: float | None = None,
        radius: float | None = None,
        top: float | None = None,
    ) -> Phantom:
        """A test block: ``points``, ``speckle``, ``attenuation``, ``rod``, ``cysts`` or ``layers``.

        Args:
            name: which block.
            probe: transducer for which it is made.
            depth: depth of the picture for which it is made [m] [default: that of the probe].
            depths: depths of the points, or of levels in the rod's shadow [m].
            alpha: attenuation of ``attenuation`` [default: 0.5] or ``points`` [default: 0] [dB/(cm MHz)].
            radius: radius of the rod [m] [default: 0.002].
            top: depth of the rod's top below the face [m] [default: 0.01].
        """

    def probe_pose(
        self,
        site: tuple[float, float] | None = None,
        *,
        rotation: float | None = None,
        indentation: float | None = None,
    ) -> tuple[list[float], list[float]]:
        """Position [m] and quaternion wxyz of a probe's face on the skin.

        Args:
            site: left of the middle, towards the head [m] [default: over liver and gallbladder; in front of the
                liver of a made patient; the middle of other phantoms].
            rotation: turn of the probe about its axis [rad] [default: a right angle, along the body; 0 on the neck].
            indentation: depth of the face in the skin [m] [default: 0.013; 0.004 on the neck].

        Raises:
            ValueError: for a site next to the body, or an indentation out of range.
        """

    def with_lesions(self, lesions: Sequence[str], seed: int = 0) -> Phantom:
        """The phantom with lesions at places of a seed: in the liver, the neck's thyroid, or the tissue of a block.

        Args:
            lesions: ``cyst``, ``hypo`` or ``hyper`` (6 dB less or more), with a radius [m] unless it is of 8 mm: ``hypo:0.01``.
            seed: seed of the places.

        Raises:
            ValueError: for an unknown kind, a radius out of range, or lesions that do not fit.
        """

    def with_mesh(self, vertices: NDArray[np.float64], triangles: NDArray[np.integer[Any]], material: str) -> Phantom:
        """The phantom with an organ of a closed mesh in its frame.

        Args:
            vertices: corners [m], shape ``[n, 3]``.
            triangles: indices of the corners of each triangle, outward by the right-hand rule, shape ``[m, 3]``.
            material: its material, such as ``spleen``.

        Raises:
            ValueError: for a surface that is not closed, or an unknown material.
        """

    @property
    def site(self) -> tuple[float, float]:
        """The default site of `probe_pose`, left of the middle and towards the head [m]."""

    @property
    def materials(self) -> list[str]:
        """Names of the materials by their labels."""

class PressedTorso:
    """The tissue of a torso that a robot pressed, and the pose of the probe."""

class Scanner:
    """Use `insonate.ultrasound.Scanner` instead."""

    def __new__(
        cls,
        probe: str = "c5-2",
        *,
        lines: int = 256,
        samples: int = 1024,
        depth: float | None = None,
        size: int = 768,
        seed: int = 0,
        bare: bool = False,
        controls: dict[str, Any] | None = None,
    ) -> Self: ...
    def frame_of_phantom(
        self,
        phantom: Phantom,
        position: Sequence[float] | NDArray[np.float64],
        quaternion: Sequence[float] | NDArray[np.float64],
        *,
        index: int,
        with_confidence: bool,
        with_iq: bool,
        with_measure: bool = False,
    ) -> dict[str, Any]: ...
    def frame_of_physics(
        self, physics: Physics, phantom: Phantom | None, *, index: int, with_confidence: bool, with_iq: bool
    ) -> dict[str, Any]: ...
    def frame_of_pressed(
        self, pressed: PressedTorso, phantom: Phantom, *, index: int, with_confidence: bool, with_iq: bool
    ) -> dict[str, Any]: ...
    @property
    def probe(self) -> str: ...
    @property
    def depth(self) -> float: ...

def hold_probe(
    scene: Scene,
    *,
    site: tuple[float, float],
    rotation: float,
    force: float,
    max_force: float,
    limits: list[str],
    progress: Callable[[float, str], object] | None,
) -> tuple[str, PressedTorso]:
    """Use `insonate.ultrasound.image` instead."""

class Psm:
    """Equations of the da Vinci PSM with identified parameters.

    Joint positions ``q`` are yaw, pitch, insertion, roll, wrist pitch, jaw a, jaw b in rad, the insertion in m; shape ``[7]``.
    The base frame has z up, and the yaw axis along -y through its origin (Wang et al. 2019).
    """

    def __new__(cls) -> Self: ...
    def tool_pose(self, q: Sequence[float] | NDArray[np.float64]) -> tuple[list[float], list[float]]:
        """Position [m] and quaternion wxyz of the tool in the base frame, at the tips of the closed jaws, z distal."""

    def forward_kinematics(self, q: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Poses of all link frames in the base frame as matrices, shape ``[n_links, 4, 4]``; index 0 is the base."""

    def inverse_kinematics(
        self,
        position: Sequence[float] | NDArray[np.float64],
        quaternion: Sequence[float] | NDArray[np.float64],
        *,
        jaw_opening: float = 0.0,
    ) -> NDArray[np.float64]:
        """Joint positions, shape ``[7]``, for a pose of the tool in the base frame; the inverse of `tool_pose`.

        Args:
            position: position of the tool [m].
            quaternion: rotation of the tool, wxyz.
            jaw_opening: angle between the jaws [rad].

        Raises:
            ValueError: if the wrist's yaw axis points at the remote centre, so that the joints are not determined.
        """

    def tool_jacobian(self, q: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Velocity [m/s] and angular velocity [rad/s] of the tool per joint velocity, shape ``[6, 7]``, in the base frame."""

    def inverse_dynamics(
        self,
        q: Sequence[float] | NDArray[np.float64],
        dq: Sequence[float] | NDArray[np.float64],
        ddq: Sequence[float] | NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Joint torques [N·m, N] for accelerations ``ddq``, shape ``[7]``: bodies, gravity, friction, motor inertia and spring."""

    def mass_matrix(self, q: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Mass matrix with motor inertias, shape ``[7, 7]``, in kg·m², kg·m and kg."""

    def coriolis(
        self, q: Sequence[float] | NDArray[np.float64], dq: Sequence[float] | NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Coriolis matrix C for which the rate of the mass matrix minus 2 C is skew, shape ``[7, 7]``."""

    def gravity_torque(self, q: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Torques that hold the arm against gravity and the roll spring [N·m, N], shape ``[7]``."""

    def friction(self, dq: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Torques of Coulomb, viscous and constant friction [N·m, N], shape ``[7]``."""

    @property
    def remote_centre(self) -> list[float]:
        """Position of the remote centre of motion in the base frame [m]."""

def psm_track(
    *,
    trajectory: str,
    controller: str,
    counterweight: bool,
    instrument: str,
    duration: float | None,
    progress: Callable[[float, str], object] | None,
) -> tuple[str, dict[str, NDArray[np.float64]], BaseException | None]:
    """Use `insonate.psm.track` instead."""

def psm_palpate(
    scene: Scene,
    *,
    depth: float,
    press_rate: float,
    sweep: float,
    duration: float,
    progress: Callable[[float, str], object] | None,
) -> tuple[str, dict[str, NDArray[np.float64]], BaseException | None]:
    """Use `insonate.psm.palpate` instead."""

def psm_identify(
    train: str,
    *,
    test: str | None,
    payload: str | None,
    rate: float | None,
    payload_rate: float | None,
    angles: str,
    lengths: str,
    torques: str,
    coordinates: str,
    method: str,
    cutoff: float | None,
) -> tuple[str, str]:
    """Use `insonate.psm.identify` instead."""

def register_task(
    name: str,
    summary: str,
    make: Callable[..., Any],
    *,
    observation: list[tuple[str, float, float]],
    terms: list[str],
    costs: list[str],
    metrics: list[str],
    has_script: bool,
    defaults: dict[str, Any],
    ppo: dict[str, Any],
    sac: dict[str, Any],
) -> None:
    """Use `insonate.register_task` instead."""

def tasks() -> list[tuple[str, str]]:
    """Names and summaries of all tasks."""

def default_settings(task: str) -> dict[str, Any]:
    """Settings of a task with their defaults, in SI units.

    Raises:
        ValueError: for an unknown task.
    """

def load_policy(path: str | Path) -> Policy:
    """Reads a policy file, the policy in a training folder, or a trained policy of the package by its name.

    Args:
        path: a path, or ``cube-push`` or ``probe-sweep``. A path that exists comes first.

    Raises:
        FileNotFoundError, ValueError: for a missing file, or an incomplete policy.
    """

def write_policy(
    path: str | Path,
    environments: Environments,
    layers: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]],
    activation: str,
    moments: tuple[list[float], list[float], float] | None,
    seed: int,
    n_trained_steps: int,
) -> None:
    """Writes a policy that was trained elsewhere. Use `insonate.save_policy` instead."""

def calibrate(
    logs: list[Any],
    words: list[str],
    *,
    robot: Scene | None,
    fit_scene: Scene | None,
    map: bool,
    places: dict[str, tuple[float, float, float]] | None,
    with_report: bool,
    output: str | None,
    overwrite: bool,
    progress: Callable[[float, str], object] | None,
) -> tuple[str, str, str | None, list[dict[str, Any]], str | None, BaseException | None]:
    """Use `insonate.calibrate` instead."""

def laws() -> list[tuple[str, str]]:
    """Names and summaries of the laws that `calibrate` supports."""

def parts() -> list[tuple[str, list[str]]]:
    """Names of the available ``robots``, ``probes``, ``torsos`` and ``shapes``."""

@final
class Scene:
    """A robot with a probe above a torso, with the same options as the command line.

    Args:
        robot, probe, torso, shape: names from `parts`; a `torso` of None leaves the torso out.
        stiffness: stiffness of the tissue [N/m]. damping: damping of the tissue [N·s/m].
        breathing_rate: breaths per second [Hz]; 0: no breathing. breathing_amplitude: rise of the chest [m].
        count: lattice points across, through and along the patient. spacing: distance between neighbours [m]. Without both,
            the lattice of ``fast`` is fine enough that the probe does not fall into it, and the probe feels the given stiffness
            and damping. With either, stiffness and damping are ``solref`` of MuJoCo's constraints, as in the thesis (Jakobsen 2021).
        timestep: length of a physics step [s].
        robot_position: position of the base in world [m].
        lattice: ``probe`` or ``thesis``, in place of `count` and `spacing`.
        patient_sex, patient_height, patient_mass: the patient of the shape ``adult``: ``female`` or ``male``, [m], [kg].
        robot_file: a robot of your own, an MJCF or URDF file, in place of `robot`; `flange` is the body, site or link that carries
            the probe, `robot_root` a folder that the file may read from, `package` a list of ``NAME=DIR``, and `without_tool` removes
            bodies next to the flange. `robot_sha256` is the checksum that the robot must have; copies of a scene have it.
        patient: ``adult``, which is another word for ``shape="adult"``, or the folder of a patient that ``insonate patient make`` wrote:
            its trunk becomes the torso, and pickles of the scene read it again. patient_seed: seed for what is not given of sex, height and mass.
        material: stiffness and damping of a known material, such as ``qiba-5kpa``.
        softness: a softness file of `calibrate`: stiffness and damping, from the entry for this torso if there is one, and its map over
            the skin, unless `pooled`. `map_origin` is the origin of the frame of its logs in the world [m]. Copies and pickles of the
            scene hold the file as `softness_text`.
        device: what steps the torso: ``cpu``, or ``gpu`` for ``mpm`` and ``xpbd``. None: the processor.

    Raises:
        ValueError: for an unknown name or a value out of range.
    """

    def __new__(
        cls,
        robot: str = "panda",
        probe: str = "c5-2",
        torso: str | None = "fast",
        *,
        shape: str | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        breathing_rate: float = 0.0,
        breathing_amplitude: float = 0.008,
        count: tuple[int, int, int] | None = None,
        spacing: float | None = None,
        timestep: float = 0.002,
        robot_position: tuple[float, float, float] | None = None,
        lattice: str | None = None,
        patient_sex: str | None = None,
        patient_height: float | None = None,
        patient_mass: float | None = None,
        robot_file: str | Path | None = None,
        flange: str | None = None,
        robot_root: str | Path | None = None,
        package: list[str] | None = None,
        without_tool: bool = False,
        robot_sha256: str | None = None,
        patient: str | Path | None = None,
        patient_seed: int | None = None,
        material: str | None = None,
        softness: str | Path | None = None,
        softness_text: str | None = None,
        pooled: bool = False,
        map_origin: tuple[float, float, float] | None = None,
        device: str | None = None,
    ) -> Self: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str, str, str | None], dict[str, Any]]:
        """The arguments of the constructor, for ``pickle``."""

    @property
    def name(self) -> str:
        """Name, such as ``panda_c5-2_fast``."""

    @property
    def notes(self) -> list[str]:
        """Which entry of the softness file the torso has taken, and how it differs from the torso that was tuned."""

    def random_site(self, seed: int, index: int = 0) -> tuple[float, float]:
        """A random site in the torso's frame [m], within half of its width and length; seed and number of the site determine it."""

    @property
    def timestep(self) -> float:
        """Length of a physics step [s]."""

    def to_xml(self) -> str:
        """The scene as a standalone MJCF file, for `mujoco.MjModel.from_xml_string`.

        A step of `fast` takes 0.4 to 1.1 s in MuJoCo itself (1504 degrees of freedom, one core), because only `Physics` has the
        solver for its particles. Use ``torso="flex"`` there, with about 1 ms a step.
        """

    def skin(self, x: float, y: float) -> tuple[list[float], list[float]]:
        """Position [m] and outward normal of the skin above ``(x, y)`` [m] of the torso's frame, in the world frame."""

@final
class Physics:
    """A running scene, with a controller that acts before each step."""

    def __new__(cls, scene: Scene) -> Self: ...
    @property
    def time(self) -> float:
        """Simulated time [s]."""

    @property
    def timestep(self) -> float:
        """Length of a step [s]."""

    @property
    def qpos(self) -> NDArray[np.float64]:
        """Copy of MuJoCo's generalised positions, shape ``[nq]``. Setting them moves neither the torso's points nor its tissue."""

    @qpos.setter
    def qpos(self, positions: NDArray[np.float64]) -> None: ...
    @property
    def qvel(self) -> NDArray[np.float64]:
        """Copy of MuJoCo's generalised velocities, shape ``[nv]``, which can be set."""

    @qvel.setter
    def qvel(self, velocities: NDArray[np.float64]) -> None: ...

    @property
    def ctrl(self) -> NDArray[np.float64]:
        """Copy of the motor torques [N·m], shape ``[nu]``. Setting them disables the controller."""

    @ctrl.setter
    def ctrl(self, torques: NDArray[np.float64]) -> None: ...
    def set_softness(self, stiffness: float, damping: float) -> None:
        """Gives the torso another stiffness [N/m] and damping [N·s/m] without compiling; it keeps them after `reset`.

        The points of ``fast`` stay where they are; tissue (``elastic``, ``mpm``, ``xpbd``) returns to rest.

        Raises:
            ValueError: for numbers out of range, without a torso, or if the scene has a softness file.
            SimulationError: for ``flex`` and ``composite``, whose softness is compiled.
        """

    def reset(self) -> None:
        """Resets to the home pose at time 0, without a controller and with the force sensor's first zero."""

    def save(self) -> bytes:
        """The state as bytes, from which `restore` goes on with the same bits: the commands since the last reset.

        Raises:
            OrderError: after more than 200 000 commands since the last reset; steps in a row are one command.
        """

    def restore(self, state: bytes) -> None:
        """Goes back to a saved state of the same scene, by repeating its commands. This takes as long as its steps took.

        Raises:
            ValueError: for bytes that are no such state; the physics is as it was.
            SimulationError: if the repetition differs, as on another machine; the physics is as it was.
        """

    def step(self, n: int = 1) -> None:
        """Runs `n` steps. Ctrl-C interrupts between steps.

        Raises:
            SimulationError: if the simulation diverges.
        """

    @staticmethod
    def quantities() -> list[tuple[str, str, str, str]]:
        """Quantities that `read` supports: name, unit, shape and description."""

    def read(self, name: str) -> NDArray[np.float64]:
        """Value of a quantity in row-major order, SI units; empty if the scene does not have it."""

    def pose_on_skin(
        self, x: float, y: float, lift: float = 0.0
    ) -> tuple[list[float], list[float]]:
        """Position [m] and quaternion wxyz of the probe's face at `lift` [m] above the skin, facing it."""

    def place(self, position: Sequence[float], quaternion: Sequence[float]) -> None:
        """Places the arm at rest with the probe's face at a pose in the world frame, and zeroes the force sensor.

        Raises:
            SimulationError: if the pose is out of the arm's reach.
        """

    def control_pose(
        self, position: Sequence[float], quaternion: Sequence[float], stiffness: float | None = None
    ) -> None:
        """Holds the probe's face at a pose in the world frame; stiffness per unit of task inertia [1/s²]."""

    def control_force(
        self, position: Sequence[float], quaternion: Sequence[float], force: float
    ) -> None:
        """Presses with a force [N] along the probe's axis, and holds the pose in the other directions."""

    def particles(self) -> NDArray[np.float64] | None:
        """Positions of the torso's particles in the world frame [m], shape ``[n, 3]``; None without a torso."""

@final
class PhysicsBatch:
    """Copies of one scene that step together on several threads, without the interpreter's lock.

    Each copy does the same, to the bit, as a `Physics` with the same commands, for any number of threads. An argument is one value for
    all copies, or has a first axis of length ``n`` with one value for each. If a command fails for some copies, the others have carried
    it out, and the exception names the first that failed.
    """

    def __new__(cls, scene: Scene, n: int, *, n_threads: int = 0) -> Self:
        """`n` copies at rest; `n_threads` 0: one for each core."""

    def __len__(self) -> int: ...
    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time of each copy [s], shape ``[n]``."""

    @property
    def timestep(self) -> float:
        """Length of a step [s]."""

    @property
    def qpos(self) -> NDArray[np.float64]:
        """Copy of MuJoCo's generalised positions, shape ``[n, nq]``; see `Physics.qpos`."""

    @qpos.setter
    def qpos(self, positions: ArrayLike) -> None: ...
    @property
    def qvel(self) -> NDArray[np.float64]:
        """Copy of MuJoCo's generalised velocities, shape ``[n, nv]``, which can be set."""

    @qvel.setter
    def qvel(self, velocities: ArrayLike) -> None: ...
    @property
    def ctrl(self) -> NDArray[np.float64]:
        """Copy of the motor torques [N·m], shape ``[n, nu]``. Setting them disables the controllers."""

    @ctrl.setter
    def ctrl(self, torques: ArrayLike) -> None: ...
    def set_softness(self, stiffness: ArrayLike, damping: ArrayLike) -> None:
        """Gives the torsos other stiffnesses [N/m] and dampings [N·s/m]; see `Physics.set_softness`."""

    def reset(self) -> None:
        """Resets all copies; see `Physics.reset`."""

    def save(self) -> list[bytes]:
        """The state of each copy as bytes, which `Physics.restore` reads too; see `Physics.save`."""

    def restore(self, states: bytes | Sequence[bytes]) -> None:
        """Goes back to one saved state with all copies, or to one with each, also to states of a `Physics`.

        The states' commands are repeated on all threads. Ctrl-C does not interrupt this.

        Raises:
            ValueError: for bytes that are no states of this scene, or another number of states; the copies are as they were.
            SimulationError: if a repetition differs; the copies are as they were.
        """

    def step(self, n: int = 1) -> None:
        """Runs `n` steps of each copy. Ctrl-C interrupts between steps.

        Raises:
            SimulationError: if a simulation diverges.
        """

    def read(self, name: str) -> NDArray[np.float64]:
        """Value of a quantity of `Physics.quantities` for each copy, shape ``[n, size]``, SI units."""

    def place(self, position: ArrayLike, quaternion: ArrayLike) -> None:
        """Places the arms at rest with the probes' faces at poses in the world frame; see `Physics.place`."""

    def control_pose(
        self, position: ArrayLike, quaternion: ArrayLike, stiffness: float | None = None
    ) -> None:
        """Holds the probes' faces at poses in the world frame; see `Physics.control_pose`."""

    def control_force(
        self, position: ArrayLike, quaternion: ArrayLike, force: ArrayLike
    ) -> None:
        """Presses with forces [N] along the probes' axes; see `Physics.control_force`."""

@final
class Policy:
    """A deterministic policy: the mean action, clipped to its bounds."""

    task: str
    """Task of the training, such as ``probe-sweep``."""
    n_trained_steps: int
    """Number of training steps, summed over all environments."""
    observation_names: list[str]
    """Names of the observations, with units, shape ``[n_obs]``."""
    action_names: list[str]
    """Names of the actions, with units, shape ``[n_actions]``."""
    observation_frames: list[str]
    """Frame of each observation, such as ``world``; empty if it has no frame or the file does not say. Shape ``[n_obs]``."""
    observation_filters: list[str]
    """Filter of each observation; empty for the value at the end of the control step. Shape ``[n_obs]``."""

    def __new__(cls, content: bytes) -> Self:
        """The policy in the content of a policy file."""

    def to_bytes(self) -> bytes:
        """The content of the policy's file."""

    def to_onnx(self) -> bytes:
        """The policy as an ONNX model: ``observation`` ``[batch, n_obs]`` to ``action`` ``[batch, n_actions]``."""

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the training environments."""

    def __call__(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        """Actions, shape ``[n_actions]`` or ``[n, n_actions]``, for observations of shape ``[n_obs]`` or ``[n, n_obs]``.

        Raises:
            ValueError, TypeError: for a wrong shape or dtype, or values that are not finite.
        """

class Environments:
    """Vectorised environments of a task; the base of `Env` and `VectorEnv`."""

    def __new__(
        cls,
        task: str,
        n_envs: int,
        settings: dict[str, Any],
        autoreset: str,
        n_threads: int,
        max_episode_steps: int | None = None,
    ) -> Self: ...
    @property
    def task(self) -> str:
        """Name of the task."""

    @property
    def settings(self) -> dict[str, Any]:
        """All settings with their values."""

    @property
    def observation_bounds(self) -> tuple[list[str], NDArray[np.float32], NDArray[np.float32]]:
        """Names with units, lower bounds and upper bounds of an observation, shape ``[n_obs]`` each."""

    @property
    def action_bounds(self) -> tuple[list[str], NDArray[np.float32], NDArray[np.float32]]:
        """Names with units, lower bounds and upper bounds of an action, shape ``[n_actions]`` each."""

    @property
    def observation_names(self) -> list[str]:
        """Names of the observation's entries, with units."""

    @property
    def observation_groups(self) -> list[tuple[str, list[int], str, str, int]]:
        """Groups of the observation's entries, from the first to the last: name, shape, unit (empty: in the names of the entries), kind
        (``state``, ``image`` or ``depth``) and age in the stack of observations (0: newest)."""

    @property
    def action_names(self) -> list[str]:
        """Names of the action's entries, with units."""

    @property
    def control_timestep(self) -> float:
        """Simulated time of one step [s]."""

    @property
    def max_episode_steps(self) -> int | None:
        """Number of steps after which an episode is truncated."""

    @property
    def parameter_names(self) -> list[str]:
        """Names of the randomised parameters, with units."""

    @property
    def n_threads(self) -> int:
        """Number of threads that step, including the caller's thread."""

    @property
    def is_closed(self) -> bool:
        """Whether the environments are closed."""

    def snapshot(self, has_seed: bool) -> bytes:
        """The state as bytes; `has_seed` says whether the next reset goes on with the streams of seeds."""

    def resume(self, state: bytes) -> tuple[bool, NDArray[np.float32]]:
        """Goes back to a state. Returns `has_seed` and all observations, shape ``[n_envs, n_obs]``."""

    def begin(
        self,
        seeds: Sequence[int | None],
        parameters: Mapping[str, float],
        mask: Sequence[bool] | None = None,
    ) -> NDArray[np.float32]:
        """Resets the environments where `mask` is true. Returns all observations, shape ``[n_envs, n_obs]``."""

    def begin_episode(
        self, env_idx: int, episode_seed: int, parameters: Mapping[str, float]
    ) -> NDArray[np.float32]:
        """Starts a given episode in one environment. Returns all observations, shape ``[n_envs, n_obs]``."""

    def step(
        self, actions: ArrayLike
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Steps all environments. Returns observations ``[n_envs, n_obs]``, rewards, terminated and truncated
        ``[n_envs]``, infos.

        Args:
            actions: real numbers of any type and memory order, shape ``[n_envs, n_actions]``, within their bounds; a value that
                rounding left one unit in the last place outside is clipped.

        Raises:
            ValueError, TypeError: for invalid actions; no environment has moved then.
            OrderError: if an environment must be reset first.
        """

    def step_alone(
        self, action: ArrayLike
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Steps a single environment."""

    @property
    def reward_terms(self) -> dict[str, NDArray[np.float32]]:
        """Weighted reward terms of the last step by name, shape ``[n_envs]`` each."""

    @property
    def parameters(self) -> dict[str, NDArray[np.float64]]:
        """Randomised parameters of the current episodes by name, shape ``[n_envs]`` each; SI units."""

    def scripted_action(self) -> NDArray[np.float32] | None:
        """Actions of the task's scripted policy, shape ``[n_envs, n_actions]``; None if the task has no scripted policy."""

    @property
    def is_drawable(self) -> bool:
        """Whether there is a scene with a camera to render."""

    def draw(
        self, env_idx: int, camera: str | None, width: int, height: int
    ) -> NDArray[np.uint8] | None:
        """Renders one environment, shape ``[height, width, 3]``; None without a scene."""

    def shut(self) -> None:
        """Stops the threads. Every later call except `close` raises `ClosedError`."""

@final
class SceneRecorder:
    """What a data set holds of a scene in addition to the observation, read from the first of some environments.

    Args:
        environments: they tell which signals there are.
        camera_names, camera_size: cameras, and width and height of their pictures [pixels].
        b_mode: size of the ultrasound image [pixels], scanlines, samples per scanline, depth [m]; None: no ultrasound.
        seed: of speckle and noise.

    Raises:
        ValueError: for a size out of range.
    """

    def __new__(
        cls,
        environments: Environments,
        camera_names: Sequence[str],
        camera_size: tuple[int, int],
        b_mode: tuple[int, int, int, float | None] | None,
        seed: int,
    ) -> Self: ...
    @property
    def signals(self) -> list[tuple[str, list[str]]]:
        """Names of the signals, each with those of its entries with units."""

    def begin(self, environments: Environments, organs: int) -> None:
        """Starts an episode whose environment was just reset. `organs` draws the patient's organs, unless the task has drawn them."""

    def take(self, environments: Environments) -> tuple[dict[str, NDArray[np.uint8]], dict[str, NDArray[np.float32]]]:
        """Pictures by camera, and the ultrasound image as ``ultrasound``, shape ``[height, width, 3]``; signals by name."""

_Vector = Sequence[float] | NDArray[np.float64]
"""Three numbers along x, y, z, or a quaternion wxyz."""

_Attachment = tuple[int, int | _Vector, float, float]
"""A vertex, the vertex or point in the world frame [m] to which it is attached, rest length [m], compliance [m/N]."""

@final
class TissueBody:
    """A body of tissue, in the same description as its TOML file, for all solvers.

    Args:
        name: name, unique in a scene. position: origin of the body in world [m].
        solid: one of ``{"cuboid": {"half": [x, y, z]}}``, ``{"ellipsoid": {"half": …}}``,
            ``{"cylinder": {"radius": r, "half_length": h}}``, ``{"mesh": {"file": path, "scale": 1.0}}`` (closed; OBJ, STL, PLY),
            ``"torso"``, ``"liver"``; sizes in metres.
        layers: layers from the surface inwards, each with ``name``, ``material`` and, except for the last, ``thickness`` [m].
            A material has ``young_modulus`` [Pa], ``poisson_ratio``, ``density`` [kg/m³], ``viscosity`` [Pa·s] and optionally
            ``tearing`` (``begins`` and ``ends``, stretches).
        regions: regions with another material: ``name``, ``place``, ``material``.
        fixed: fixed regions, each one of ``{"cuboid": {"low": …, "high": …}}``,
            ``{"half_space": {"point": …, "normal": …}}`` (the side opposite to the normal), ``{"depth": {"from": a, "to": b}}``.
        attachments: ties to other bodies: ``to`` (a name) and ``distance`` [m].

    Raises:
        ValueError: for an unknown field, or a value out of range.
    """

    def __new__(
        cls,
        *,
        name: str,
        solid: Mapping[str, Any] | str,
        layers: Sequence[Mapping[str, Any]],
        position: _Vector = ...,
        regions: Sequence[Mapping[str, Any]] = ...,
        fixed: Sequence[Mapping[str, Any]] = ...,
        attachments: Sequence[Mapping[str, Any]] = ...,
    ) -> Self: ...
    @staticmethod
    def read(path: str | Path) -> TissueBody:
        """Reads a description (TOML). Mesh files are relative to its folder.

        Raises:
            FileNotFoundError, ValueError: for a missing file or an invalid description.
        """

    @staticmethod
    def slab() -> TissueBody:
        """A slab of skin, fat and muscle around the origin, 0.12 × 0.12 × 0.04 m, with a fixed lower side."""

    @staticmethod
    def liver() -> TissueBody:
        """A liver-like organ in its capsule, 0.18 × 0.11 × 0.12 m."""

    @staticmethod
    def torso() -> TissueBody:
        """A human-like trunk in supine position, 0.40 × 0.30 × 0.20 m."""

    @property
    def description(self) -> dict[str, Any]:
        """Arguments from which the same body can be made."""

    def surface(self) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
        """Vertices in the world frame [m], shape ``[n, 3]``, and triangles that face outwards, shape ``[m, 3]``."""

    def xpbd_body(
        self, edge: float, *, damping_time: float = 0.0, tear_strain: float | None = None
    ) -> XpbdBody:
        """Fills the body with tetrahedra of about an edge length [m]. Each has the material at its centre.

        Args:
            damping_time: ratio of viscous to elastic stress per strain rate and strain [s].
            tear_strain: principal strain at which a tetrahedron is removed; None: no tearing.
        """

    def mpm_bodies(self, cell_width: float, *, jitter: float = 0.0, seed: int = 0) -> list[MpmBody]:
        """Samples particles, eight per cell of a width [m], as one body per material.

        Args:
            jitter: random displacement, 0 to 1, as a part of the spacing of particles.
        """

@final
class XpbdBody:
    """A body of tetrahedra for `Xpbd`, for example from the user's own mesh.

    Args:
        positions: vertices at rest [m], `float64`, C-contiguous, shape ``[n_vertices, 3]``; each is part of a tetrahedron.
        tets: whole numbers, shape ``[n_tets, 4]``; (b − a) · ((c − a) × (d − a)) > 0 for each.
        material: as in `TissueBody`; None: 20 kPa, Poisson's ratio 0.3, 1000 kg/m³. Viscosity and tearing are not used.
        damping_time, tear_strain: as in `TissueBody.xpbd_body`. velocity: of all vertices [m/s]. fixed: vertices that do not move.
    """

    def __new__(
        cls,
        positions: NDArray[np.float64],
        tets: NDArray[np.integer[Any]],
        *,
        material: Mapping[str, Any] | None = None,
        damping_time: float = 0.0,
        velocity: _Vector = ...,
        fixed: Sequence[int] | NDArray[np.integer[Any]] = ...,
        tear_strain: float | None = None,
    ) -> Self: ...
    @property
    def positions(self) -> NDArray[np.float64]:
        """Copy of the vertices at rest [m], shape ``[n_vertices, 3]``."""

    @property
    def tets(self) -> NDArray[np.uint32]:
        """Copy of the tetrahedra's vertices, shape ``[n_tets, 4]``."""

    @property
    def fixed(self) -> list[int]:
        """Fixed vertices."""

@final
class MpmBody:
    """Particles of one material for `MlsMpm`.

    Args:
        positions: [m], `float64`, C-contiguous, shape ``[n_particles, 3]``.
        particle_volume: of each at rest [m³].
        material: as in `TissueBody`; None: 20 kPa, Poisson's ratio 0.3, 1000 kg/m³.
        velocity: of all particles [m/s]. fixed: particles that never move.
    """

    def __new__(
        cls,
        positions: NDArray[np.float64],
        particle_volume: float,
        *,
        material: Mapping[str, Any] | None = None,
        velocity: _Vector = ...,
        fixed: Sequence[int] | NDArray[np.integer[Any]] = ...,
    ) -> Self: ...
    @property
    def positions(self) -> NDArray[np.float64]:
        """Copy of the positions at rest [m], shape ``[n_particles, 3]``."""

    @property
    def particle_volume(self) -> float:
        """Volume of each particle at rest [m³]."""

    @property
    def fixed(self) -> list[int]:
        """Fixed particles."""

def xpbd_scene(
    bodies: Sequence[TissueBody], edge: float, *, damping_time: float = 0.0
) -> tuple[list[XpbdBody], list[_Attachment]]:
    """Bodies of tetrahedra and their attachments, from descriptions: the first two arguments of `Xpbd`."""

@final
class Shape:
    """A solid in its own frame; sizes in metres.

    Raises:
        ValueError: for sizes out of range.
    """

    @staticmethod
    def sphere(radius: float) -> Shape:
        """A ball."""

    @staticmethod
    def cuboid(half: _Vector) -> Shape:
        """A box with half sizes."""

    @staticmethod
    def capsule(radius: float, half_length: float) -> Shape:
        """A capsule along z; `half_length` is half the length of the straight part."""

    @staticmethod
    def cylinder(radius: float, half_length: float) -> Shape:
        """A disc or rod along z with flat ends."""

    @staticmethod
    def half_space() -> Shape:
        """The half-space below the plane z = 0."""

    @staticmethod
    def mesh(
        positions: NDArray[np.float64], triangles: NDArray[np.integer[Any]], resolution: int = 64
    ) -> Shape:
        """A closed mesh, shapes ``[n, 3]`` and ``[m, 3]``, as a distance field with 8 to 256 nodes along its longest side."""

@final
class Tool:
    """A rigid tool. Worlds copy it.

    Args:
        position: origin of the tool's frame in world [m]. rotation: orientation in world, quaternion wxyz.
        linear: velocity of the origin [m/s]. angular: angular velocity [rad/s]; both in world.
        friction: Coulomb friction coefficient; infinite: tissue sticks to the tool and never separates.
    """

    def __new__(
        cls,
        shape: Shape,
        *,
        position: _Vector = ...,
        rotation: _Vector = ...,
        linear: _Vector = ...,
        angular: _Vector = ...,
        friction: float = 0.0,
    ) -> Self: ...
    @property
    def position(self) -> NDArray[np.float64]:
        """Origin of the tool's frame in the world frame [m], shape ``[3]``."""

    @property
    def rotation(self) -> NDArray[np.float64]:
        """Orientation of the tool's frame in the world frame, quaternion wxyz, shape ``[4]``."""

    @property
    def linear(self) -> NDArray[np.float64]:
        """Velocity of the origin in the world frame [m/s], shape ``[3]``."""

    @property
    def angular(self) -> NDArray[np.float64]:
        """Angular velocity in the world frame [rad/s], shape ``[3]``."""

    @property
    def friction(self) -> float:
        """Coulomb friction coefficient."""

class SoftTissue:
    """A world of tissue: the common base of `Xpbd` and `MlsMpm`.

    A step copies nothing to Python. Methods such as `positions` return a new array per call.
    """

    @property
    def time(self) -> float:
        """Simulated time [s]."""

    def add_tool(self, tool: Tool) -> int:
        """Adds a copy of a tool, which acts from the next step on. Returns its index."""

    def tool(self, tool: int) -> Tool:
        """Copy of a tool in its current state."""

    def set_tool(
        self,
        tool: int,
        *,
        position: _Vector | None = None,
        rotation: _Vector | None = None,
        linear: _Vector | None = None,
        angular: _Vector | None = None,
        friction: float | None = None,
    ) -> None:
        """Changes a tool from the next step on. Arguments that are None stay. Steps move the tool by its velocities."""

    def step(self, time: float, n: int = 1) -> None:
        """Runs `n` steps of a time [s], in substeps chosen by the solver. Ctrl-C interrupts between steps.

        Raises:
            SimulationError: if the tissue diverges, now and at every step until a reset.
            ValueError: for a time that is not 0 to 1000 s.
        """

    def wrench(self, tool: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean force [N] and torque [N·m] of the tissue on a tool over the last step, in world, about the moving tool's origin."""

    def positions(self) -> NDArray[np.float64]:
        """Positions of the vertices or particles in world [m], shape ``[n_points, 3]``, in the order of the bodies."""

    def velocities(self) -> NDArray[np.float64]:
        """Velocities of the vertices or particles in world [m/s], shape ``[n_points, 3]``."""

    def momentum(self) -> NDArray[np.float64]:
        """Total momentum [kg·m/s], shape ``[3]``."""

    def grasp(self, tool: int, at: _Vector, radius: float, most: int) -> int:
        """Lets a tool hold up to `most` nearest points within a radius [m] of a point [m] from the next step on. Returns the number."""

    def release(self, tool: int) -> None:
        """Releases all points that a tool has grasped."""

    def reset(self) -> None:
        """Resets to the rest shape at time 0. Tools stay."""

    def save(self) -> bytes:
        """State from which `restore` continues bit-identically. Tools are not included."""

    def restore(self, state: bytes) -> None:
        """Restores a saved state of a world that was made in the same way.

        Raises:
            ValueError: for invalid bytes; the world is unchanged then.
        """

    def close(self) -> None:
        """Frees the world. Every later call except `close` raises `ClosedError`."""

@final
class Xpbd(SoftTissue):
    """A world of tetrahedra (extended position-based dynamics), stepped by the calling thread.

    Args:
        bodies: bodies; vertices are counted through all of them. attachments: ties of vertices to each other and to points.
        substep: longest substep [s]; 5e-4. max_courant: part of an element's height that waves may cross in a substep; 0.5.
        iterations: solver iterations in a substep; 1. sweep: ``gauss_seidel`` or ``jacobi``.
        gravity: gravity [m/s²]; (0, 0, −9.81). drag: viscous drag of the environment [1/s]; 0.
        push_speed: greatest speed at which a tool at rest pushes tissue out of itself [m/s]; 2.
        face_contact: whether tools also touch the faces between vertices.
        reach: vertices farther than this from all tools except planes, measured at rest, do not move [m]; None: all move.
        max_speed: speed of a vertex above which the world has diverged [m/s]; 100.
    """

    def __new__(
        cls,
        bodies: Sequence[XpbdBody],
        attachments: Sequence[_Attachment] = ...,
        *,
        substep: float | None = None,
        max_courant: float | None = None,
        iterations: int | None = None,
        sweep: str = "gauss_seidel",
        gravity: _Vector | None = None,
        drag: float | None = None,
        push_speed: float | None = None,
        face_contact: bool = True,
        reach: float | None = None,
        max_speed: float | None = None,
    ) -> Self: ...
    def masses(self) -> NDArray[np.float64]:
        """Masses of the vertices [kg], including fixed ones, shape ``[n_vertices]``."""

    def tets(self) -> NDArray[np.uint32]:
        """Vertices of the tetrahedra that are not torn, shape ``[n_tets, 4]``."""

    def surface(self) -> NDArray[np.uint32]:
        """Triangles of the surface of the intact tetrahedra, facing outwards, shape ``[n_triangles, 3]``."""

    def move_anchor(self, anchor: int, to: _Vector) -> None:
        """Moves an anchor point to which a vertex is attached [m]. Anchors are counted in the order of their attachments."""

@final
class MlsMpm(SoftTissue):
    """A world of particles that exchange momentum through a grid (moving least squares material point method).

    Args:
        origin: lower corner of the domain in world [m]. cell_width: width of a cell [m]. cells: number of cells along x, y, z,
            8 to 1024 each; particles keep a cell from the lower sides and two from the upper sides.
        substep: longest substep [s]; by default the stability limit. gravity: gravity [m/s²]; (0, 0, −9.81).
        law: ``neo_hookean`` or ``fixed_corotated``.
        formulation: configuration in which weights are computed: ``updated_lagrangian`` (current positions), or
            ``total_lagrangian`` (rest positions), in which a body recovers from any deformation.
        wall: condition on all walls, ``separate``, ``slip`` or ``sticky``.
        contact: contact of tools with ``particles`` or ``nodes``. contact_distance: distance for ``nodes`` [cells]; 0.5.
        reach: particles farther than this from all tools except planes, measured at rest, do not move [m]; None: all move.
        n_threads: number of threads, at most 256; 0: one per core. Results do not depend on it.
    """

    def __new__(
        cls,
        bodies: Sequence[MpmBody],
        *,
        origin: _Vector,
        cell_width: float,
        cells: Sequence[int],
        substep: float | None = None,
        gravity: _Vector | None = None,
        law: str = "neo_hookean",
        formulation: str = "updated_lagrangian",
        wall: str = "separate",
        contact: str = "particles",
        contact_distance: float | None = None,
        reach: float | None = None,
        n_threads: int = 0,
    ) -> Self: ...
    def substep(self) -> float:
        """Longest substep of the next step [s]."""

    def mass(self) -> float:
        """Mass of all particles [kg]."""

    def deformation_grads(self) -> NDArray[np.float32]:
        """Deformation gradients F of the particles, shape ``[n_particles, 3, 3]``."""

    def damage(self) -> NDArray[np.float32]:
        """Damage of each particle: lost share of the stiffness, 0 to 1, shape ``[n_particles]``."""

    def fixed_force(self) -> NDArray[np.float64]:
        """Mean force of the tissue on fixed particles over the last step [N], shape ``[3]``."""

@final
class Section:
    """A cross-section of a rod.

    Args:
        young_modulus, shear_modulus: [Pa]. density: [kg/m³]. area: [m²]. inertia_y, inertia_z: second moments of area about the section's
            axes [m⁴]. torsion_constant: [m⁴]. radius: the outer one, with which it touches walls [m].
        rest_curvature: twist and curvatures about y and z at rest [1/m].
    """

    def __new__(
        cls,
        *,
        young_modulus: float,
        shear_modulus: float,
        density: float,
        area: float,
        inertia_y: float,
        inertia_z: float,
        torsion_constant: float,
        radius: float,
        rest_curvature: _Vector = ...,
    ) -> Self: ...
    @staticmethod
    def tube(young_modulus: float, area: float, inertia: float, density: float) -> Section:
        """A round tube, straight at rest. Area [m²] and second moment of area [m⁴] determine its radii; G is half of E."""

    @property
    def young_modulus(self) -> float:
        """Young's modulus [Pa]."""

    @property
    def shear_modulus(self) -> float:
        """Shear modulus [Pa]."""

    @property
    def density(self) -> float:
        """Density [kg/m³]."""

    @property
    def area(self) -> float:
        """Area [m²]."""

    @property
    def inertia_y(self) -> float:
        """Second moment of area about the section's y axis [m⁴]."""

    @property
    def inertia_z(self) -> float:
        """Second moment of area about the section's z axis [m⁴]."""

    @property
    def torsion_constant(self) -> float:
        """Torsion constant [m⁴]."""

    @property
    def radius(self) -> float:
        """Outer radius [m]."""

    @property
    def rest_curvature(self) -> list[float]:
        """Twist and curvatures about y and z at rest [1/m]."""

@final
class RodConfig:
    """A rod, straight along x unless its sections are curved, with three cables.

    Args:
        segments: length [m] and section of each segment, from base to tip.
        n_elements: number of elements of equal length, 1 to 100000.
        gravity: gravity [m/s²].
        cable_offset: distance of the cables from the centre line [m]; None: three quarters of the last radius.
        cable_angles: angles of the cables around the centre line [rad], 0 on the section's y axis; None: a third of a turn apart.
        cable_guides: length with guides, from the first guide to the tip [m]; None: the whole rod.
        cables_at_tip: whether the whole cable force acts at the tip instead, along its axis.
        held_base, held_tip: which displacements along and rotations about x, y, z are fixed.

    Raises:
        ValueError: for a value out of range.
    """

    def __new__(
        cls,
        segments: Sequence[tuple[float, Section]],
        n_elements: int,
        *,
        gravity: _Vector = ...,
        cable_offset: float | None = None,
        cable_angles: _Vector | None = None,
        cable_guides: float | None = None,
        cables_at_tip: bool = False,
        held_base: Sequence[bool] = ...,
        held_tip: Sequence[bool] = ...,
    ) -> Self: ...
    @staticmethod
    def table(row: str, n_elements: int, *, gravity: _Vector = ...) -> RodConfig:
        """A rod of row ``a`` to ``d`` in Table I of Chen et al. 2024, 0.47 m long."""

    @property
    def length(self) -> float:
        """Length from base to tip [m]."""

    @property
    def n_elements(self) -> int:
        """Number of elements of equal length."""

    @property
    def cable_angles(self) -> list[float]:
        """Angles of the cables around the centre line [rad], 0 on the section's y axis, π/2 on its z axis."""

@final
class Actuation:
    """Inputs of a step.

    Args:
        inserted_length: length of the rod beyond the introducer's mouth [m], from half an element to the whole rod.
        position: position of the mouth in world [m]. rotation: quaternion wxyz of the mouth, which the rod leaves along +x.
        tensions: tensions of the three cables [N], at least 0.
        tip_force: constant force on the tip [N]. tip_moment: moment on the tip [N·m]; both in world.
    """

    def __new__(
        cls,
        inserted_length: float,
        *,
        position: _Vector = ...,
        rotation: _Vector = ...,
        tensions: _Vector = ...,
        tip_force: _Vector = ...,
        tip_moment: _Vector = ...,
    ) -> Self: ...
    @property
    def inserted_length(self) -> float:
        """Length of rod beyond the mouth [m]."""

    @property
    def position(self) -> list[float]:
        """Position of the mouth in the world frame [m]."""

    @property
    def rotation(self) -> list[float]:
        """Rotation of the mouth, quaternion wxyz."""

    @property
    def tensions(self) -> list[float]:
        """Tensions of the three cables [N]."""

    @property
    def tip_force(self) -> list[float]:
        """Force on the tip [N], in the world frame."""

    @property
    def tip_moment(self) -> list[float]:
        """Moment on the tip [N·m], in the world frame."""

@final
class Lumen:
    """The free space in which a rod moves, bounded by walls."""

    @staticmethod
    def plane(point: _Vector, normal: _Vector) -> Lumen:
        """The half-space of a plane through a point [m]; the normal, of any length, points into it."""

    @staticmethod
    def straight_tube(point: _Vector, axis: _Vector, radius: float) -> Lumen:
        """A straight round tube of infinite length through a point [m], with a radius [m]."""

    @staticmethod
    def t_phantom(
        *,
        stem: float | None = None,
        arm: float | None = None,
        diameter: float | None = None,
        fillet: float | None = None,
    ) -> Lumen:
        """A 'T' of tubes [m]; the stem runs from the origin along −z, the arms along x. None: 0.15, 0.15, 0.03 and 0.004."""

    @staticmethod
    def bronchial_tree(depth: str = "subsegmental") -> Lumen:
        """An adult's airways, to 18 ``segmental`` or 36 ``subsegmental`` ends. The trachea starts at the origin along
        −z; +y is the back."""

    @staticmethod
    def mesh(positions: NDArray[np.float64], triangles: NDArray[np.integer[Any]]) -> Lumen:
        """The interior of a closed mesh: vertices [m], shape ``[n, 3]``, and triangles, shape ``[m, 3]``.

        Raises:
            ValueError: for a mesh that is open or crosses itself.
        """

    @staticmethod
    def read(path: str | Path, unit: float = 1.0) -> Lumen:
        """The interior of a closed mesh from a file (OBJ, STL, PLY) with lengths in units of `unit` [m]."""

    def ends(self) -> list[str]:
        """Names of the branches without children."""

    def centre_line(self, branch: str) -> NDArray[np.float64]:
        """Corners of the centre line from the root to the end of a branch [m], shape ``[n, 3]``."""

    def wall(self, cell_width: float = 0.001) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
        """Vertices [m], shape ``[n, 3]``, and triangles of the wall, shape ``[m, 3]``. Branches are meshed with a cell width [m]."""

    def clearance(self, point: _Vector, within: float) -> float | None:
        """Signed distance of a point from the nearest wall [m], positive in free space; None if no wall is within `within` [m]."""

@final
class RodState:
    """State of a rod: poses of its nodes from the introducer's mouth to the tip. Later steps do not change it."""

    @property
    def inserted_length(self) -> float:
        """Length beyond the mouth [m]."""

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions of the nodes in world [m], shape ``[n_nodes, 3]``. Their number depends on the inserted length."""

    @property
    def rotations(self) -> NDArray[np.float64]:
        """Rotations of the nodes, quaternions wxyz, shape ``[n_nodes, 4]``; x is the tangent."""

    @property
    def from_tip(self) -> NDArray[np.float64]:
        """Distances of the nodes along the rod from the tip [m], decreasing to 0, shape ``[n_nodes]``."""

    @property
    def world_from_tip(self) -> tuple[list[float], list[float]]:
        """Position [m] and quaternion wxyz of the tip, x along the rod."""

    def position_at(self, from_tip: float) -> NDArray[np.float64]:
        """Point on the centre line at a distance along the rod from its tip [m], shape ``[3]``."""

@final
class StepReport:
    """Report of a step, with its contacts."""

    @property
    def stop_reason(self) -> str:
        """``done``, ``step_limited`` (further steps continue) or ``max_iterations``."""

    @property
    def n_iterations(self) -> int:
        """Number of linearisations."""

    @property
    def kkt_residual(self) -> float:
        """Greatest violation of the optimality conditions of the last quadratic program: force per load, or gap per millimetre."""

    @property
    def equilibrium_residual(self) -> float:
        """Greatest unbalanced force of the rod, relative to the load."""

    @property
    def max_penetration(self) -> float:
        """Greatest penetration of a wall by the rod [m]."""

    @property
    def base_force(self) -> list[float]:
        """Force of the introducer on the rod [N], in world."""

    @property
    def base_moment(self) -> list[float]:
        """Moment of the introducer about the base [N·m], in world."""

    @property
    def total_contact_force(self) -> float:
        """Sum of the contacts' normal forces [N]."""

    @property
    def peak_contact_force(self) -> float:
        """Greatest normal force of a contact [N]."""

    @property
    def contact_positions(self) -> NDArray[np.float64]:
        """Positions of the contacts on the wall [m], shape ``[n_contacts, 3]``."""

    @property
    def contact_forces(self) -> NDArray[np.float64]:
        """Forces of the wall on the rod at the contacts, including friction [N], in world, shape ``[n_contacts, 3]``."""

    @property
    def contact_from_tip(self) -> NDArray[np.float64]:
        """Distances of the contacts along the rod from its tip [m], shape ``[n_contacts]``."""

@final
class Simulation:
    """A rod in a lumen, initially straight and inserted as `actuation` says.

    Args:
        lumen: the lumen; None: free space.
        tolerance: greatest unbalanced force after a step, relative to the load; None: one linearisation per step, as in the paper.
        solver: solver of the quadratic program: ``block``, ``clarabel`` or ``gauss_seidel``.
        max_displacement: greatest displacement of a node in one linearisation [m]; 2e-3.
        max_rotation: greatest rotation of a node in one linearisation [rad]; 0.3.
        max_iterations: maximum number of linearisations of a step with a tolerance; 200.
        penetration_tolerance: allowed penetration of a wall after a step [m]; 1e-5.
        points_per_element: points tested for contact in addition to the nodes; 1.
        friction: Coulomb friction coefficient between rod and wall.
        wall_stiffness: stiffness of the wall under one contact [N/m]; None: rigid.

    Raises:
        ValueError: for a value out of range, or a base inside a wall.
    """

    def __new__(
        cls,
        config: RodConfig,
        actuation: Actuation,
        lumen: Lumen | None = None,
        *,
        tolerance: float | None = None,
        solver: str = "block",
        max_displacement: float | None = None,
        max_rotation: float | None = None,
        max_iterations: int | None = None,
        penetration_tolerance: float | None = None,
        points_per_element: int | None = None,
        friction: float = 0.0,
        wall_stiffness: float | None = None,
    ) -> Self: ...
    @property
    def state(self) -> RodState:
        """Copy of the current state."""

    @property
    def elastic_energy(self) -> float:
        """Elastic energy of the rod [J]."""

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of the nodes, after `step_dynamic` [J]."""

    def step(self, actuation: Actuation) -> StepReport:
        """Moves the rod towards equilibrium with its inputs.

        Raises:
            ValueError, SimulationError: for inputs out of range, and if the rod folds; the rod is unchanged then.
        """

    def solve(self, actuation: Actuation, max_steps: int = 50) -> StepReport:
        """Steps until forces are in equilibrium within the simulation's tolerance. Ctrl-C interrupts between steps.

        Raises:
            SimulationError: without equilibrium after `max_steps`, and as `step`.
        """

    def step_dynamic(
        self,
        actuation: Actuation,
        timestep: float,
        *,
        alpha: float = 0.0,
        mass_damping: float = 0.0,
        stiffness_damping: float = 0.0,
        n: int = 1,
    ) -> StepReport:
        """Advances `n` time steps [s] with inertia (Hilber, Hughes and Taylor 1977); Ctrl-C ends it between steps.

        Args:
            alpha: numerical damping of oscillations faster than the time step, −1/3 to 0 (none).
            mass_damping: [1/s]. stiffness_damping: [s].
        """

    def place(self, state: RodState) -> None:
        """Sets a state of the same rod. It does not include the velocities of time steps.

        Raises:
            ValueError: for a state of another rod.
        """
