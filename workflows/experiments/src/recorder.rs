//! Model of a recorder: sampling, latency, noise, bias and quantisation of a simulated press.

use insonate_calibration::synthetic::Sensor;
use insonate_calibration::{Channel, Log, LogFrames, LogSource, Motion};
use insonate_settings::check_range;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::Serialize;

/// Resolution of written numbers, finer than any noise: time [s], position [m], velocity [m/s], force [N].
const WRITTEN: [f64; 4] = [1e-6, 1e-7, 1e-6, 1e-5];
/// Offsets of the normal force at the five sites of the thesis (Jakobsen 2021), from lower right to upper right [N].
const THESIS_BIAS: [f64; 2] = [-1.93, 0.645];
/// Bias across the normal, which the thesis does not report [N].
const LATERAL_BIAS: [f64; 2] = [-0.5, 0.5];

/// Errors of a recorder, in world axes. Each site has its own random bias.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Recorder {
    /// Sample rate [Hz].
    pub rate: f64,
    /// Standard deviation of the force noise per axis [N].
    pub force_noise: f64,
    /// Range of the uniformly distributed bias along z [N].
    pub bias: [f64; 2],
    /// Range of the uniformly distributed bias along x and y [N].
    pub lateral_bias: [f64; 2],
    /// Delay of the force relative to the position in the same sample [s].
    pub latency: f64,
    /// Quantisation step of the recorded force [N]; 0 means none.
    pub force_step: f64,
    /// Standard deviation of the position noise per axis [m].
    pub position_noise: f64,
    /// Standard deviation of the velocity noise per axis [m/s].
    pub velocity_noise: f64,
}

impl Recorder {
    /// A recorder without errors.
    pub fn exact(rate: f64) -> Self {
        Self {
            rate,
            force_noise: 0.0,
            bias: [0.0; 2],
            lateral_bias: [0.0; 2],
            latency: 0.0,
            force_step: 0.0,
            position_noise: 0.0,
            velocity_noise: 0.0,
        }
    }

    /// A recorder with a bias within the offsets of the thesis. Noise and quantisation, which the thesis does not report, are of a
    /// common
    /// flange sensor ([`Sensor::default`]). There is no latency.
    pub fn thesis(rate: f64) -> Self {
        let usual = Sensor::default();
        Self {
            force_noise: usual.force_noise,
            bias: THESIS_BIAS,
            lateral_bias: LATERAL_BIAS,
            latency: usual.force_latency,
            force_step: usual.force_step,
            position_noise: usual.position_noise,
            velocity_noise: usual.velocity_noise,
            ..Self::exact(rate)
        }
    }

    /// A recorder from words: `none`, `thesis`, or keys with values such as `force=0.05,bias=-1.9:0.6`.
    ///
    /// # Errors
    /// What is wrong with the words, and what they may be.
    pub fn parse(text: &str, rate: f64) -> Result<Self, String> {
        let mut recorder = match text {
            "none" => return Ok(Self::exact(rate)),
            "thesis" => return Ok(Self::thesis(rate)),
            _ => Self::exact(rate),
        };
        let known = "none, thesis, or keys out of force, bias, lateral-bias, latency, step, position, velocity";
        for pair in text.split(',') {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| format!("{pair:?} is not key=value; it must be {known}"))?;
            let number = |word: &str| {
                let number = word.trim().parse::<f64>().ok().filter(|x| x.is_finite());
                number.ok_or_else(|| format!("{key} is {word:?}; it must be a number"))
            };
            // One number is a fixed bias, two are a range.
            let range = || match value.split_once(':') {
                Some((low, high)) => Ok::<_, String>([number(low)?, number(high)?]),
                None => number(value).map(|value| [value; 2]),
            };
            match key.trim() {
                "force" => recorder.force_noise = number(value)?,
                "bias" => recorder.bias = range()?,
                "lateral-bias" => recorder.lateral_bias = range()?,
                "latency" => recorder.latency = number(value)?,
                "step" => recorder.force_step = number(value)?,
                "position" => recorder.position_noise = number(value)?,
                "velocity" => recorder.velocity_noise = number(value)?,
                other => return Err(format!("there is no noise {other:?}; it must be {known}")),
            }
        }
        Ok(recorder)
    }

    /// Checks that the settings are valid.
    ///
    /// # Errors
    /// [`insonate_models::ModelError::OutOfRange`] with the name of the field.
    pub fn check(&self) -> Result<(), insonate_models::ModelError> {
        check_range("rate", self.rate, [20.0, 10_000.0], "Hz")?;
        check_range("force noise", self.force_noise, [0.0, 10.0], "N")?;
        for bias in self.bias.iter().chain(&self.lateral_bias) {
            check_range("bias", *bias, [-100.0, 100.0], "N")?;
        }
        check_range("latency", self.latency, [0.0, 0.2], "s")?;
        check_range("force step", self.force_step, [0.0, 1.0], "N")?;
        check_range("position noise", self.position_noise, [0.0, 0.01], "m")?;
        Ok(check_range(
            "velocity noise",
            self.velocity_noise,
            [0.0, 0.1],
            "m/s",
        )?)
    }

    /// Random bias of the `index`-th site [N].
    pub fn draw_bias(&self, seed: u64, index: u64) -> [f64; 3] {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(2 * index);
        let mut draw = |[low, high]: [f64; 2]| low + (high - low) * rng.random_range(0.0..1.0);
        [
            draw(self.lateral_bias),
            draw(self.lateral_bias),
            draw(self.bias),
        ]
    }

    /// Log that the recorder writes for a press.
    pub fn record(
        &self,
        name: &str,
        truth: &ProbeTrajectory,
        bias: [f64; 3],
        seed: u64,
        index: u64,
    ) -> Log {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(2 * index + 1);
        let mut noise = |deviation: f64| -> f64 {
            let value: f64 = StandardNormal.sample(&mut rng);
            deviation * value
        };
        let end = truth.time.last().copied().unwrap_or_default();
        let start = truth.time.first().copied().unwrap_or_default();
        let n = ((end - start) * self.rate + 1e-6) as usize + 1;
        let (mut time, mut position) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let (mut velocity, mut force) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let [t_step, r_step, v_step, f_step] = WRITTEN;
        for i in 0..n {
            let now = start + i as f64 / self.rate;
            time.push(rounded(i as f64 / self.rate, t_step));
            let [r, v] = [&truth.position, &truth.velocity].map(|values| truth.at(values, now));
            let f = truth.at(&truth.force, now - self.latency);
            position.push(r.map(|r| rounded(r + noise(self.position_noise), r_step)));
            velocity.push(v.map(|v| rounded(v + noise(self.velocity_noise), v_step)));
            force.push([0, 1, 2].map(|axis| {
                let read = f[axis] + bias[axis] + noise(self.force_noise);
                rounded(rounded(read, self.force_step), f_step)
            }));
        }
        Log {
            source: LogSource {
                file: name.to_owned(),
                format: "synthetic",
                ..LogSource::default()
            },
            time,
            motion: Motion::Position(Channel::Vector(position)),
            velocity: Some(Channel::Vector(velocity)),
            force: Channel::Vector(force),
            frames: LogFrames::default(),
        }
    }
}

/// Trajectory of the probe at every physics step; world axes, shape `[n]` each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbeTrajectory {
    /// Time [s].
    pub time: Vec<f64>,
    /// Position of the face centre [m].
    pub position: Vec<[f64; 3]>,
    /// Velocity of the face centre [m/s].
    pub velocity: Vec<[f64; 3]>,
    /// Force of the probe on the tissue [N].
    pub force: Vec<[f64; 3]>,
}

impl ProbeTrajectory {
    /// A vector at a time, interpolated linearly between steps; constant before the first and after the last one.
    fn at(&self, values: &[[f64; 3]], time: f64) -> [f64; 3] {
        let next = self.time.partition_point(|&t| t <= time);
        if next == 0 || next == self.time.len() {
            return values[next.min(values.len() - 1)];
        }
        let (before, after) = (self.time[next - 1], self.time[next]);
        let share = (time - before) / (after - before);
        [0, 1, 2].map(|axis| {
            let (a, b) = (values[next - 1][axis], values[next][axis]);
            a + share * (b - a)
        })
    }
}

/// The nearest multiple of a step, with the shortest decimal form; the value itself if the step is 0.
fn rounded(value: f64, step: f64) -> f64 {
    if step == 0.0 {
        return value;
    }
    // Dividing by a whole number gives the nearest decimal; multiplying by the inverse can miss it in the last bit.
    let per_unit = (1.0 / step).round();
    if (per_unit * step - 1.0).abs() < 1e-9 {
        (value * per_unit).round() / per_unit
    } else {
        (value / step).round() * step
    }
}
