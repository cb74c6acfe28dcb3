//! Units of logs and their conversion to SI.

use std::str::FromStr;

use super::columns::pairs;
use crate::TableError;

/// Physical dimension of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    Time,
    Length,
    Speed,
    Force,
    Angle,
}

/// A unit. Its SI value is `times / over`, two exact numbers, so that 12 mm become the double nearest to 0.012 m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) dimension: Dimension,
    times: f64,
    over: f64,
    /// Other spellings, also as the suffix of a header, such as `velocity_mm_s`.
    aliases: &'static [&'static str],
    /// Number of units per number in the log, such as newtons per count of a converter.
    factor: f64,
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
        factor: 1.0,
    }
}

/// All units; the first one of a dimension is SI.
const UNITS: &[Unit] = &[
    unit(
        "s",
        Dimension::Time,
        1.0,
        1.0,
        &[
            "sec", "sec.", "second", "seconds", "sek", "sek.", "sekunden", "secondes", "segundos",
            "secondi",
        ],
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
    unit("h", Dimension::Time, 3600.0, 1.0, &["hours"]),
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
    unit(
        "nm",
        Dimension::Length,
        1.0,
        1e9,
        &["nanometer", "nanometre"],
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
    unit("nm/s", Dimension::Speed, 1.0, 1e9, &["nm_s"]),
    unit(
        "mm/min",
        Dimension::Speed,
        1.0,
        6e4,
        &["mm_min", "mm_per_min"],
    ),
    unit("in/s", Dimension::Speed, 254.0, 1e4, &["in_s"]),
    unit("N", Dimension::Force, 1.0, 1.0, &["newton", "newtons"]),
    unit("kN", Dimension::Force, 1e3, 1.0, &[]),
    unit("mN", Dimension::Force, 1.0, 1e3, &["millinewton"]),
    // After mN, because `force_mn` means millinewton.
    unit("MN", Dimension::Force, 1e6, 1.0, &[]),
    unit(
        "uN",
        Dimension::Force,
        1.0,
        1e6,
        &["µN", "µn", "micronewton"],
    ),
    unit("nN", Dimension::Force, 1.0, 1e9, &["nanonewton"]),
    unit("cN", Dimension::Force, 1.0, 1e2, &[]),
    unit("dyn", Dimension::Force, 1.0, 1e5, &["dyne", "dynes"]),
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
    unit("rad", Dimension::Angle, 1.0, 1.0, &["radian", "radians"]),
    unit(
        "deg",
        Dimension::Angle,
        std::f64::consts::PI,
        180.0,
        &["°", "degree", "degrees"],
    ),
];

impl Unit {
    /// The SI unit of a dimension.
    pub(super) fn si(dimension: Dimension) -> Self {
        *UNITS
            .iter()
            .find(|unit| unit.dimension == dimension)
            .expect("every dimension has units")
    }

    /// The unit with this name: exact match, otherwise ignoring case.
    pub(super) fn named(text: &str, dimension: Dimension) -> Option<Self> {
        // The micro sign and the Greek letter are interchangeable.
        let text = &*text.trim().replace('\u{3bc}', "\u{b5}");
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

    /// The unit in the brackets of a header or in a row of units. A force in g or kg is a weight there, as written by
    /// testing machines.
    pub(super) fn written(text: &str, dimension: Dimension) -> Option<Self> {
        let text = match text.trim() {
            "g" if dimension == Dimension::Force => "gf",
            "kg" if dimension == Dimension::Force => "kgf",
            "lb" | "lbs" if dimension == Dimension::Force => "lbf",
            text => text,
        };
        Self::named(text, dimension)
    }

    /// Whether a text is a unit of any dimension.
    pub(super) fn is_known(text: &str) -> bool {
        [
            Dimension::Time,
            Dimension::Length,
            Dimension::Speed,
            Dimension::Force,
        ]
        .into_iter()
        .any(|dimension| Self::written(text, dimension).is_some())
    }

    /// A unit with a leading factor, `2.5e-3N`: the value of one number in the log.
    fn scaled(text: &str, dimension: Dimension) -> Option<Self> {
        let ends = text.char_indices().map(|(at, _)| at).skip(1);
        let number = |end: &usize| {
            let plain = |character: char| character.is_ascii_digit() || "+-.eE".contains(character);
            text[..*end].trim().chars().all(plain)
        };
        // The longest number: in `1e3m` it is 1e3.
        ends.filter(number)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .find_map(|end| {
                let factor: f64 = text[..end].trim().parse().ok()?;
                let unit = Self::named(&text[end..], dimension)?;
                (factor.is_finite() && factor != 0.0).then_some(Self { factor, ..unit })
            })
    }

    /// `N`, or `0.0025 N`.
    pub(super) fn spelled(self) -> String {
        if self.factor == 1.0 {
            self.name.to_owned()
        } else {
            format!("{} {}", self.factor, self.name)
        }
    }

    /// Converts a number in this unit to SI.
    pub(super) fn to_si(self, value: f64) -> f64 {
        value * self.factor * self.times / self.over
    }

    /// Whether no conversion is needed.
    pub(super) fn is_si(self) -> bool {
        self.times == self.over && self.factor == 1.0
    }

    /// `mm`, or `mm → m`.
    pub(super) fn conversion(self) -> String {
        if self.is_si() {
            self.name.to_owned()
        } else {
            format!("{} → {}", self.spelled(), Self::si(self.dimension).name)
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

/// Units by quantity, parsed from text: `indentation=mm,velocity=mm/s,force=N`.
///
/// Keys are `time` (s, ms, us, ns, min, h), `indentation` and `position` (m, cm, mm, um, nm, in),
/// `velocity` (m/s, cm/s, mm/s, um/s, nm/s, mm/min, in/s), `force` (N, kN, MN, mN, uN, nN, cN, dyn, kgf, gf, lbf) and
/// `joints` (rad, deg).
/// A factor before a unit is the value of one number in the log: with `force=2.5e-3N` one count of a converter, or
/// one volt, is 2.5 mN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    pub(super) time: Option<Unit>,
    pub(super) indentation: Option<Unit>,
    pub(super) position: Option<Unit>,
    pub(super) velocity: Option<Unit>,
    pub(super) force: Option<Unit>,
    pub(super) joints: Option<Unit>,
}

impl FromStr for Units {
    type Err = TableError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = |problem: String| TableError::option("--units", problem);
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
                "joints" => (&mut units.joints, Dimension::Angle),
                _ => {
                    return Err(refuse(format!(
                        "\"{key}\" is not known; known are time, indentation, position, velocity, force and joints"
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
            let unit = Unit::named(name, dimension).or_else(|| Unit::scaled(name, dimension));
            *slot = Some(unit.ok_or_else(|| {
                let known = Unit::known(dimension);
                refuse(format!(
                    "{key}={name}: no such unit{hint}; known are {known}, also with a factor such as {key}=2.5e-3{si}",
                    si = Unit::si(dimension).name
                ))
            })?);
        }
        Ok(units)
    }
}
