//! Motions along the surface normal: indentation, velocity and acceleration in closed form.

use std::f64::consts::TAU;

/// State of the probe at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionState {
    /// Indentation r [m]; negative in free air.
    pub indentation: f64,
    /// ṙ [m/s].
    pub velocity: f64,
    /// r̈ [m/s²].
    pub acceleration: f64,
}

/// A segment of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    /// Rest for this time [s].
    Hold(f64),
    /// Move to an indentation.
    Move {
        /// Indentation at the end [m].
        to: f64,
        /// Speed between acceleration and deceleration [m/s].
        speed: f64,
        /// Time to accelerate, and to decelerate [s]; the acceleration is (1 − cos), so it has no jumps.
        ramp: f64,
    },
    /// Oscillation about the start position: A w(t) sin(2π f t).
    Sine {
        /// A [m].
        amplitude: f64,
        /// f [Hz].
        frequency: f64,
        /// Number of cycles.
        cycles: f64,
        /// Number of cycles over which w grows smoothly from 0 to 1, and decreases at the end; 0: w = 1.
        fade: f64,
    },
}

/// A motion: a sequence of segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Start time [s], start indentation [m] and segment of each piece.
    pieces: Vec<(f64, f64, Segment)>,
    /// Time [s] and indentation [m] at the end.
    end: (f64, f64),
}

impl Trajectory {
    /// A motion that starts at an indentation [m] (negative: in free air) and follows `segments`.
    pub fn new(start: f64, segments: &[Segment]) -> Self {
        let (mut time, mut indentation) = (0.0, start);
        let mut pieces = Vec::with_capacity(segments.len());
        for &segment in segments {
            pieces.push((time, indentation, segment));
            time += segment.duration(indentation);
            if let Segment::Move { to, .. } = segment {
                indentation = to;
            }
        }
        Self {
            pieces,
            end: (time, indentation),
        }
    }

    /// The press of the thesis: from 10 mm of free air at 10 mm/s to 8 mm depth, hold for 1 s, and back; 5.8 s.
    pub fn press() -> Self {
        let ramp = 0.2;
        let speed = 0.01;
        Self::new(
            -0.01,
            &[
                Segment::Hold(0.5),
                Segment::Move {
                    to: 0.008,
                    speed,
                    ramp,
                },
                Segment::Hold(1.0),
                Segment::Move {
                    to: -0.01,
                    speed,
                    ramp,
                },
                Segment::Hold(0.3),
            ],
        )
    }

    /// A press that separates stiffness, damping and relaxation: press at 10 mm/s to 6 mm, hold, three sines (0.5,
    /// 1.5, 4 Hz) about it, steps at 2, 8 and 30 mm/s, hold, retreat; about 17 s.
    pub fn rich() -> Self {
        let sine = |amplitude, frequency, cycles| Segment::Sine {
            amplitude,
            frequency,
            cycles,
            fade: 0.5,
        };
        let step = |to, speed, ramp| Segment::Move { to, speed, ramp };
        Self::new(
            -0.01,
            &[
                Segment::Hold(1.0),
                step(0.006, 0.01, 0.2),
                Segment::Hold(1.0),
                sine(0.002, 0.5, 2.0),
                sine(0.002, 1.5, 3.0),
                sine(0.001, 4.0, 4.0),
                step(0.003, 0.002, 0.1),
                step(0.008, 0.008, 0.1),
                step(0.004, 0.008, 0.1),
                step(0.008, 0.03, 0.05),
                Segment::Hold(1.0),
                step(-0.01, 0.01, 0.2),
                Segment::Hold(1.0),
            ],
        )
    }

    /// Palpation: always in contact, a sine of 2 Hz with 3 mm amplitude on a preload of 5 mm, for the given number of
    /// cycles.
    pub fn palpation(cycles: f64) -> Self {
        Self::new(
            0.005,
            &[Segment::Sine {
                amplitude: 0.003,
                frequency: 2.0,
                cycles,
                fade: 0.0,
            }],
        )
    }

    /// Duration [s].
    pub fn duration(&self) -> f64 {
        self.end.0
    }

    /// State of the probe at a time [s]; it rests before 0 and after the end.
    pub fn at(&self, time: f64) -> MotionState {
        if time >= self.end.0 || time < 0.0 {
            let start = self.pieces.first().map_or(self.end.1, |piece| piece.1);
            return MotionState {
                indentation: if time < 0.0 { start } else { self.end.1 },
                ..MotionState::default()
            };
        }
        let next = self.pieces.partition_point(|piece| piece.0 <= time);
        let (start, indentation, segment) = self.pieces[next - 1];
        let mut state = segment.at(time - start, indentation);
        state.indentation += indentation;
        state
    }

    /// Times at which velocity or its derivatives jump, or at which the probe crosses the surface [s], increasing.
    pub(super) fn kinks(&self) -> Vec<f64> {
        let mut kinks = Vec::new();
        for (start, indentation, segment) in &self.pieces {
            kinks.push(*start);
            match *segment {
                Segment::Move { to, speed, ramp } => {
                    let duration = move_duration(to - indentation, speed, ramp);
                    kinks.extend([start + ramp, start + duration - ramp]);
                }
                Segment::Sine {
                    frequency,
                    cycles,
                    fade,
                    ..
                } => kinks.extend([
                    start + fade / frequency,
                    start + (cycles - fade) / frequency,
                ]),
                Segment::Hold(_) => {}
            }
        }
        kinks.extend(self.crossings());
        kinks.sort_by(f64::total_cmp);
        kinks
    }

    /// Times at which the probe crosses the surface [s], increasing.
    pub fn crossings(&self) -> Vec<f64> {
        const STEP: f64 = 1e-3;
        let above = |time: f64| self.at(time).indentation > 0.0;
        let mut crossings = Vec::new();
        let mut time = 0.0;
        while time < self.end.0 {
            let (mut low, mut high) = (time, time + STEP);
            if above(low) != above(high) {
                let side = above(low);
                // 60 bisections of 1 ms are below the spacing of f64.
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if above(middle) == side {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                crossings.push(high);
            }
            time += STEP;
        }
        crossings
    }
}

impl Segment {
    fn duration(&self, from: f64) -> f64 {
        match *self {
            Self::Hold(duration) => duration,
            Self::Move { to, speed, ramp } => move_duration(to - from, speed, ramp),
            Self::Sine {
                frequency, cycles, ..
            } => cycles / frequency,
        }
    }

    /// State relative to the start of the segment.
    fn at(&self, time: f64, from: f64) -> MotionState {
        match *self {
            Self::Hold(_) => MotionState::default(),
            Self::Move { to, speed, ramp } => {
                let distance = to - from;
                let duration = move_duration(distance, speed, ramp);
                let velocity = distance / (duration - ramp);
                moving(time, velocity, distance, duration, ramp)
            }
            Self::Sine {
                amplitude,
                frequency,
                cycles,
                fade,
            } => {
                let duration = cycles / frequency;
                let rate = frequency / fade.max(f64::MIN_POSITIVE);
                let into = fading(time * rate, rate);
                let out = fading((duration - time) * rate, -rate);
                // The two fades do not overlap: one of them is 1 with zero derivatives.
                let [w, dw, ddw] = if fade == 0.0 {
                    [1.0, 0.0, 0.0]
                } else if time < 0.5 * duration {
                    into
                } else {
                    out
                };
                let omega = TAU * frequency;
                let (sin, cos) = (omega * time).sin_cos();
                MotionState {
                    indentation: amplitude * w * sin,
                    velocity: amplitude * (dw * sin + w * omega * cos),
                    acceleration: amplitude
                        * (ddw * sin + 2.0 * dw * omega * cos - w * omega * omega * sin),
                }
            }
        }
    }
}

/// Duration [s] of a move. A move too short for its speed is slowed down so that acceleration and deceleration just
/// fit.
fn move_duration(distance: f64, speed: f64, ramp: f64) -> f64 {
    (distance.abs() / speed).max(ramp) + ramp
}

fn moving(time: f64, velocity: f64, distance: f64, duration: f64, ramp: f64) -> MotionState {
    let ramped = |time: f64| {
        let u = time / ramp;
        MotionState {
            indentation: velocity * ramp * (0.5 * u * u + ((TAU * u).cos() - 1.0) / (TAU * TAU)),
            velocity: velocity * (u - (TAU * u).sin() / TAU),
            acceleration: velocity / ramp * (1.0 - (TAU * u).cos()),
        }
    };
    if time < ramp {
        ramped(time)
    } else if time <= duration - ramp {
        MotionState {
            indentation: velocity * (time - 0.5 * ramp),
            velocity,
            acceleration: 0.0,
        }
    } else {
        let mirrored = ramped((duration - time).max(0.0));
        MotionState {
            indentation: distance - mirrored.indentation,
            velocity: mirrored.velocity,
            acceleration: -mirrored.acceleration,
        }
    }
}

/// 10 u³ − 15 u⁴ + 6 u⁵ on [0, 1] with its first two derivatives in time, where u̇ = `rate`.
fn fading(u: f64, rate: f64) -> [f64; 3] {
    if u >= 1.0 {
        return [1.0, 0.0, 0.0];
    }
    let u = u.max(0.0);
    [
        u * u * u * (10.0 + u * (-15.0 + 6.0 * u)),
        30.0 * u * u * (1.0 - u) * (1.0 - u) * rate,
        60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) * rate * rate,
    ]
}
