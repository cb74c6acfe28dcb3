//! Videos by the program `ffmpeg`: H.264 in MP4, one file for each camera and episode.

use std::io::{self, ErrorKind, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{CameraInfo, DatasetError};

/// The program.
const PROGRAM: &str = "ffmpeg";

/// The encoder of H.264.
const ENCODER: &str = "libx264";

/// Distance between frames that can be decoded by themselves, so that single frames are read fast.
const KEY_FRAMES: &str = "2";

/// Checks that videos of a camera can be written.
pub(super) fn check(folder: &Path, cameras: &[CameraInfo]) -> Result<(), DatasetError> {
    for camera in cameras {
        // Colours are stored for blocks of 2 × 2 pixels.
        if camera.width % 2 != 0 || camera.height % 2 != 0 {
            let (name, width, height) = (&camera.name, camera.width, camera.height);
            let problem = format!(
                "cannot have a video of {name} with {width}x{height} pixels: both must be even"
            );
            return Err(DatasetError::invalid(folder, problem));
        }
    }
    if cameras.is_empty() {
        return Ok(());
    }
    let advice =
        "install it (apt install ffmpeg), or write --format lerobot, whose pictures are PNG";
    let said = match trial() {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            format!("needs the program {PROGRAM} for its videos: {advice}")
        }
        Err(error) => format!(
            "needs a program {PROGRAM} with the encoder {ENCODER} for its videos, but a first frame failed: {error}; {advice}"
        ),
    };
    Err(DatasetError::invalid(folder, said))
}

/// Encodes a black frame and discards it.
fn trial() -> io::Result<()> {
    const SIDE: usize = 16;
    let size = format!("{SIDE}x{SIDE}");
    let mut encoder = Command::new(PROGRAM)
        .args([
            "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", "1", "-i", "-",
        ])
        .args(["-c:v", ENCODER, "-pix_fmt", "yuv420p", "-f", "null", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut pipe) = encoder.stdin.take() {
        // An encoder that fails closes the pipe and says why.
        let _ = pipe.write_all(&[0; 3 * SIDE * SIDE]);
    }
    let ended = encoder.wait_with_output()?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
    Err(io::Error::other(if said.is_empty() {
        ended.status.to_string()
    } else {
        said
    }))
}

/// Writes a video of frames, shape `[n, height, width, 3]`.
pub(super) fn write(
    path: &Path,
    camera: &CameraInfo,
    frames: &[u8],
    rate: f64,
) -> Result<(), DatasetError> {
    // A relative path could be read as an option or as a URL.
    let path = &std::path::absolute(path).map_err(|error| failed(path, &error.to_string()))?;
    let size = format!("{}x{}", camera.width, camera.height);
    let rate = rate.to_string();
    let input = [
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", &rate, "-i", "-",
    ];
    let output = [
        "-an", "-c:v", ENCODER, "-pix_fmt", "yuv420p", "-g", KEY_FRAMES, "-crf", "18",
    ];
    let started = Command::new(PROGRAM)
        .args(["-v", "error", "-y"])
        .args(input)
        .args(output)
        .args(["-movflags", "+faststart"])
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut encoder = started.map_err(|error| failed(path, &error.to_string()))?;
    let sent = match encoder.stdin.take() {
        Some(mut pipe) => pipe.write_all(frames),
        None => Ok(()),
    };
    let ended = encoder.wait_with_output();
    let ended = ended.map_err(|error| failed(path, &error.to_string()))?;
    // An encoder that fails closes the pipe and says why.
    let sent = sent.or_else(|error| match error.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(failed(path, &error.to_string())),
    });
    sent?;
    if !ended.status.success() || !path.is_file() {
        let said = String::from_utf8_lossy(&ended.stderr);
        return Err(failed(path, said.trim()));
    }
    Ok(())
}

fn failed(path: &Path, problem: &str) -> DatasetError {
    DatasetError::invalid(path, format!("cannot be written by {PROGRAM}: {problem}"))
}
