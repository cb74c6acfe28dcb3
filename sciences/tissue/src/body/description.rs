//! Description of a tissue body: one value, stored as one TOML file.

use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use super::{Roi, Solid};
use crate::{Material, TissueError};

/// A body of tissue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TissueBody {
    /// Name, unique among the bodies of a scene.
    pub name: String,
    /// Origin in the world frame [m].
    #[serde(default)]
    pub position: [f64; 3],
    /// Shape.
    pub solid: Solid,
    /// Layers from the surface inwards. The last layer fills the rest.
    pub layers: Vec<Layer>,
    /// Regions with a material that differs from their layer. Later regions override earlier ones.
    #[serde(default)]
    pub regions: Vec<Region>,
    /// Regions that do not move.
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
    /// Name, for example skin, fat or muscle.
    pub name: String,
    /// Thickness [m]. The last layer may be infinite.
    #[serde(default = "endless")]
    pub thickness: f64,
    /// Material of the layer.
    pub material: Material,
}

fn endless() -> f64 {
    f64::INFINITY
}

/// A region of one material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Name.
    pub name: String,
    /// Place of the region.
    pub place: Roi,
    /// Material of the region.
    pub material: Material,
}

/// A tie between two bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Name of the other body.
    pub to: String,
    /// Points of this body are tied if a point of the other body is within this distance [m].
    pub distance: f64,
}

impl TissueBody {
    /// Parses a description.
    ///
    /// # Errors
    /// [`TissueError::File`] with the line and field; `path` is the name of the file in the message. Otherwise
    /// as [`check`](Self::check).
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
                "between 1 and 256 in all",
            ));
        }
        for (axis, &x) in self.position.iter().enumerate() {
            check_range(&format!("position[{axis}]"), x, [-1e4, 1e4], "m")?;
        }
        for (index, layer) in self.layers.iter().enumerate() {
            let is_last = index + 1 == self.layers.len();
            let most = if is_last { f64::INFINITY } else { 100.0 };
            check_range(
                &format!("layers[{index}].thickness"),
                layer.thickness,
                [1e-6, most],
                "m",
            )?;
            layer.material.check()?;
        }
        for region in &self.regions {
            region.material.check()?;
        }
        for (index, attachment) in self.attachments.iter().enumerate() {
            let field = format!("attachments[{index}].distance");
            check_range(&field, attachment.distance, [0.0, 10.0], "m")?;
        }
        Ok(())
    }

    /// All materials: first those of the layers, then those of the regions.
    pub fn materials(&self) -> Vec<Material> {
        let layers = self.layers.iter().map(|layer| layer.material);
        layers
            .chain(self.regions.iter().map(|region| region.material))
            .collect()
    }

    /// Index of the material at a point in the body's frame [m] and its depth below the surface [m].
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

    /// Whether a point in the body's frame [m] with this depth below the surface [m] is fixed.
    pub fn is_fixed(&self, at: [f64; 3], depth: f64) -> bool {
        self.fixed.iter().any(|place| place.contains(at, depth))
    }
}
