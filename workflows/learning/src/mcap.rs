//! Experiments and rollouts as MCAP logs, and their messages for clients that watch.
//!
//! | topic | Foxglove | ROS 2 | content |
//! |---|---|---|---|
//! | `/tf` | `FrameTransform` | `TFMessage` | the probe's face in the world; the B-mode picture's corner in the probe frame |
//! | `/probe/pose` | `PoseInFrame` | `PoseStamped` | pose of the face |
//! | `/probe/target` | `PoseInFrame` | `PoseStamped` | target pose of the face, in scans and presses |
//! | `/probe/wrench` | `insonate.Wrench` | `WrenchStamped` | wrench of the probe on the tissue, in the probe frame |
//! | `/joint_states` | `JointStates` | `JointState` | joints of the robot, in scans and presses |
//! | `/sample` | `insonate.Sample` | | the other columns of the log |
//! | `/b_mode` | `CompressedImage` | `/b_mode/compressed` | ultrasound of a scan |
//! | `/camera` | `CompressedImage` | `/camera/compressed` | frames of a film |

use std::collections::BTreeMap;
use std::f64::consts::FRAC_1_SQRT_2;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};
use insonate_datasets::mcap::{Dialect, LogPose, McapLog, MessageSink, MessageWriter};
use insonate_experiments::{BModeFilm, FilmFrame, Record};
use insonate_sim::render::Image;
use serde_json::{Map, Value, json};

use crate::LearningError;
use crate::evaluation::Rollout;

const WORLD: &str = "world";
const PROBE: &str = "probe";
/// Frame of the B-mode picture: origin at its upper left corner, x along its rows, y down.
const B_MODE: &str = "b_mode";

/// Log of a scan or a press, with the pictures of ultrasound if there are any.
///
/// # Errors
/// [`LogError`], or an error if a picture cannot be encoded.
pub fn record_log(
    record: &Record,
    b_mode: Option<&BModeFilm>,
    dialect: Dialect,
) -> Result<Vec<u8>, LearningError> {
    let mut log = McapLog::new(dialect)?;
    if let Some(film) = b_mode {
        let [pixel, _, _] = film.geometry();
        let values = BTreeMap::from([("pixel_m".to_owned(), pixel.to_string())]);
        log.metadata(B_MODE, values)?;
    }
    let mut frames = b_mode.into_iter().flat_map(BModeFilm::film_frames);
    let mut frame = frames.next();
    for (index, sample) in record.samples.iter().enumerate() {
        let time = sample.time;
        while let (Some(film), Some(taken)) = (b_mode, &frame)
            && taken.time <= time
        {
            log_frame(&mut log, film, taken)?;
            frame = frames.next();
        }
        let pose = LogPose {
            position: sample.position,
            rotation: sample.rotation,
        };
        let target = LogPose {
            position: sample.target,
            ..pose
        };
        write_probe(&mut log, time, &pose, [sample.force, sample.torque])?;
        log.pose("/probe/target", time, WORLD, &target)?;
        if let Some([positions, velocities]) = record.joints.at(index) {
            log.joints(time, &record.joints.names, positions, velocities)?;
        }
        let values = [
            ("phase", json!(record.phases.get(sample.phase))),
            ("velocity_m_s", json!(sample.velocity)),
            ("contact_force_n", json!(sample.contact_force)),
            ("in_contact", json!(sample.in_contact)),
            ("indentation_m", json!(sample.indentation)),
            ("path_error_m", json!(sample.path_error)),
            ("tilt_rad", json!(sample.tilt)),
        ];
        log.sample("/sample", time, named(values))?;
    }
    Ok(log.finish()?)
}

/// The picture of ultrasound, its place at the probe, and the camera's picture.
fn log_frame(log: &mut McapLog, film: &BModeFilm, frame: &FilmFrame) -> Result<(), LearningError> {
    let [_, x, z] = film.geometry();
    let side = film.side();
    write_b_mode(log, frame.time, [x, z], [side; 2], frame.grey)?;
    if !frame.camera.is_empty() {
        let width = (frame.camera.len() / 3) as u32 / side;
        write_camera(log, frame.time, [width, side], &frame.camera)?;
    }
    Ok(())
}

/// Log of an episode with a frame of its film every `interval` [s].
///
/// # Errors
/// [`LogError`], or an error if a picture cannot be encoded.
pub fn rollout_log(
    rollout: &Rollout,
    frames: &[&Image],
    interval: f64,
    dialect: Dialect,
) -> Result<Vec<u8>, LearningError> {
    let mut log = McapLog::new(dialect)?;
    let mut frames = frames.iter().enumerate().peekable();
    let terms = &rollout.spec.reward_terms;
    for step in &rollout.steps {
        while let Some((index, frame)) = frames.next_if(|(i, _)| *i as f64 * interval <= step.time)
        {
            let time = index as f64 * interval;
            write_camera(&mut log, time, [frame.width, frame.height], &frame.rgb)?;
        }
        let end = step.time + rollout.spec.control_timestep;
        if let Some(probe) = &step.probe {
            let pose = LogPose {
                position: probe.position,
                rotation: probe.rotation,
            };
            let wrench = [probe.force_in_probe, probe.torque_in_probe];
            write_probe(&mut log, end, &pose, wrench)?;
        }
        let terms = terms.iter().zip(&step.reward_terms);
        let terms: Map<String, Value> = terms
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        let values = [
            ("observation", json!(step.observation)),
            ("action", json!(step.action)),
            ("reward", json!(step.reward)),
            ("reward_terms", Value::Object(terms)),
        ];
        log.sample("/sample", step.time, named(values))?;
    }
    Ok(log.finish()?)
}

/// Pose of the probe's face in the world, and the wrench [N, N·m] of the probe on the tissue in the probe's frame.
///
/// # Errors
/// Errors of the sink.
pub fn write_probe<S: MessageSink>(
    to: &mut MessageWriter<S>,
    time: f64,
    pose: &LogPose,
    [force, torque]: [[f64; 3]; 2],
) -> Result<(), S::Error> {
    to.transform(time, WORLD, PROBE, pose)?;
    to.pose("/probe/pose", time, WORLD, pose)?;
    to.wrench("/probe/wrench", time, PROBE, force, torque)
}

/// A picture of ultrasound, and the place of its upper left corner at the probe (x, z) [m].
///
/// # Errors
/// Errors of the sink, or an error if the picture cannot be encoded.
pub fn write_b_mode<S: MessageSink>(
    to: &mut MessageWriter<S>,
    time: f64,
    [x, z]: [f64; 2],
    size: [u32; 2],
    grey: &[u8],
) -> Result<(), LearningError>
where
    LearningError: From<S::Error>,
{
    let corner = LogPose {
        position: [x, 0.0, z],
        // A quarter turn about x: down in the picture is along the beam.
        rotation: [FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0, 0.0],
    };
    to.transform(time, PROBE, B_MODE, &corner)?;
    if to.is_wanted("/b_mode") {
        let picture = png(grey, size, ExtendedColorType::L8)?;
        to.image("/b_mode", time, B_MODE, "png", &picture)?;
    }
    Ok(())
}

/// A picture of a camera, as red, green and blue.
///
/// # Errors
/// Errors of the sink, or an error if the picture cannot be encoded.
pub fn write_camera<S: MessageSink>(
    to: &mut MessageWriter<S>,
    time: f64,
    size: [u32; 2],
    rgb: &[u8],
) -> Result<(), LearningError>
where
    LearningError: From<S::Error>,
{
    if to.is_wanted("/camera") {
        let picture = png(rgb, size, ExtendedColorType::Rgb8)?;
        to.image("/camera", time, WORLD, "png", &picture)?;
    }
    Ok(())
}

fn named<const N: usize>(values: [(&str, Value); N]) -> Map<String, Value> {
    values
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

fn png(
    pixels: &[u8],
    [width, height]: [u32; 2],
    color: ExtendedColorType,
) -> Result<Vec<u8>, image::ImageError> {
    let mut bytes = Vec::new();
    let (compression, filter) = (CompressionType::Default, FilterType::Adaptive);
    PngEncoder::new_with_quality(&mut bytes, compression, filter)
        .write_image(pixels, width, height, color)?;
    Ok(bytes)
}
