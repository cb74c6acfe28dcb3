//! Named random parameters of an episode.

use insonate_settings::check_range;
use rand::Rng;

use crate::{EnvError, ResetOptions};

/// A parameter that each episode draws and that options can fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Range of the uniform distribution.
    pub drawn: [f64; 2],
    /// Range of values that options may set.
    pub allowed: [f64; 2],
    /// Whether it is an integer: drawn values are rounded down.
    pub is_whole: bool,
}

impl Parameter {
    /// Creates a parameter whose allowed range is the range of its distribution.
    pub const fn new(name: &'static str, unit: &'static str, low: f64, high: f64) -> Self {
        Self {
            name,
            unit,
            drawn: [low, high],
            allowed: [low, high],
            is_whole: false,
        }
    }

    /// Returns the parameter with another allowed range.
    #[must_use]
    pub const fn allowing(mut self, low: f64, high: f64) -> Self {
        self.allowed = [low, high];
        self
    }

    /// Returns the parameter as an integer.
    #[must_use]
    pub const fn whole(mut self) -> Self {
        self.is_whole = true;
        self
    }

    /// Draws a value.
    pub fn draw(&self, rng: &mut impl Rng) -> f64 {
        let value = self.drawn[0] + (self.drawn[1] - self.drawn[0]) * rng.random::<f64>();
        if self.is_whole { value.floor() } else { value }
    }
}

/// Names with units, as in [`crate::EnvSpec::parameters`].
pub fn names(parameters: &[Parameter]) -> Vec<String> {
    let names = parameters.iter();
    names.map(|p| format!("{} [{}]", p.name, p.unit)).collect()
}

/// Draws all parameters in their order and fixes those in `options`.
///
/// # Errors
/// Those of [`fix`].
pub fn draw(
    parameters: &[Parameter],
    options: &ResetOptions,
    rng: &mut impl Rng,
) -> Result<Vec<f64>, EnvError> {
    let mut values: Vec<f64> = parameters.iter().map(|p| p.draw(rng)).collect();
    fix(parameters, options, &mut values)?;
    Ok(values)
}

/// Replaces drawn values by the values that the options fix.
///
/// # Errors
/// [`EnvError::Unknown`] if an option is not a parameter; [`EnvError::OutOfRange`] for a value.
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
        check_range(name, value, [least, most], "")?;
        if parameters[place].is_whole && value.fract() != 0.0 {
            return Err(EnvError::Config {
                field: name.clone(),
                problem: format!("is {value}; it must be a whole number"),
            });
        }
        values[place] = value;
    }
    Ok(())
}
