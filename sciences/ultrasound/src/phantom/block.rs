//! Test block: layers with rods across them.
//!
//! Layers are stacked along +z, the first at the lowest z; rods are infinite along y.

use super::{Phantom, PointMaterial, Scatterer};
use crate::UltrasoundError;
use crate::deformation::{Point, Vector};
use crate::material::Material;

/// A cylinder along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    /// Position of the axis: x and z [m].
    pub center: [f32; 2],
    /// Radius [m].
    pub radius: f32,
    /// Index among the materials.
    pub material: u8,
}

/// A block of layers and rods.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Materials; the first lies above the first depth.
    pub materials: Vec<Material>,
    /// Depths at which the next material begins [m], ascending.
    pub depths: Vec<f32>,
    /// Cylinders along y that do not touch.
    pub rods: Vec<Rod>,
    /// Wires and grains.
    pub scatterers: Vec<Scatterer>,
}

impl Block {
    /// A block of one material.
    pub fn uniform(material: Material) -> Self {
        Self {
            materials: vec![material],
            depths: Vec::new(),
            rods: Vec::new(),
            scatterers: Vec::new(),
        }
    }

    /// Points at depths on the axis [m], 40 dB above the speckle of liver, in a medium without echoes that attenuates by `attenuation`
    /// [dB/(cm MHz)].
    pub fn points(depths: &[f32], speed_of_sound: f32, attenuation: f32) -> Self {
        let clear = Material {
            name: "clear",
            speed_of_sound,
            density: 1000.0,
            attenuation,
            attenuation_power: 1.0,
            backscatter: f32::NEG_INFINITY,
        };
        let scatterers = depths.iter().map(|&depth| Scatterer {
            rest: Point::new(0.0, 0.0, depth),
            amplitude: 100.0,
        });
        Self {
            scatterers: scatterers.collect(),
            ..Self::uniform(clear)
        }
    }

    /// Layers of materials, each with the depth at which it ends [m]; the last one has no end.
    pub fn layers(layers: &[(Material, f32)]) -> Self {
        let ends = layers.iter().map(|(_, end)| *end);
        Self {
            materials: layers.iter().map(|(material, _)| *material).collect(),
            depths: ends.take(layers.len().saturating_sub(1)).collect(),
            rods: Vec::new(),
            scatterers: Vec::new(),
        }
    }

    /// Adds a cylinder of another material about x and z [m].
    pub fn with_rod(mut self, material: Material, center: [f32; 2], radius: f32) -> Self {
        self.rods.push(Rod {
            center,
            radius,
            material: self.materials.len() as u8,
        });
        self.materials.push(material);
        self
    }

    /// Checks the number of materials, the order of layers, and that numbers are finite.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] names the invalid field.
    pub fn check(&self) -> Result<(), UltrasoundError> {
        let n = self.materials.len();
        let wrong = |field: &str, value: String, allowed: &str| {
            Err(UltrasoundError::setting(field, value, allowed))
        };
        if n <= self.depths.len() || n > 255 {
            return wrong(
                "materials",
                n.to_string(),
                "between 1 and 255, and more than depths",
            );
        }
        if !self.depths.iter().all(|depth| depth.is_finite()) || !self.depths.is_sorted() {
            return wrong(
                "depths",
                format!("{:?}", self.depths),
                "finite and ascending",
            );
        }
        let sound = |rod: &&Rod| {
            rod.center.iter().all(|x| x.is_finite())
                && rod.radius > 0.0
                && usize::from(rod.material) < n
        };
        if let Some(rod) = self.rods.iter().find(|rod| !sound(rod)) {
            return wrong(
                "rod",
                format!("{rod:?}"),
                "finite, of a material that exists",
            );
        }
        Ok(())
    }

    /// Distance to the surface of the nearest rod (negative inside), and the rod.
    fn nearest_rod(&self, rest: &Point) -> Option<(f32, &Rod)> {
        let distance = |rod: &Rod| {
            let [x, z] = rod.center;
            (rest.x - x).hypot(rest.z - z) - rod.radius
        };
        let all = self.rods.iter().map(|rod| (distance(rod), rod));
        all.min_by(|(a, _), (b, _)| a.abs().total_cmp(&b.abs()))
    }

    /// Distance to the nearest boundary of layers.
    fn to_boundary(&self, rest: &Point) -> f32 {
        let distances = self.depths.iter().map(|depth| (rest.z - depth).abs());
        distances.fold(f32::MAX, f32::min)
    }
}

impl Phantom for Block {
    fn materials(&self) -> &[Material] {
        &self.materials
    }

    fn place(&self, rest: &Point) -> PointMaterial {
        let layer = self.depths.partition_point(|&depth| depth <= rest.z);
        let boundary = self.to_boundary(rest);
        match self.nearest_rod(rest) {
            // A boundary of layers ends at a rod.
            Some((distance, rod)) if distance < 0.0 => PointMaterial {
                material: rod.material,
                clearance: -distance,
            },
            Some((distance, _)) => PointMaterial {
                material: layer as u8,
                clearance: distance.min(boundary),
            },
            None => PointMaterial {
                material: layer as u8,
                clearance: boundary,
            },
        }
    }

    fn normal(&self, rest: &Point) -> Vector {
        match self.nearest_rod(rest) {
            Some((distance, rod)) if distance.abs() < self.to_boundary(rest) => {
                let [x, z] = rod.center;
                let away = Vector::new(rest.x - x, 0.0, rest.z - z);
                away.try_normalize(1e-12).unwrap_or_else(Vector::z)
            }
            _ => Vector::z(),
        }
    }

    fn scatterers(&self) -> &[Scatterer] {
        &self.scatterers
    }
}
