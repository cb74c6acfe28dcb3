//! Units that logs come in, and what one of them is in SI.

use std::str::FromStr;

use super::columns::pairs;
use crate::CalibrationError;

/// What a column measures, as far as its unit goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    Time,
    Length,
    Speed,
    Force,
}

/// A unit: its SI value is `times / over`, two exact numbers, so that 12 mm become the double nearest to 0.012 m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) dimension: Dimension,
    times: f64,
    over: f64,
    /// How else people write it, also as the ending of a header, `velocity_mm_s`.
    aliases: &'static [&'static str],
}

const fn unit(
    name: &'static str,
    dimension: Dimension,
    times: f64,
    over: f64,
    aliases: &'static [&'static str],
) -> Unit {
    Unit {
        name,
        dimension,
        times,
        over,
        aliases,
    }
}

/// All units; the first of a dimension is SI.
const UNITS: &[Unit] = &[
    unit(
        "s",
        Dimension::Time,
        1.0,
        1.0,
        &["sec", "second", "seconds"],
    ),
    unit("ms", Dimension::Time, 1.0, 1e3, &["msec", "milliseconds"]),
    unit(
        "us",
        Dimension::Time,
        1.0,
        1e6,
        &["µs", "μs", "usec", "microseconds"],
    ),
    unit("ns", Dimension::Time, 1.0, 1e9, &["nsec", "nanoseconds"]),
    unit("min", Dimension::Time, 60.0, 1.0, &["minutes"]),
    unit(
        "m",
        Dimension::Length,
        1.0,
        1.0,
        &["meter", "metre", "meters", "metres"],
    ),
    unit("cm", Dimension::Length, 1.0, 1e2, &[]),
    unit("mm", Dimension::Length, 1.0, 1e3, &[]),
    unit(
        "um",
        Dimension::Length,
        1.0,
        1e6,
        &["µm", "μm", "micron", "microns"],
    ),
    unit("in", Dimension::Length, 254.0, 1e4, &["inch", "inches"]),
    unit(
        "m/s",
        Dimension::Speed,
        1.0,
        1.0,
        &["m_s", "m_per_s", "mps"],
    ),
    unit("cm/s", Dimension::Speed, 1.0, 1e2, &["cm_s", "cm_per_s"]),
    unit(
        "mm/s",
        Dimension::Speed,
        1.0,
        1e3,
        &["mm_s", "mm_per_s", "mmps"],
    ),
    unit(
        "um/s",
        Dimension::Speed,
        1.0,
        1e6,
        &["um_s", "µm/s", "μm/s"],
    ),
    unit("in/s", Dimension::Speed, 254.0, 1e4, &["in_s"]),
    unit("N", Dimension::Force, 1.0, 1.0, &["newton", "newtons"]),
    unit("kN", Dimension::Force, 1e3, 1.0, &[]),
    unit("mN", Dimension::Force, 1.0, 1e3, &[]),
    unit(
        "kgf",
        Dimension::Force,
        9.80665,
        1.0,
        &["kp", "kilogram-force", "kilogram_force"],
    ),
    unit(
        "gf",
        Dimension::Force,
        9.80665,
        1e3,
        &[
            "gram-force",
            "gram_force",
            "grams-force",
            "grams_force",
            "gramf",
            "pond",
        ],
    ),
    unit("lbf", Dimension::Force, 4.4482216152605, 1.0, &[]),
];

impl Unit {
    /// The SI unit of a dimension.
    pub(super) fn si(dimension: Dimension) -> Self {
        *UNITS
            .iter()
            .find(|unit| unit.dimension == dimension)
            .expect("every dimension has units")
    }

    /// The unit of this name: as spelled, or else whatever the case.
    pub(super) fn named(text: &str, dimension: Dimension) -> Option<Self> {
        let of = || UNITS.iter().filter(|unit| unit.dimension == dimension);
        let exact = of().find(|unit| unit.name == text || unit.aliases.contains(&text));
        let lower = text.to_lowercase();
        let folded = || {
            of().find(|unit| {
                unit.name.to_lowercase() == lower || unit.aliases.contains(&lower.as_str())
            })
        };
        exact.or_else(folded).copied()
    }

    /// A number in this unit, in SI.
    pub(super) fn to_si(self, value: f64) -> f64 {
        value * self.times / self.over
    }

    /// Whether numbers stay as they are.
    pub(super) fn is_si(self) -> bool {
        self.times == self.over
    }

    /// `mm`, or `mm → m`.
    pub(super) fn conversion(self) -> String {
        if self.is_si() {
            self.name.to_owned()
        } else {
            format!("{} → {}", self.name, Self::si(self.dimension).name)
        }
    }

    fn known(dimension: Dimension) -> String {
        let names: Vec<&str> = UNITS
            .iter()
            .filter(|unit| unit.dimension == dimension)
            .map(|unit| unit.name)
            .collect();
        names.join(", ")
    }
}

/// Units by what they are of: `indentation=mm,velocity=mm/s,force=N`, parsed from text.
///
/// Keys are `time` (s, ms, us, ns, min), `indentation` and `position` (m, cm, mm, um, in),
/// `velocity` (m/s, cm/s, mm/s, um/s, in/s) and `force` (N, kN, mN, kgf, gf, lbf).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    pub(super) time: Option<Unit>,
    pub(super) indentation: Option<Unit>,
    pub(super) position: Option<Unit>,
    pub(super) velocity: Option<Unit>,
    pub(super) force: Option<Unit>,
}

impl FromStr for Units {
    type Err = CalibrationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = |problem: String| CalibrationError::option("--units", problem);
        let mut units = Self::default();
        for pair in pairs(text) {
            let (key, name) = pair.map_err(|part| {
                refuse(format!(
                    "\"{part}\" has no \"=\": write such as indentation=mm,velocity=mm/s,force=N"
                ))
            })?;
            let (slot, dimension) = match key {
                "time" => (&mut units.time, Dimension::Time),
                "indentation" => (&mut units.indentation, Dimension::Length),
                "position" => (&mut units.position, Dimension::Length),
                "velocity" => (&mut units.velocity, Dimension::Speed),
                "force" => (&mut units.force, Dimension::Force),
                _ => {
                    return Err(refuse(format!(
                        "\"{key}\" is not known; known are time, indentation, position, velocity and force"
                    )));
                }
            };
            if slot.is_some() {
                return Err(refuse(format!("{key} is given twice")));
            }
            let hint = if matches!(name, "kg" | "g" | "lb") && dimension == Dimension::Force {
                format!(" ({name} is a mass; its weight is {name}f)")
            } else {
                String::new()
            };
            *slot = Some(Unit::named(name, dimension).ok_or_else(|| {
                let known = Unit::known(dimension);
                refuse(format!(
                    "{key}={name}: no such unit{hint}; known are {known}"
                ))
            })?);
        }
        Ok(units)
    }
}
