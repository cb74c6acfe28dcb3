//! An array of a user's own, described by its numbers.

use insonate_models::probes::{ArrayKind, Transducer};
use insonate_settings::{SettingError, UnknownName, check_ranges};

use crate::UltrasoundError;

/// Names of the numbers: those that every array has, and those that only some have.
const NEEDED: [&str; 6] = [
    "elements",
    "pitch",
    "frequency",
    "bandwidth",
    "elevation",
    "elevation-focus",
];
const OPTIONAL: [&str; 3] = ["radius", "sector", "element-width"];

/// Greatest angle between the outermost scanlines [°].
const WIDEST: f64 = 90.0;

/// The array of a text such as `elements=128,pitch=0.3e-3,radius=0.05,frequency=3.5e6,bandwidth=0.7,elevation=0.0135,elevation-focus=0.06`.
///
/// Lengths are in m, the frequency in Hz, and the bandwidth is the width of the band at −6 dB over the frequency. With `radius` the array is
/// curved, with `sector` (angle between the outermost scanlines [°]) it is phased, else it is linear. `element-width` is 0.9 of the pitch unless
/// it is given.
///
/// # Errors
/// [`UltrasoundError::Setting`] or [`UltrasoundError::Unknown`] names the number that is missing, unknown or out of range.
pub fn described(text: &str) -> Result<Transducer, UltrasoundError> {
    let numbers = numbers(text)?;
    let get = |name: &str| {
        let found = numbers.iter().find(|(known, _)| *known == name);
        found.map(|(_, number)| *number)
    };
    let needed = |name: &'static str| {
        let missing = || SettingError::new("array", text, format!("a text with {name}=NUMBER"));
        get(name).ok_or_else(missing)
    };
    let [elements, pitch, frequency, bandwidth] = [0, 1, 2, 3].map(|index| needed(NEEDED[index]));
    let (elements, pitch, frequency, bandwidth) = (elements?, pitch?, frequency?, bandwidth?);
    let (elevation, elevation_focus) = (needed("elevation")?, needed("elevation-focus")?);
    let element_width = get("element-width").unwrap_or(0.9 * pitch);
    check_ranges(
        "array: ",
        [
            ("elements", elements, [8.0, 1024.0], ""),
            ("pitch", pitch, [2e-5, 5e-3], "m"),
            ("element-width", element_width, [1e-5, pitch], "m"),
            ("frequency", frequency, [5e5, 5e7], "Hz"),
            ("bandwidth", bandwidth, [0.1, 1.5], ""),
            ("elevation", elevation, [5e-4, 0.05], "m"),
            ("elevation-focus", elevation_focus, [2e-3, 0.5], "m"),
            ("elements times pitch", elements * pitch, [2e-3, 0.2], "m"),
        ],
    )?;
    if elements.fract() != 0.0 {
        return Err(UltrasoundError::setting(
            "array: elements",
            elements,
            "a whole number",
        ));
    }
    let kind = kind(get("radius"), get("sector"), elements * pitch)?;
    Ok(Transducer {
        kind,
        n_elements: elements as usize,
        pitch,
        element_width,
        elevation_aperture: elevation,
        elevation_focus,
        center_frequency: frequency,
        band: [-0.5, 0.5].map(|side| frequency * (1.0 + side * bandwidth)),
    })
}

/// The kind of an array, from radius [m], sector [°] and length [m].
fn kind(
    radius: Option<f64>,
    sector: Option<f64>,
    length: f64,
) -> Result<ArrayKind, UltrasoundError> {
    match (radius, sector) {
        (None, None) => Ok(ArrayKind::Linear),
        (Some(radius), None) => {
            let angle = (length / radius).to_degrees();
            check_ranges(
                "array: ",
                [
                    ("radius", radius, [5e-3, 0.5], "m"),
                    ("angle of the arc", angle, [0.0, WIDEST], "°"),
                ],
            )?;
            Ok(ArrayKind::Curvilinear { radius })
        }
        (None, Some(sector)) => {
            check_ranges("array: ", [("sector", sector, [10.0, WIDEST], "°")])?;
            Ok(ArrayKind::Phased {
                sector: sector.to_radians(),
            })
        }
        (Some(_), Some(sector)) => Err(UltrasoundError::setting(
            "array: sector",
            sector,
            "left out with a radius: an array is either curved or phased",
        )),
    }
}

/// Names and numbers of a text.
fn numbers(text: &str) -> Result<Vec<(&'static str, f64)>, UltrasoundError> {
    let known = || NEEDED.into_iter().chain(OPTIONAL);
    let mut numbers: Vec<(&'static str, f64)> = Vec::new();
    for part in text.split(',') {
        let allowed = "name=number, separated by commas";
        let (name, number) = part
            .split_once('=')
            .ok_or_else(|| UltrasoundError::setting("array", part, allowed))?;
        let name = name.trim().replace('_', "-");
        let Some(name) = known().find(|known| *known == name) else {
            let known: Vec<&str> = known().collect();
            return Err(UnknownName::new("number of an array", &name, &known).into());
        };
        let number = number.trim().parse::<f64>();
        let number = number
            .map_err(|_| UltrasoundError::setting(format!("array: {name}"), part, "a number"))?;
        if numbers.iter().any(|(earlier, _)| *earlier == name) {
            return Err(UltrasoundError::setting(
                format!("array: {name}"),
                number,
                "given once",
            ));
        }
        numbers.push((name, number));
    }
    Ok(numbers)
}
