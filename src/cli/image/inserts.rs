//! Lesions and organs of a user's own that are put into what is imaged.

use std::path::Path;

use insonate::meshes::TriangleMesh;
use insonate::ultrasound::deformation::Point;
use insonate::ultrasound::material;
use insonate::ultrasound::phantom::{Insert, Inserts, Phantom, Solid, place_lesions};
use serde_json::{Value, json};

use super::{ImageCommand, ImageError};
use crate::cli::Usage;

/// Vertices of a mesh that are looked at, at most.
const N_VERTICES: usize = 2000;

impl ImageCommand {
    /// With the lesions that are wanted, in an organ between two corners [m], and organs from files.
    pub(super) fn with_inserts(
        &self,
        phantom: Box<dyn Phantom>,
        organ: &str,
        region: [Point; 2],
        figures: &mut Value,
    ) -> anyhow::Result<Box<dyn Phantom>> {
        let phantom = self.with_meshes(phantom)?;
        if self.lesion.is_empty() {
            return Ok(phantom);
        }
        let lesions = place_lesions(&self.lesion, &*phantom, organ, region, self.seed);
        let lesions = lesions.map_err(Usage::new)?;
        figures["lesions"] = lesions.iter().filter_map(lesion).collect();
        Ok(Box::new(
            Inserts::new(phantom, &lesions).map_err(Usage::new)?,
        ))
    }

    fn with_meshes(&self, phantom: Box<dyn Phantom>) -> anyhow::Result<Box<dyn Phantom>> {
        if self.organ.is_empty() {
            return Ok(phantom);
        }
        let organs = self.organ.iter().map(|text| self.organ(text, &*phantom));
        let organs = organs.collect::<anyhow::Result<Vec<Insert>>>()?;
        Ok(Box::new(
            Inserts::new(phantom, &organs).map_err(Usage::new)?,
        ))
    }

    /// An organ of `FILE=MATERIAL`, which lies within the body.
    fn organ(&self, text: &str, phantom: &dyn Phantom) -> anyhow::Result<Insert> {
        let wrong = |problem: String| Usage::new(ImageError(problem));
        let (file, name) = text
            .rsplit_once('=')
            .ok_or_else(|| wrong(format!("--organ is {text:?}, but must be FILE=MATERIAL")))?;
        if !(1e-6..=1e3).contains(&self.organ_unit) {
            let unit = self.organ_unit;
            return Err(wrong(format!(
                "--organ-unit is {unit}, but must be 1e-6 to 1000 m"
            ))
            .into());
        }
        let material = material::by_name(name).map_err(Usage::new)?;
        let mut mesh = TriangleMesh::read_closed(Path::new(file)).map_err(Usage::new)?;
        for x in mesh.positions.iter_mut().flatten() {
            *x *= self.organ_unit;
        }
        let step = mesh.positions.len().div_ceil(N_VERTICES);
        let outside = mesh.positions.iter().step_by(step).find(|position| {
            let point = Point::from(position.map(|x| x as f32));
            let place = phantom.place(&point);
            phantom.materials()[usize::from(place.material)].is_gas()
        });
        if let Some(position) = outside {
            return Err(wrong(format!(
                "--organ {file}: a vertex at {position:?} m is in gas, but an organ must lie within the body; --organ-unit is {} m",
                self.organ_unit
            ))
            .into());
        }
        let solid = Solid::mesh(&mesh).map_err(Usage::new)?;
        Ok(Insert { solid, material })
    }
}

fn lesion(insert: &Insert) -> Option<Value> {
    let Solid::Ball { center, radius } = &insert.solid else {
        return None;
    };
    Some(json!({
        "material": insert.material.name,
        "x_m": center.x,
        "y_m": center.y,
        "z_m": center.z,
        "radius_m": radius,
    }))
}
