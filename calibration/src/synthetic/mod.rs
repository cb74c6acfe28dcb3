//! Synthetic logs with known truth: a law, a motion, and a sensor with noise, bias, latency and quantisation.
//!
//! ```
//! use insonate_calibration::synthetic::{Law, MotionFrame, SyntheticLog, Trajectory};
//!
//! let law = Law::KelvinVoigt { stiffness: 1324.17, damping: 17.59 };
//! let frame = MotionFrame::Axis { surface: 0.12, outward: true };
//! let log = SyntheticLog::new(law, Trajectory::press(), frame).generate();
//! assert_eq!(log.len(), 2900);
//! ```

mod law;
mod sensor;
mod text;
mod trajectory;

pub use law::Law;
pub use sensor::{MotionFrame, Sensor};
pub use text::to_csv;
pub use trajectory::{MotionState, Segment, Trajectory};

use nalgebra::Vector3;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sensor::gaussian;

use crate::{Channel, Log, LogFrames, LogSource, Motion};

/// Settings of a synthetic log.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntheticLog {
    /// Name, used like a file name.
    pub name: String,
    /// Law of the tissue.
    pub law: Law,
    /// Moving mass whose inertia the sensor measures, also in air [kg]; 0: none.
    pub mass: f64,
    /// Motion along the normal.
    pub motion: Trajectory,
    /// Frame of the log.
    pub frame: MotionFrame,
    /// Errors of the recording.
    pub sensor: Sensor,
    /// Samples per second [Hz].
    pub rate: f64,
    /// Seed of all noise.
    pub seed: u64,
}

/// The true values of a log at the sampling instants; shapes `[n]`.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundTruth {
    /// Sampling instants [s].
    pub time: Vec<f64>,
    /// Indentation, negative in air [m].
    pub indentation: Vec<f64>,
    /// Velocity; positive into the tissue [m/s].
    pub velocity: Vec<f64>,
    /// Force into the tissue including the inertia of the moving mass and the latency, before noise and bias [N].
    pub force: Vec<f64>,
}

impl SyntheticLog {
    /// A log with 500 Hz, seed 0, no moving mass, and the default sensor.
    pub fn new(law: Law, motion: Trajectory, frame: MotionFrame) -> Self {
        Self {
            name: "synthetic".to_owned(),
            law,
            mass: 0.0,
            motion,
            frame,
            sensor: Sensor::default(),
            rate: 500.0,
            seed: 0,
        }
    }

    /// The true parameters, by the names used in fits.
    pub fn parameters(&self) -> Vec<(&'static str, f64)> {
        let mut parameters = self.law.parameters();
        if self.mass > 0.0 {
            parameters.push(("mass", self.mass));
        }
        parameters
    }

    /// The true value of a parameter; `None` if the law has no such parameter.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        let found = self.parameters().into_iter().find(|entry| entry.0 == name);
        found.map(|entry| entry.1)
    }

    /// The values that a perfect recorder would record.
    pub fn truth(&self) -> GroundTruth {
        // A separate random stream, so that jitter does not change the other noise.
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(1);
        let interval = 1.0 / self.rate;
        let jitter = self.sensor.sampling_jitter.min(0.3 * interval);
        let n = (self.motion.duration() * self.rate + 1e-9) as usize;
        let time: Vec<f64> = (0..n)
            .map(|index| {
                let nominal = index as f64 * interval;
                // Clipped, so that time increases.
                nominal + gaussian(&mut rng, jitter).clamp(-0.49 * interval, 0.49 * interval)
            })
            .collect();
        let states: Vec<MotionState> = time.iter().map(|&time| self.motion.at(time)).collect();
        let late: Vec<f64> = time
            .iter()
            .map(|time| time - self.sensor.force_latency)
            .collect();
        let force = self
            .law
            .forces(&self.motion, &late)
            .into_iter()
            .zip(&late)
            .map(|(force, &time)| force + self.mass * self.motion.at(time).acceleration)
            .collect();
        GroundTruth {
            time,
            indentation: states.iter().map(|state| state.indentation).collect(),
            velocity: states.iter().map(|state| state.velocity).collect(),
            force,
        }
    }

    /// Generates the log.
    pub fn generate(&self) -> Log {
        let truth = self.truth();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let sensor = &self.sensor;
        let along = self.direction();
        let position = self.positions(&truth, &along, &mut rng);
        let velocity = truth.velocity.iter().map(|velocity| {
            let mut noisy = along * *velocity;
            noisy.apply(|value| *value += gaussian(&mut rng, sensor.velocity_noise));
            noisy
        });
        let velocity: Vec<_> = velocity.collect();
        let push = if sensor.pressing_positive { 1.0 } else { -1.0 } * self.force_direction();
        let bias = Vector3::from(sensor.bias);
        let span = truth.time.last().copied().unwrap_or(1.0).max(1e-9);
        let force: Vec<_> = truth
            .time
            .iter()
            .zip(&truth.force)
            .map(|(time, force)| {
                let mut read = push * *force + bias;
                read.apply(|value| {
                    *value +=
                        sensor.bias_drift * time / span + gaussian(&mut rng, sensor.force_noise);
                    *value = sensor.quantised(*value);
                });
                read
            })
            .collect();
        let time = truth
            .time
            .iter()
            .map(|time| time + gaussian(&mut rng, sensor.clock_jitter))
            .collect();
        let motion = match self.frame {
            MotionFrame::Indentation => Motion::Indentation(last(&position)),
            _ => Motion::Position(self.channel(&position)),
        };
        Log {
            source: LogSource {
                file: self.name.clone(),
                format: "synthetic",
                ..LogSource::default()
            },
            time,
            motion,
            velocity: sensor.velocity_logged.then(|| self.channel(&velocity)),
            force: self.channel(&force),
            frames: LogFrames::default(),
        }
    }

    /// The log as CSV, with the true parameters in comments before the header.
    pub fn to_csv(&self) -> String {
        let parameters: Vec<String> = self
            .parameters()
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let comments = [
            format!("synthetic: law {}", parameters.join(", ")),
            format!("synthetic: seed {}, {:?}", self.seed, self.frame),
            format!("synthetic: {:?}", self.sensor),
        ];
        to_csv(&self.generate(), &comments)
    }

    /// Unit vector into the tissue, in the frame of the positions; scalar logs use the last axis.
    fn direction(&self) -> Vector3<f64> {
        match self.frame {
            MotionFrame::Indentation => Vector3::z(),
            MotionFrame::Axis { outward, .. } => Vector3::z() * if outward { -1.0 } else { 1.0 },
            MotionFrame::Space { normal, .. } => -Vector3::from(normal).normalize(),
        }
    }

    /// Unit vector of a pressing force; the sign of a scalar force is set separately.
    fn force_direction(&self) -> Vector3<f64> {
        match self.frame {
            MotionFrame::Space { .. } => self.direction(),
            _ => Vector3::z(),
        }
    }

    fn positions(
        &self,
        truth: &GroundTruth,
        along: &Vector3<f64>,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Vector3<f64>> {
        let origin = match self.frame {
            MotionFrame::Indentation => Vector3::zeros(),
            MotionFrame::Axis { surface, .. } => Vector3::z() * surface,
            MotionFrame::Space { surface, .. } => Vector3::from(surface),
        };
        let noise = self.sensor.position_noise;
        let noisy = truth.indentation.iter().map(|indentation| {
            let mut position = origin + along * *indentation;
            position.apply(|value| *value += gaussian(rng, noise));
            position
        });
        noisy.collect()
    }

    fn channel(&self, vectors: &[Vector3<f64>]) -> Channel {
        match self.frame {
            MotionFrame::Space { .. } => {
                Channel::Vector(vectors.iter().map(|vector| (*vector).into()).collect())
            }
            _ => Channel::Scalar(last(vectors)),
        }
    }
}

fn last(vectors: &[Vector3<f64>]) -> Vec<f64> {
    vectors.iter().map(|vector| vector.z).collect()
}
