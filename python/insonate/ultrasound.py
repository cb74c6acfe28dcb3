"""Ultrasound: a `Scanner` makes B-mode frames of a `Phantom`, or of the torso of a running `Physics`; `image` is the command.

Poses are in the frame of the phantom: position [m] and quaternion wxyz of the probe's face, +x along the array, +z into the body.
"""

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _insonate
from ._insonate import Phantom, Physics, PressedTorso, Scene
from .experiments import _limits
from .progress import Progress, shown
from .results import pandas

__all__ = ["Image", "Phantom", "Scanner", "image"]

Pose = tuple[Sequence[float] | NDArray[np.float64], Sequence[float] | NDArray[np.float64]]

_BARE = ("points", "speckle", "attenuation", "rod")
_BLOCKS = (*_BARE, "cysts", "layers")


@dataclass(frozen=True, eq=False)
class Image:
    """A frame, as a picture and along its scanlines.

    A scanline starts at the probe's face; its samples are ``sample_distance`` apart.
    """

    summary: dict[str, Any]
    """Figures, as ``image.json`` of the command: depth, legend, contact, intensity, materials along the middle line."""
    b_mode: NDArray[np.uint8]
    """The picture, 0 is black, shape ``[height, width]``."""
    labels: NDArray[np.uint8]
    """Material of each pixel by its number in the legend, shape ``[height, width]``; outside of the sector one more than the last."""
    confidence: NDArray[np.float32] | None
    """How far each pixel can be trusted, 0 to 1 (Karamalis 2012), shape ``[height, width]``; None without `confidence`."""
    envelope: NDArray[np.float32]
    """Level of the echoes [dB relative to the speckle of liver], shape ``[lines, samples]``."""
    beam_labels: NDArray[np.uint8]
    """Material along the scanlines, shape ``[lines, samples]``."""
    coupled: NDArray[np.bool_]
    """Whether each scanline has acoustic contact, shape ``[lines]``."""
    iq: NDArray[np.complex64] | None
    """Complex lines before noise and gain, relative to the speckle of liver, shape ``[lines, samples]``; None without `iq`."""
    pixel_size: float
    """Width and height of a pixel [m]."""
    corner: tuple[float, float]
    """Upper left corner of the picture in the probe's frame: x, z [m]."""
    sample_distance: float
    """Distance between samples of a scanline [m]."""
    pose: tuple[list[float], list[float]]
    """Position [m] and quaternion wxyz of the probe's face in the frame of the phantom."""
    png: bytes
    """The picture as a PNG file."""

    @property
    def legend(self) -> dict[int, str]:
        """Name of each material by its number."""
        return {entry["number"]: entry["name"] for entry in self.summary["legend"]}

    def to_pandas(self) -> Any:
        """The materials as a pandas ``DataFrame``: number, name, colour, and share of the samples.

        Raises:
            ImportError: if pandas is not installed.
        """
        table = pandas("to_pandas").DataFrame(self.summary["legend"])
        counts = np.bincount(self.beam_labels.ravel(), minlength=len(table))
        table["share"] = counts[: len(table)] / self.beam_labels.size
        return table

    def _repr_png_(self) -> bytes:
        return self.png

    def _repr_html_(self) -> str:
        picture = base64.b64encode(self.png).decode()
        present = set(np.unique(self.beam_labels).tolist())
        names = ", ".join(name for number, name in self.legend.items() if number in present)
        return f"<img src='data:image/png;base64,{picture}'/><p>{names}</p>"


class Scanner:
    """A transducer with settings.

    Args:
        probe: name of the transducer, such as ``c5-2`` or ``l12-5``.
        lines: number of scanlines.
        samples: samples of each scanline.
        depth: depth of the picture [m] [default: depends on the probe].
        size: width and height of the picture [pixels], 16 to 4096.
        seed: seed of speckle and noise.
        bare: without noise and compensation of attenuation, for measurements.
        array: an array of your own instead of ``probe``: ``elements``, ``pitch`` [m], ``frequency`` [Hz], ``bandwidth`` (over the frequency),
            ``elevation`` and ``elevation_focus`` [m]; ``radius`` [m] if it is curved, or ``sector`` [°] if it is phased; ``element_width`` [m]
            [default: 0.9 of the pitch].
        transmit_frequency: frequency of the transmitted sine, within the probe's band [Hz] [default: the probe's centre frequency].
        transmit_cycles: cycles of this sine, 1 to 6: more give echoes its frequency, and make them longer [default: 1].
        focus: depth of the transmit focus [m], or several: each depth then shows lines with the nearest one [default: depends on the probe].
        transmit_f_number: depth of the focus over the transmitting aperture [default: 4].
        receive_f_number: depth over the receiving aperture [default: 1.5].
        views: directions of spatial compounding, 3, 5, 7 or 9: means of the amplitudes of steered lines; for linear arrays [default: 1].
        view_angle: angle between the outermost of these directions and the middle [rad] [default: 10°].
        gain: gain in addition to the usual one [dB] [default: 0].
        tgc: gain over depth in addition to the compensation: gains of sliders from the face to the bottom [dB], or a dict of depths [m] and
            gains [dB], with straight lines between [default: 0].
        dynamic_range: range from black to white [dB] [default: 60].
        grey_map: curve from levels in this range to grey: ``linear``, ``gamma`` or ``s-curve`` [default: ``linear``].
        receiver_noise: level of the receiver's noise relative to the speckle of liver at the face [dB] [default: -75].

    Raises:
        ValueError: for an unknown probe, a value out of range, or what the probe cannot do.
    """

    def __init__(
        self,
        probe: str = "c5-2",
        *,
        lines: int = 256,
        samples: int = 1024,
        depth: float | None = None,
        size: int = 768,
        seed: int = 0,
        bare: bool = False,
        array: Mapping[str, float] | None = None,
        transmit_frequency: float | None = None,
        transmit_cycles: int | None = None,
        focus: float | Sequence[float] | None = None,
        transmit_f_number: float | None = None,
        receive_f_number: float | None = None,
        views: int | None = None,
        view_angle: float | None = None,
        gain: float | None = None,
        tgc: Sequence[float] | Mapping[float, float] | None = None,
        dynamic_range: float | None = None,
        grey_map: str | None = None,
        receiver_noise: float | None = None,
    ) -> None:
        controls = {
            "transmit_frequency": transmit_frequency,
            "transmit_cycles": transmit_cycles,
            "focus": focus,
            "transmit_f_number": transmit_f_number,
            "receive_f_number": receive_f_number,
            "views": views,
            "view_angle": view_angle,
            "gain": gain,
            "tgc": dict(tgc) if isinstance(tgc, Mapping) else tgc,
            "dynamic_range": dynamic_range,
            "grey_map": grey_map,
            "receiver_noise": receiver_noise,
        }
        self._scanner = _insonate.Scanner(
            probe if array is None else _text_of(array),
            lines=lines,
            samples=samples,
            depth=depth,
            size=size,
            seed=seed,
            bare=bare,
            controls={name: value for name, value in controls.items() if value is not None},
        )

    @property
    def probe(self) -> str:
        """Name of the transducer."""
        return self._scanner.probe

    @property
    def depth(self) -> float:
        """Depth of the picture [m]."""
        return self._scanner.depth

    def frame(
        self,
        subject: Phantom | Physics | PressedTorso,
        pose: Pose | None = None,
        *,
        phantom: Phantom | None = None,
        index: int = 0,
        confidence: bool = True,
        iq: bool = False,
        measure: bool = False,
    ) -> Image:
        """Makes a frame.

        The same subject, pose, settings and index give the same bits with any number of threads.

        Args:
            subject: a `Phantom`, whose skin the face presses in by kinematics, or a `Physics` with a torso of the shape ``adult`` or of
                a made patient, whose simulated tissue is shown as the robot's probe deforms it.
            pose: pose of the face in the phantom's frame [default: ``phantom.probe_pose()``]; not for a `Physics`, whose probe has one.
            phantom: patient in the torso of a `Physics` [default: that of its scene] or of a `PressedTorso` [default: ``Phantom.adult()``].
            index: number of the frame, which selects the noise.
            confidence: whether to compute the confidence.
            iq: whether to return the complex lines.
            measure: whether ``summary`` has what a block is measured for: widths of ``points``, statistics of ``speckle``, slope of
                ``attenuation``.

        Raises:
            ValueError: for a probe away from the patient, or a scene without a torso.
        """
        wanted: dict[str, Any] = {"index": index, "with_confidence": confidence, "with_iq": iq}
        if isinstance(subject, Phantom):
            position, quaternion = subject.probe_pose() if pose is None else pose
            made = self._scanner.frame_of_phantom(subject, position, quaternion, with_measure=measure, **wanted)
        else:
            if pose is not None:
                raise ValueError("pose: a running scene has the pose of its probe; leave it out")
            if isinstance(subject, Physics):
                made = self._scanner.frame_of_physics(subject, phantom, **wanted)
            else:
                patient = Phantom.adult() if phantom is None else phantom
                made = self._scanner.frame_of_pressed(subject, patient, **wanted)
        return _image(made)

    def __repr__(self) -> str:
        return repr(self._scanner)


def image(
    *,
    probe: str | None = None,
    phantom: str | Phantom | None = None,
    scene: Scene | None = None,
    site: tuple[float, float] | None = None,
    rotation: float | None = None,
    indentation: float | None = None,
    force: float | None = None,
    max_force: float = 80.0,
    limits: Mapping[str, float | Sequence[float]] | None = None,
    lesions: Sequence[str] = (),
    depths: Sequence[float] | None = None,
    alpha: float | None = None,
    radius: float | None = None,
    depth: float | None = None,
    seed: int = 0,
    imaging_depth: float | None = None,
    lines: int = 256,
    samples: int = 1024,
    size: int = 768,
    iq: bool = False,
    array: Mapping[str, float] | None = None,
    transmit_frequency: float | None = None,
    transmit_cycles: int | None = None,
    focus: float | Sequence[float] | None = None,
    transmit_f_number: float | None = None,
    receive_f_number: float | None = None,
    views: int | None = None,
    view_angle: float | None = None,
    gain: float | None = None,
    tgc: Sequence[float] | Mapping[float, float] | None = None,
    dynamic_range: float | None = None,
    grey_map: str | None = None,
    receiver_noise: float | None = None,
    progress: Progress = False,
) -> Image:
    """Makes an ultrasound image, as ``insonate image`` does.

    Args:
        probe: name of the transducer [default: ``c5-2``, or that of the scene].
        phantom: a `Phantom`, or the name of one: ``adult`` (default), ``neck``, ``points``, ``speckle``, ``attenuation``, ``rod``, ``cysts``,
            ``layers``.
        scene: a scene with a patient: a torso of the shape ``adult``, or of a made patient. The patient is imaged; with ``force`` the robot
            presses [default: the scene of the command].
        site: site of the probe on the phantom: left of the middle, towards the head [m] [default: over liver and gallbladder; in front of
            the liver of a made patient].
        rotation: turn of the probe about its axis [rad] [default: a right angle, along the body; 0 on the neck].
        indentation: depth of the face in the skin, without ``force`` [m] [default: 0.013; 0.004 on the neck].
        force: force of a robot that holds the probe on the simulated patient [N].
        max_force: greatest force on any part of the robot; pressing ends above it [N].
        limits: limits of the verdict of pressing, by name.
        lesions: lesions at places of the seed in the liver, the neck's thyroid, or the tissue of a block: ``cyst``, ``hypo`` or ``hyper``, with a
            radius [m] unless it is of 8 mm, such as ``hypo:0.01``.
        depths: depths of the block ``points`` [default: 0.3, 0.6 and 0.9 of the probe's depth], or of the levels behind ``rod`` [default: the same
            shares of what is behind it] [m].
        alpha: attenuation of ``attenuation`` [default: 0.5] or ``points`` [default: 0] [dB/(cm MHz)].
        radius: radius of ``rod`` [m] [default: 0.002].
        depth: depth of the top of ``rod`` below the face [m] [default: 0.01].
        seed: seed of organs, speckle and noise.
        imaging_depth: depth of the picture [m] [default: depends on the probe; 0.045 for the neck].
        lines: number of scanlines.
        samples: samples of each scanline.
        size: width and height of the picture [pixels].
        iq: whether to return the complex lines; not with several ``views``, whose amplitudes are averaged.
        array, transmit_frequency, transmit_cycles, focus, transmit_f_number, receive_f_number, views, view_angle, gain, tgc,
            dynamic_range, grey_map, receiver_noise: settings of the `Scanner`.
        progress: of pressing: True shows a bar; a function is called with the share that is done and a text.

    Raises:
        ValueError: for a name or value out of range.
        SimulationError: if the site cannot be reached, or the robot starts in collision.
    """
    if array is not None and (probe is not None or scene is not None or force is not None):
        raise ValueError("array: replaces the probe without a robot; leave probe, scene and force out")
    own = None if array is None else _text_of(array)
    name = own or probe or ("c5-2" if scene is None else _probe_of(scene))
    several = views is not None and views > 1
    if several and (iq or phantom in ("points", "attenuation")):
        raise ValueError("views: has no effect on complex lines; it needs another phantom than points and attenuation, and no iq")
    if (tgc is not None and phantom in _BARE) or (receiver_noise is not None and phantom in ("points", "attenuation", "rod")):
        raise ValueError("tgc, receiver_noise: have no effect on this image; the phantom is measured without them")
    if depths is not None and phantom not in ("points", "rod"):
        raise ValueError("depths: has no effect on this image; it needs the phantom points or rod")
    for word, value in (("radius", radius), ("depth", depth)):
        if value is not None and phantom != "rod":
            raise ValueError(f"{word}: has no effect on this image; it needs the phantom rod")
    if alpha is not None and phantom not in ("attenuation", "points"):
        raise ValueError("alpha: has no effect on this image; it needs the phantom attenuation or points")
    if phantom == "points" and imaging_depth is None:
        imaging_depth = 1.2 * (0.9 * Scanner(name).depth if depths is None else max(depths))
    if phantom == "rod" and imaging_depth is None:
        imaging_depth = max(Scanner(name).depth, 0.0 if depths is None else 1.2 * max(depths))
    block = {"depths": depths, "alpha": alpha, "radius": radius, "top": depth}
    body, is_neck, bare = _subject(phantom, own or probe or "c5-2", seed, imaging_depth, scene, block)
    if lesions:
        body = body.with_lesions(list(lesions), seed)
    if imaging_depth is None and is_neck:
        imaging_depth = 0.045
    scanner = Scanner(
        name,
        lines=lines,
        samples=samples,
        depth=imaging_depth,
        size=size,
        seed=seed,
        bare=bare,
        transmit_frequency=transmit_frequency,
        transmit_cycles=transmit_cycles,
        focus=focus,
        transmit_f_number=transmit_f_number,
        receive_f_number=receive_f_number,
        views=views,
        view_angle=view_angle,
        gain=gain,
        tgc=tgc,
        dynamic_range=dynamic_range,
        grey_map=grey_map,
        receiver_noise=receiver_noise,
    )
    measured = phantom in _BLOCKS
    if force is None:
        pose = body.probe_pose(site, rotation=rotation, indentation=indentation)
        return scanner.frame(body, pose, confidence=not measured, iq=iq, measure=measured)
    if phantom not in (None, "adult"):
        raise ValueError("force: a robot presses on the patient of its scene; leave phantom out")
    if indentation is not None:
        raise ValueError("indentation: follows from force; give one of them")
    pressed_scene = Scene(probe=name, shape="adult") if scene is None else scene
    with shown(progress, "pressing") as tell:
        figures, pressed = _insonate.hold_probe(
            pressed_scene,
            site=body.site if site is None else site,
            rotation=math.pi / 2 if rotation is None else rotation,
            force=force,
            max_force=max_force,
            limits=_limits(limits),
            progress=tell,
        )
    made = scanner.frame(pressed, phantom=body, iq=iq)
    made.summary.update(json.loads(figures))
    return made


def _subject(
    phantom: str | Phantom | None,
    probe: str,
    seed: int,
    depth: float | None,
    scene: Scene | None,
    block: Mapping[str, Any],
) -> tuple[Phantom, bool, bool]:
    """The phantom, whether it is a neck, and whether it is measured without noise."""
    if isinstance(phantom, Phantom):
        return phantom, False, False
    if phantom in (None, "adult"):
        return (Phantom.adult(seed) if scene is None else Phantom.of_scene(scene, seed)), False, False
    if phantom == "neck":
        return Phantom.neck(seed), True, False
    return Phantom.block(str(phantom), probe=probe, depth=depth, **block), False, phantom in _BARE


def _text_of(array: Mapping[str, float]) -> str:
    return ",".join(f"{name}={float(value)!r}" for name, value in array.items())


def _probe_of(scene: Scene) -> str:
    (_, probe, _), _ = scene.__getnewargs_ex__()
    return probe


def _image(made: dict[str, Any]) -> Image:
    iq: ArrayLike | None = made.pop("iq", None)
    summary = json.loads(made.pop("summary"))
    position, quaternion = made.pop("pose")
    lines = None if iq is None else np.ascontiguousarray(iq, np.float32).view(np.complex64)[..., 0]
    return Image(
        summary=summary, iq=lines, confidence=made.pop("confidence", None), pose=(position, quaternion), **made
    )
