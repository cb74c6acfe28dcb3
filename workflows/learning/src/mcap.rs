//! Experiments and rollouts as MCAP logs.
//!
//! | topic | schema | content |
//! |---|---|---|
//! | `/tf` | `foxglove.FrameTransform` | the probe's face in the world |
//! | `/probe/pose` | `foxglove.PoseInFrame` | the same pose |
//! | `/probe/target` | `foxglove.PoseInFrame` | target pose of the face, in scans and presses |
//! | `/probe/wrench` | `insonate.Wrench` | wrench of the probe on the tissue, in the probe frame |
//! | `/sample` | `insonate.Sample` | the other columns of the log |
//! | `/camera` | `foxglove.CompressedImage` | frames of a rollout's film |

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};
use insonate_datasets::mcap::{LogError, LogPose, McapLog};
use insonate_experiments::Record;
use insonate_sim::render::Image;
use serde_json::{Map, Value, json};

use crate::LearningError;
use crate::evaluation::Rollout;

const WORLD: &str = "world";
const PROBE: &str = "probe";

/// Log of a scan or a press.
///
/// # Errors
/// [`LogError`].
pub fn record_log(record: &Record) -> Result<Vec<u8>, LogError> {
    let mut log = McapLog::new()?;
    for sample in &record.samples {
        let time = sample.time;
        let pose = LogPose {
            position: sample.position,
            rotation: sample.rotation,
        };
        let target = LogPose {
            position: sample.target,
            ..pose
        };
        log_probe(&mut log, time, &pose, sample.force, sample.torque)?;
        log.pose("/probe/target", time, WORLD, &target)?;
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
    log.finish()
}

/// Log of an episode with a frame of its film every `interval` [s].
///
/// # Errors
/// [`LogError`], or an error if a picture cannot be encoded.
pub fn rollout_log(
    rollout: &Rollout,
    frames: &[&Image],
    interval: f64,
) -> Result<Vec<u8>, LearningError> {
    let mut log = McapLog::new()?;
    let mut frames = frames.iter().enumerate().peekable();
    let terms = &rollout.spec.reward_terms;
    for step in &rollout.steps {
        while let Some((index, frame)) = frames.next_if(|(i, _)| *i as f64 * interval <= step.time)
        {
            let time = index as f64 * interval;
            log.image("/camera", time, WORLD, "png", &png_of(frame)?)?;
        }
        let end = step.time + rollout.spec.control_timestep;
        if let Some(probe) = &step.probe {
            let pose = LogPose {
                position: probe.position,
                rotation: probe.rotation,
            };
            log_probe(
                &mut log,
                end,
                &pose,
                probe.force_in_probe,
                probe.torque_in_probe,
            )?;
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

fn log_probe(
    log: &mut McapLog,
    time: f64,
    pose: &LogPose,
    force: [f64; 3],
    torque: [f64; 3],
) -> Result<(), LogError> {
    log.transform(time, WORLD, PROBE, pose)?;
    log.pose("/probe/pose", time, WORLD, pose)?;
    log.wrench("/probe/wrench", time, PROBE, force, torque)
}

fn named<const N: usize>(values: [(&str, Value); N]) -> Map<String, Value> {
    values
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

fn png_of(image: &Image) -> Result<Vec<u8>, image::ImageError> {
    let mut bytes = Vec::new();
    let (compression, filter) = (CompressionType::Default, FilterType::Adaptive);
    PngEncoder::new_with_quality(&mut bytes, compression, filter).write_image(
        &image.rgb,
        image.width,
        image.height,
        ExtendedColorType::Rgb8,
    )?;
    Ok(bytes)
}
