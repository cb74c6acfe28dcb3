//! Description of a body: one value, one TOML file.

use serde::{Deserialize, Serialize};

use super::{Roi, Solid};
use crate::error::check_range;
use crate::{Material, TissueError};

/// A body of tissue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TissueBody {
    /// Its name, unique among the bodies of a scene.
    pub name: String,
    /// Its origin in world [m].
    #[serde(default)]
    pub position: [f64; 3],
    /// Its shape.
    pub solid: Solid,
    /// From the surface inwards; the last one fills the rest.
    pub layers: Vec<Layer>,
    /// Parts of another material than their layer; a later one counts before an earlier one.
    #[serde(default)]
    pub regions: Vec<Region>,
    /// Parts that do not move.
    #[serde(default)]
    pub fixed: Vec<Roi>,
    /// Ties to other bodies.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
}

/// A layer of one material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// Skin, fat, muscle, …
    pub name: String,
    /// Thickness [m]; infinite for a last layer.
    #[serde(default = "endless")]
    pub thickness: f64,
    /// What it is made of.
    pub material: Material,
}

fn endless() -> f64 {
    f64::INFINITY
}

/// A region of one material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub place: Roi,
    /// What it is made of.
    pub material: Material,
}

/// A tie between two bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Name of the other body.
    pub to: String,
    /// Points of this body so near to a point of the other [m] are tied to it.
    pub distance: f64,
}

impl TissueBody {
    /// Parses a description.
    ///
    /// # Errors
    /// [`TissueError::File`] naming line and field, `path` being what it is called in it; otherwise as [`check`](Self::check).
    pub fn from_toml(text: &str, path: &std::path::Path) -> Result<Self, TissueError> {
        let body: Self = toml::from_str(text).map_err(|error| TissueError::file(path, error))?;
        body.check()?;
        Ok(body)
    }

    /// Checks the ranges of all fields.
    ///
    /// # Errors
    /// [`TissueError::Setting`] naming the field.
    pub fn check(&self) -> Result<(), TissueError> {
        if self.layers.is_empty() || self.layers.len() + self.regions.len() > 256 {
            let count = self.layers.len() + self.regions.len();
            return Err(TissueError::setting(
                "layers and regions",
                count,
                "from 1 layer to 256 in all",
            ));
        }
        for (axis, &x) in self.position.iter().enumerate() {
            check_range(&format!("position[{axis}]"), x, -1e4, 1e4)?;
        }
        for (index, layer) in self.layers.iter().enumerate() {
            let is_last = index + 1 == self.layers.len();
            let most = if is_last { f64::INFINITY } else { 100.0 };
            check_range(
                &format!("layers[{index}].thickness"),
                layer.thickness,
                1e-6,
                most,
            )?;
            layer.material.check()?;
        }
        for region in &self.regions {
            region.material.check()?;
        }
        for (index, attachment) in self.attachments.iter().enumerate() {
            let field = format!("attachments[{index}].distance");
            check_range(&field, attachment.distance, 0.0, 10.0)?;
        }
        Ok(())
    }

    /// All materials: those of the layers, then those of the regions.
    pub fn materials(&self) -> Vec<Material> {
        let layers = self.layers.iter().map(|layer| layer.material);
        layers
            .chain(self.regions.iter().map(|region| region.material))
            .collect()
    }

    /// Index of the material at a point in the body's frame [m], so deep below its surface [m].
    pub fn material_at(&self, at: [f64; 3], depth: f64) -> u16 {
        if let Some(region) = self
            .regions
            .iter()
            .rposition(|region| region.place.contains(at, depth))
        {
            return (self.layers.len() + region) as u16;
        }
        let mut bottom = 0.0;
        let above = self
            .layers
            .iter()
            .take(self.layers.len() - 1)
            .take_while(|layer| {
                bottom += layer.thickness;
                depth > bottom
            });
        above.count() as u16
    }

    /// Whether a point in the body's frame [m], so deep below its surface [m], is held.
    pub fn is_fixed(&self, at: [f64; 3], depth: f64) -> bool {
        self.fixed.iter().any(|place| place.contains(at, depth))
    }
}
