//! Solids in another phantom: lesions, and organs from a user's meshes.

use insonate_meshes::{ShellSolid, TriangleMesh};
use serde::Serialize;

use super::{Phantom, PointMaterial, Scatterer, SegmentMaterial};
use crate::UltrasoundError;
use crate::deformation::{Point, Vector};
use crate::material::Material;

/// Precision of the boundaries of solids [m].
const PRECISION: f32 = 1e-4;
/// Largest number of materials of a phantom.
const MAX_MATERIALS: usize = 255;

/// A solid of one material.
#[derive(Clone, Debug)]
pub struct Insert {
    /// Shape at rest.
    pub solid: Solid,
    /// Its material.
    pub material: Material,
}

/// Material and ball of a lesion, as summaries of pictures list it.
#[derive(Clone, Debug, Serialize)]
pub struct LesionFigures {
    /// Name of the material.
    pub material: &'static str,
    /// Centre [m].
    pub x_m: f32,
    /// Centre [m].
    pub y_m: f32,
    /// Centre [m].
    pub z_m: f32,
    /// Radius [m].
    pub radius_m: f32,
}

impl LesionFigures {
    /// The figures of an insert; `None` unless it is a ball.
    pub fn of(insert: &Insert) -> Option<Self> {
        let Solid::Ball { center, radius } = &insert.solid else {
            return None;
        };
        Some(Self {
            material: insert.material.name,
            x_m: center.x,
            y_m: center.y,
            z_m: center.z,
            radius_m: *radius,
        })
    }
}

/// A shape.
#[derive(Clone, Debug)]
pub enum Solid {
    /// A ball.
    Ball {
        /// Centre [m].
        center: Point,
        /// Radius [m].
        radius: f32,
    },
    /// The inside of closed surfaces.
    Mesh(Box<ShellSolid>),
}

/// A phantom with solids in it; where solids overlap, the first one counts.
pub struct Inserts {
    inner: Box<dyn Phantom>,
    materials: Vec<Material>,
    /// Solids with the index of their material.
    solids: Vec<(Solid, u8)>,
}

impl Solid {
    /// The inside of the shells of a mesh, whose coordinates are rest coordinates of the phantom [m].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] names the shells that are not closed.
    pub fn mesh(mesh: &TriangleMesh) -> Result<Self, UltrasoundError> {
        let solid = ShellSolid::new(mesh).map_err(|fault| {
            UltrasoundError::setting("organ", fault.to_string(), "closed surfaces")
        })?;
        Ok(Self::Mesh(Box::new(solid)))
    }

    /// Whether a rest point is inside.
    pub fn contains(&self, point: &Point) -> bool {
        self.distance(point) < 0.0
    }

    /// Distance to the surface [m], negative inside; far away, a lower bound.
    fn distance(&self, point: &Point) -> f32 {
        match self {
            Self::Ball { center, radius } => (point - center).norm() - radius,
            Self::Mesh(solid) => solid.distance(&point.coords.cast()) as f32,
        }
    }

    fn normal(&self, point: &Point) -> Vector {
        match self {
            Self::Ball { center, .. } => {
                let away = (point - center).try_normalize(1e-9);
                away.unwrap_or_else(Vector::z)
            }
            Self::Mesh(solid) => solid.normal(&point.coords.cast()).cast(),
        }
    }
}

impl Inserts {
    /// Puts solids into a phantom.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: there are more than 255 materials in all, or a ball is invalid.
    pub fn new(inner: Box<dyn Phantom>, inserts: &[Insert]) -> Result<Self, UltrasoundError> {
        let mut materials = inner.materials().to_vec();
        let mut solids = Vec::new();
        for insert in inserts {
            if let Solid::Ball { center, radius } = &insert.solid {
                let found = (center.coords, *radius);
                if !(center.iter().all(|x| x.is_finite()) && *radius > 0.0 && radius.is_finite()) {
                    let allowed = "a finite centre and a radius above 0";
                    return Err(UltrasoundError::setting("ball", found, allowed));
                }
            }
            let known = materials
                .iter()
                .position(|material| *material == insert.material);
            let place = known.unwrap_or(materials.len());
            if place == materials.len() {
                materials.push(insert.material);
            }
            solids.push((insert.solid.clone(), place as u8));
        }
        let n = materials.len();
        if n > MAX_MATERIALS {
            let allowed = format!("at most {MAX_MATERIALS}");
            return Err(UltrasoundError::setting(
                "materials with inserts",
                n,
                allowed,
            ));
        }
        Ok(Self {
            inner,
            materials,
            solids,
        })
    }

    /// The solid with the nearest surface: distance and solid.
    fn nearest(&self, rest: &Point) -> Option<(f32, &Solid)> {
        let all = self
            .solids
            .iter()
            .map(|(solid, _)| (solid.distance(rest), solid));
        all.min_by(|(a, _), (b, _)| a.abs().total_cmp(&b.abs()))
    }
}

impl Phantom for Inserts {
    fn bounds(&self) -> Option<[Point; 2]> {
        self.inner.bounds()
    }

    fn materials(&self) -> &[Material] {
        &self.materials
    }

    fn place(&self, rest: &Point) -> PointMaterial {
        let mut clearance = f32::MAX;
        for (solid, material) in &self.solids {
            let distance = solid.distance(rest);
            clearance = clearance.min(distance.abs());
            if distance < 0.0 {
                return PointMaterial {
                    material: *material,
                    clearance,
                };
            }
        }
        let place = self.inner.place(rest);
        PointMaterial {
            clearance: place.clearance.min(clearance),
            ..place
        }
    }

    fn stretch(&self, start: &Point, way: &Vector) -> SegmentMaterial {
        let length = way.norm();
        let mut clearance = f32::MAX;
        for (solid, material) in &self.solids {
            let distance = solid.distance(start);
            clearance = clearance.min(distance.abs());
            if distance < 0.0 {
                let material = *material;
                let place = PointMaterial {
                    material,
                    clearance,
                };
                return SegmentMaterial::by_clearance(place, length);
            }
        }
        let mut stretch = self.inner.stretch(start, way);
        stretch.place.clearance = stretch.place.clearance.min(clearance);
        stretch.up_to(clearance / length)
    }

    fn normal(&self, rest: &Point) -> Vector {
        let free = self.inner.place(rest).clearance.max(PRECISION);
        match self.nearest(rest) {
            Some((distance, solid)) if distance.abs() < free => solid.normal(rest),
            _ => self.inner.normal(rest),
        }
    }

    fn skin_step(&self) -> f32 {
        self.inner.skin_step()
    }

    fn scatterers(&self) -> &[Scatterer] {
        self.inner.scatterers()
    }
}
