//! Boxes of real numbers with named, bounded axes, for observations and actions.

use rand::Rng;

use crate::EnvError;

/// A box in `R^n` with closed bounds, `f32`, as Gymnasium's `Box`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoxSpace {
    /// Name of each entry with its unit, such as `probe_force_z [N]`; shape `[n]`.
    pub names: Vec<String>,
    /// Lower bounds, shape `[n]`. `-inf`: unbounded.
    pub low: Vec<f32>,
    /// Upper bounds, shape `[n]`. `inf`: unbounded.
    pub high: Vec<f32>,
    /// Reference frame of each entry, such as `world`, or the frame whose z axis it lies along; shape `[n]`. Empty: no frame.
    pub frames: Vec<String>,
    /// Time filter of each entry, shape `[n]`. Empty: the value at the end of the control step.
    pub filters: Vec<String>,
}

impl BoxSpace {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.low.len()
    }

    /// Whether the box has no entries.
    pub fn is_empty(&self) -> bool {
        self.low.is_empty()
    }

    /// Entries without bounds.
    pub fn unbounded(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut space = Self::default();
        for name in names {
            space.push(name, f32::NEG_INFINITY, f32::INFINITY);
        }
        space
    }

    /// Adds an entry.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, low: f32, high: f32) -> Self {
        self.push(name, low, high);
        self
    }

    /// Adds an entry.
    pub fn push(&mut self, name: impl Into<String>, low: f32, high: f32) {
        self.names.push(name.into());
        self.low.push(low);
        self.high.push(high);
        self.frames.push(String::new());
        self.filters.push(String::new());
    }

    /// Adds the entries of another box.
    pub fn extend(&mut self, other: Self) {
        self.names.extend(other.names);
        self.low.extend(other.low);
        self.high.extend(other.high);
        self.frames.extend(other.frames);
        self.filters.extend(other.filters);
    }

    /// Sets the frame of the entries without one.
    #[must_use]
    pub fn in_frame(mut self, frame: &str) -> Self {
        name_rest(&mut self.frames, frame);
        self
    }

    /// Sets the filter of the entries without one.
    #[must_use]
    pub fn filtered(mut self, filter: &str) -> Self {
        name_rest(&mut self.filters, filter);
        self
    }

    /// Checks that a point is within the box.
    ///
    /// # Errors
    /// [`EnvError::Length`], [`EnvError::NotFinite`] or [`EnvError::OutOfBounds`] with the first invalid entry. `what` is the kind of
    /// point, such as `action`.
    pub fn check(&self, what: &'static str, point: &[f32]) -> Result<(), EnvError> {
        if point.len() != self.len() {
            return Err(EnvError::Length {
                what,
                expected: self.len(),
                found: point.len(),
            });
        }
        for (index, &value) in point.iter().enumerate() {
            if value.is_nan() || (value.is_infinite() && what == "action") {
                return Err(EnvError::NotFinite {
                    what,
                    index,
                    name: self.names[index].clone(),
                    value,
                });
            }
            if value < self.low[index] || value > self.high[index] {
                return Err(EnvError::OutOfBounds {
                    what,
                    index,
                    name: self.names[index].clone(),
                    value,
                    low: self.low[index],
                    high: self.high[index],
                });
            }
        }
        Ok(())
    }

    /// Clips each entry to its bounds. NaN stays NaN.
    pub fn clip(&self, point: &mut [f32]) {
        for ((value, &low), &high) in point.iter_mut().zip(&self.low).zip(&self.high) {
            if *value < low {
                *value = low;
            } else if *value > high {
                *value = high;
            }
        }
    }

    /// A random point: uniform between two bounds, exponential from one bound, normal without bounds, as in Gymnasium.
    pub fn sample(&self, rng: &mut impl Rng, point: &mut [f32]) {
        use rand_distr::{Exp1, StandardNormal};
        for ((value, &low), &high) in point.iter_mut().zip(&self.low).zip(&self.high) {
            *value = match (low.is_finite(), high.is_finite()) {
                (true, true) => low + (high - low) * rng.random::<f32>(),
                (true, false) => low + rng.sample::<f32, _>(Exp1),
                (false, true) => high - rng.sample::<f32, _>(Exp1),
                (false, false) => rng.sample(StandardNormal),
            };
        }
    }
}

fn name_rest(texts: &mut [String], text: &str) {
    for empty in texts.iter_mut().filter(|text| text.is_empty()) {
        text.clone_into(empty);
    }
}
