//! Sex, height and mass of a patient, and the widths and depths of the trunk that follow from them.

use insonate_settings::check_range;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

use crate::ModelError;

/// Biological sex, as in anthropometric tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sex {
    /// Female.
    Female,
    /// Male.
    #[default]
    Male,
}

impl Sex {
    /// Both values with their names.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("female", Self::Female), ("male", Self::Male)];
}

/// Height and build of an adult.
///
/// The default is the reference man of ICRP Publication 89 (2002, Table 2.9): 1.76 m, 73 kg.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Physique {
    /// Sex.
    pub sex: Sex,
    /// Standing height [m].
    pub height: f64,
    /// Mass [kg].
    pub mass: f64,
}

impl Default for Physique {
    fn default() -> Self {
        Self::reference(Sex::Male)
    }
}

impl Physique {
    /// Least and greatest height [m].
    pub const HEIGHT: [f64; 2] = [1.4, 2.1];
    /// Least and greatest body mass index [kg/m²].
    pub const BODY_MASS_INDEX: [f64; 2] = [16.0, 40.0];

    /// The reference adult of ICRP Publication 89 (2002, Table 2.9).
    pub fn reference(sex: Sex) -> Self {
        let (height, mass) = match sex {
            Sex::Male => (1.76, 73.0),
            Sex::Female => (1.63, 60.0),
        };
        Self { sex, height, mass }
    }

    /// The reference adult with another height [m] or mass [kg]; the mass follows the height at the same build unless it is given.
    pub fn of(sex: Sex, height: Option<f64>, mass: Option<f64>) -> Self {
        Self::reference(sex).with(height, mass)
    }

    /// The same adult with another height [m] or mass [kg]; the mass follows the height at the same build unless it is given.
    pub fn with(self, height: Option<f64>, mass: Option<f64>) -> Self {
        let build = self.body_mass_index();
        let height = height.unwrap_or(self.height);
        Self {
            height,
            mass: mass.unwrap_or(build * height * height),
            ..self
        }
    }

    /// Samples an adult with a seed: either sex, heights with the spread of ANSUR II (below), 18 to 35 kg/m².
    pub fn drawn(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let sex = if rng.random() { Sex::Male } else { Sex::Female };
        let mean = Self::reference(sex).height;
        let within = |value: f64, [least, most]: [f64; 2]| value.clamp(least, most);
        let mut normal = |mean: f64, deviation: f64| {
            let deviations: f64 = rng.sample(StandardNormal);
            mean + deviation * deviations
        };
        let height = within(normal(mean, 0.067), [1.45, 2.0]);
        let index = within(normal(25.0, 4.0), [18.0, 35.0]);
        Self {
            sex,
            height: (height * 1e3).round() / 1e3,
            mass: (index * height * height * 10.0).round() / 10.0,
        }
    }

    /// Mass over height squared [kg/m²].
    pub fn body_mass_index(&self) -> f64 {
        self.mass / (self.height * self.height)
    }

    /// The same build, scaled by a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            height: self.height * factor,
            mass: self.mass * factor.powi(3),
            ..*self
        }
    }

    /// Returns an error if the size is outside the ranges of adults.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] with the name of the field.
    pub fn check(&self) -> Result<(), ModelError> {
        let [least, most] = Self::HEIGHT;
        check_range("patient height", self.height, [least, most], "m")?;
        let [least, most] = Self::BODY_MASS_INDEX;
        Ok(check_range(
            "patient mass / height²",
            self.body_mass_index(),
            [least, most],
            "kg/m² (body mass index)",
        )?)
    }

    /// Girths of the trunk.
    pub(super) fn girths(&self) -> Girths {
        let table = match self.sex {
            Sex::Female => &FEMALE,
            Sex::Male => &MALE,
        };
        // In a solid of constant density, breadths and depths scale with this factor.
        let stout = ((self.mass / self.height) / (table.mass / table.height)).sqrt();
        let tall = self.height / table.height;
        let scale =
            |size: f64, fatter: f64, taller: f64| size * stout.powf(fatter) * tall.powf(taller);
        let [chest, waist, hips] = [0, 1, 2].map(|level| {
            let [fatter, deeper] = FATTER[level];
            let [breadth, depth] = table.levels[level];
            Girth {
                breadth: scale(breadth, fatter, 0.0),
                depth: scale(depth, deeper, 0.0),
            }
        });
        Girths {
            chest,
            waist,
            hips,
            shoulders: scale(table.shoulders, 0.4, 0.7),
        }
    }
}

/// Breadth and depth of a level of the trunk, standing [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Girth {
    pub(super) breadth: f64,
    pub(super) depth: f64,
}

/// Measures of the trunk [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Girths {
    pub(super) chest: Girth,
    pub(super) waist: Girth,
    pub(super) hips: Girth,
    /// Distance between the tips of the shoulder blades (biacromial).
    pub(super) shoulders: f64,
}

/// Mean values of a survey.
struct Survey {
    height: f64,
    mass: f64,
    /// Breadth and depth of chest, waist (at the navel) and hips (depth: at the buttocks) [m].
    levels: [[f64; 2]; 3],
    shoulders: f64,
}

/// Mean values of 4082 men and 1986 women, standing: ANSUR II (Gordon et al. 2014, NATICK/TR-15/007).
const MALE: Survey = Survey {
    height: 1.756,
    mass: 85.5,
    levels: [[0.289, 0.254], [0.326, 0.238], [0.346, 0.246]],
    shoulders: 0.416,
};
const FEMALE: Survey = Survey {
    height: 1.628,
    mass: 67.8,
    levels: [[0.269, 0.247], [0.300, 0.213], [0.354, 0.233]],
    shoulders: 0.365,
};

/// Exponents with which breadth and depth at each level grow with `stout` above: least squares of logarithms over fifteen men of
/// the same survey with 67 to 116 kg, rounded. Bellies grow forwards; ribs hardly grow sideways.
const FATTER: [[f64; 2]; 3] = [[0.3, 1.1], [1.0, 1.5], [0.65, 1.2]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_survey_is_met_and_weight_goes_to_the_belly() {
        let mean = Physique {
            sex: Sex::Male,
            height: 1.756,
            mass: 85.5,
        };
        let girths = mean.girths();
        assert!((girths.waist.breadth - 0.326).abs() < 1e-12);
        assert!((girths.shoulders - 0.416).abs() < 1e-12);
        let heavy = Physique {
            mass: 110.0,
            ..mean
        }
        .girths();
        let more = |level: fn(&Girths) -> Girth| level(&heavy).depth / level(&girths).depth;
        assert!(more(|girths| girths.waist) > more(|girths| girths.chest));
        assert!(heavy.chest.breadth / girths.chest.breadth < 1.06);
    }

    #[test]
    fn sampled_adults_are_valid_distinct_and_reproducible() {
        let mut sexes = [0; 2];
        for seed in 0..200 {
            let physique = Physique::drawn(seed);
            physique
                .check()
                .expect("drawn adults are within the ranges");
            assert_eq!(physique, Physique::drawn(seed));
            assert_ne!(physique, Physique::drawn(seed + 1));
            sexes[physique.sex as usize] += 1;
        }
        assert!(sexes.iter().all(|&count| count > 60), "{sexes:?}");
    }

    #[test]
    fn invalid_adults_are_rejected_with_the_name_of_the_field() {
        let refuse = |height, mass| {
            let physique = Physique {
                height,
                mass,
                ..Physique::default()
            };
            physique
                .check()
                .expect_err("nobody is like that")
                .to_string()
        };
        assert!(
            refuse(1.0, 30.0).contains("patient height is 1; it must be between 1.4 and 2.1 m")
        );
        assert!(refuse(1.8, 200.0).contains("body mass index"));
        assert!(refuse(f64::NAN, 70.0).contains("patient height"));
        assert!(refuse(1.8, f64::NAN).contains("body mass index"));
    }
}
