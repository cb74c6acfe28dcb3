//! Detects meshes in the wrong unit of length.

use crate::mjcf::{Defaults, Element, Mjcf, MjcfError, Value, walk_world};

/// Size of a mesh over length of the arm above which its unit is probably wrong.
const MOST: f64 = 10.0;
/// Lower limit of the length of the arm in this comparison [m], so that small instruments cause no false alarms.
const LEAST_LENGTH: f64 = 0.3;
/// Millimetres and inches in metres.
const UNITS: [(&str, f64); 2] = [("millimetres", 0.001), ("inches", 0.0254)];

/// Rejects collision meshes that are far longer than the arm, and adds notes for visual meshes.
///
/// `length` is the length of the arm [m].
pub(super) fn check(
    mjcf: &mut Mjcf,
    defaults: &Defaults,
    length: f64,
    notes: &mut Vec<String>,
) -> Result<(), MjcfError> {
    let large: Vec<(String, String, f64)> = mjcf
        .section("asset")
        .map_or(&[][..], Element::children)
        .iter()
        .filter(|asset| asset.tag() == "mesh")
        .filter_map(|mesh| {
            let size = size_of(mesh, defaults)?;
            let is_large = size > MOST * length.max(LEAST_LENGTH);
            is_large.then(|| {
                (
                    mesh.name().unwrap_or_default().to_owned(),
                    mesh.label(),
                    size,
                )
            })
        })
        .collect();
    for (name, label, size) in large {
        let problem = format!(
            "{size:.3} m across, on an arm of {length:.2} m{}",
            cure(size, length.max(LEAST_LENGTH))
        );
        if collides(mjcf, defaults, &name) {
            return Err(MjcfError::Unsupported {
                element: label,
                problem,
            });
        }
        notes.push(format!("{label}: {problem}"));
    }
    Ok(())
}

/// Suggests the unit in which the mesh would not be longer than the arm.
fn cure(size: f64, length: f64) -> String {
    let unit = UNITS
        .iter()
        .rev()
        .find(|(_, unit)| size * unit <= 1.5 * length);
    unit.map_or_else(String::new, |(name, unit)| {
        format!("; is it in {name}? write scale=\"{unit} {unit} {unit}\" to the mesh in the file")
    })
}

/// The longest edge of the bounding box of a mesh, scaled as in the document [m].
fn size_of(mesh: &Element, defaults: &Defaults) -> Option<f64> {
    let vertices = mesh.reals("vertex")?;
    let scale = defaults
        .effective(mesh, "main", &["mesh"], "scale")
        .and_then(Value::as_reals)
        .and_then(|reals| <[f64; 3]>::try_from(reals).ok())
        .unwrap_or([1.0; 3]);
    (0..3)
        .map(|axis| {
            let along = vertices.iter().skip(axis).step_by(3);
            let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
                (low.min(x), high.max(x))
            });
            (high - low) * scale[axis].abs()
        })
        .max_by(f64::total_cmp)
}

fn collides(mjcf: &mut Mjcf, defaults: &Defaults, mesh: &str) -> bool {
    let mut found = false;
    walk_world(mjcf, &mut |element, class| {
        let used = || defaults.effective(element, class, &["geom"], "mesh");
        if element.tag() == "geom" && used().and_then(Value::as_text) == Some(mesh) {
            found |= super::collisions::bits(element, class, defaults) != (0, 0);
        }
    });
    found
}
