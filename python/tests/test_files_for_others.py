"""Files of a scan for other programs, read by their own readers: SimpleITK, pydicom, dicom3tools."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

CLI = os.environ.get("INSONATE_CLI")

pytestmark = pytest.mark.skipif(CLI is None, reason="INSONATE_CLI does not name the command line's program")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    """The folder of a short scan with ultrasound."""
    folder = tmp_path_factory.mktemp("sweep")
    scan = ["scan", "--patient", "adult", "--from=-0.06,-0.06", "--to=-0.06,-0.03", "--b-mode"]
    subprocess.run([CLI, *scan, "--no-pictures", "--seed", "3", "--output", folder], check=True, capture_output=True)
    return folder


def poses(path: Path) -> list[np.ndarray]:
    """From column, row, 0 and 1 to right, anterior, superior [mm], one for each frame."""
    header = path.read_bytes().split(b"ElementDataFile")[0].decode()

    def matrix(frame, name):
        line = re.search(rf"^Seq_Frame{frame:04}_{name}Transform = (.*)$", header, re.MULTILINE)
        return np.array(line[1].split(), dtype=float).reshape(4, 4)

    names = ["TrackerToRAS", "ProbeToTracker", "ImageToProbe"]
    n_frames = int(re.search(r"^DimSize = \d+ \d+ (\d+)$", header, re.MULTILINE)[1])
    return [np.linalg.multi_dot([matrix(frame, name) for name in names]) for frame in range(n_frames)]


def test_frames_of_a_scan_lie_in_its_volume(sweep):
    itk = pytest.importorskip("SimpleITK")
    frames = itk.ReadImage(str(sweep / "b_mode.seq.mha"))
    # The pose includes the pixel size: a reader that also scales by the spacing must not change it.
    assert frames.GetSpacing() == (1.0, 1.0, 1.0)
    levels = itk.GetArrayFromImage(frames)
    volume = itk.ReadImage(str(sweep / "b_mode.nrrd"))
    voxels = itk.GetArrayFromImage(volume)
    transforms = poses(sweep / "b_mode.seq.mha")
    assert len(transforms) == len(levels) >= 5
    for seen, ras_from_pixel in list(zip(levels, transforms, strict=True))[2:-1:2]:
        rows, columns = np.mgrid[60:300:4, 60:300:4]
        pixels = np.stack([columns.ravel(), rows.ravel(), 0 * rows.ravel(), 1 + 0 * rows.ravel()])
        ras = (ras_from_pixel @ pixels)[:3]
        # SimpleITK's points are left, posterior, superior.
        lps = ras * [[-1], [-1], [1]]
        at = np.array([volume.TransformPhysicalPointToIndex(point.tolist()) for point in lps.T])
        inside = ((at >= 0) & (at < volume.GetSize())).all(1)
        ours, theirs = seen[rows, columns].ravel()[inside], voxels[tuple(at[inside].T[::-1])]
        both = (ours > 0) & (theirs > 0)
        assert both.sum() > 200
        assert np.corrcoef(ours[both], theirs[both])[0, 1] > 0.7


def test_pydicom_reads_scale_times_and_pixels(sweep):
    pydicom = pytest.importorskip("pydicom")
    itk = pytest.importorskip("SimpleITK")
    film = pydicom.dcmread(sweep / "b_mode.dcm")
    frames = itk.ReadImage(str(sweep / "b_mode.seq.mha"))
    assert (film.pixel_array == itk.GetArrayFromImage(frames)).all()
    assert film.FrameIncrementPointer == 0x00181063
    assert film.FrameTime == 100
    assert film.CineRate == film.RecommendedDisplayFrameRate == 10
    assert film.ImageLaterality == "U" and "Laterality" not in film
    (region,) = film.SequenceOfUltrasoundRegions
    # Centimetres, both ways.
    assert (region.PhysicalUnitsXDirection, region.PhysicalUnitsYDirection) == (3, 3)
    pose = poses(sweep / "b_mode.seq.mha")[0]
    for axis, size in enumerate([region.PhysicalDeltaX, region.PhysicalDeltaY]):
        assert np.linalg.norm(pose[:3, axis]) == pytest.approx(10 * size, rel=1e-9)


def test_a_validator_finds_no_error(sweep, tmp_path):
    validator = shutil.which("dciodvfy")
    if validator is None:
        pytest.skip("dciodvfy is not installed (Debian package dicom3tools)")
    image = ["image", "--patient", "adult", "--lines", "64", "--samples", "256", "--dicom"]
    subprocess.run([CLI, *image, "--output", tmp_path], check=True, capture_output=True)
    for folder in [sweep, tmp_path]:
        checked = subprocess.run([validator, folder / "b_mode.dcm"], capture_output=True, text=True)
        found = checked.stdout + checked.stderr
        assert "Error" not in found, found
        # Dates are left out, so that equal images give equal bytes.
        warnings = [line for line in found.splitlines() if line.startswith("Warning")]
        assert all("Study Date" in line or "Study Time" in line for line in warnings), found
