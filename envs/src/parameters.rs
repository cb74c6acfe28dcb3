//! Named random numbers of an episode.

use rand::Rng;

use crate::settings::check_range;
use crate::{EnvError, ResetOptions};

/// A number that each episode draws, and that options can fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The range that it is drawn from, evenly.
    pub drawn: [f64; 2],
    /// The range that it can be fixed in.
    pub allowed: [f64; 2],
    /// Whether it is a whole number: draws are rounded down.
    pub is_whole: bool,
}

impl Parameter {
    /// A parameter that can be fixed wherever it can be drawn.
    pub const fn new(name: &'static str, unit: &'static str, low: f64, high: f64) -> Self {
        Self {
            name,
            unit,
            drawn: [low, high],
            allowed: [low, high],
            is_whole: false,
        }
    }

    /// The same parameter, to be fixed in another range.
    #[must_use]
    pub const fn allowing(mut self, low: f64, high: f64) -> Self {
        self.allowed = [low, high];
        self
    }

    /// The same parameter as a whole number.
    #[must_use]
    pub const fn whole(mut self) -> Self {
        self.is_whole = true;
        self
    }

    /// A random value.
    pub fn draw(&self, rng: &mut impl Rng) -> f64 {
        let value = self.drawn[0] + (self.drawn[1] - self.drawn[0]) * rng.random::<f64>();
        if self.is_whole { value.floor() } else { value }
    }
}

/// Names with units, as [`crate::EnvSpec::parameters`] lists them.
pub fn names(parameters: &[Parameter]) -> Vec<String> {
    let names = parameters.iter();
    names.map(|p| format!("{} [{}]", p.name, p.unit)).collect()
}

/// Draws every parameter, in their order, and fixes those in `options`.
///
/// # Errors
/// As [`fix`].
pub fn draw(
    parameters: &[Parameter],
    options: &ResetOptions,
    rng: &mut impl Rng,
) -> Result<Vec<f64>, EnvError> {
    let mut values: Vec<f64> = parameters.iter().map(|p| p.draw(rng)).collect();
    fix(parameters, options, &mut values)?;
    Ok(values)
}

/// Writes those values that the options fix over those that were drawn.
///
/// # Errors
/// [`EnvError::Unknown`] for an option that is no parameter; [`EnvError::Config`] for a value out of range.
pub fn fix(
    parameters: &[Parameter],
    options: &ResetOptions,
    values: &mut [f64],
) -> Result<(), EnvError> {
    for (name, &value) in &options.parameters {
        let place = parameters.iter().position(|p| p.name == name);
        let place = place.ok_or_else(|| {
            let known: Vec<&str> = parameters.iter().map(|p| p.name).collect();
            EnvError::unknown("parameter", name, &known)
        })?;
        let [least, most] = parameters[place].allowed;
        check_range(name, value, least, most)?;
        if parameters[place].is_whole && value.fract() != 0.0 {
            return Err(EnvError::Config {
                field: name.clone(),
                problem: format!("is {value}, but must be a whole number"),
            });
        }
        values[place] = value;
    }
    Ok(())
}
