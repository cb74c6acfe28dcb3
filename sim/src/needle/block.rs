//! A block of layered tissue.

use insonate_needle::Layer;
use insonate_settings::{SettingError, check_range};
use insonate_tissue::Material;
use insonate_tissue::mesh::TetMesh;
use insonate_tissue::xpbd::{Xpbd, XpbdBody, XpbdConfig};

use super::body::{Fixed, NeedleBody};
use super::error::InsertionError;
use super::mesh::Mesh;

/// Tetrahedra of a block at most.
const MAX_TETS: f64 = 2e6;

/// A layer of tissue.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockLayer {
    /// Thickness [m]; the last layer fills the rest.
    pub thickness: f64,
    /// Young's modulus [Pa].
    pub young_modulus: f64,
    /// Resistance to a needle.
    pub resistance: Layer,
}

/// A block of layered tissue at rest without gravity. The middle of its skin is the origin, z points up, and layers lie below each other.
/// Its bottom and sides are fixed, as by the tissue around them.
///
/// A layer thinner than a tetrahedron is as soft as its share: each tetrahedron has the mean modulus of the layers in its range of
/// depths. Where a layer begins for the needle does not depend on the mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct LayeredBlock {
    /// Sizes along x, y and z [m].
    pub size: [f64; 3],
    /// Edge of the cubes that six tetrahedra fill [m].
    pub edge: f64,
    /// Layers from the skin down.
    pub layers: Vec<BlockLayer>,
    /// Poisson's ratio.
    pub poisson_ratio: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// Viscosity over shear modulus [s].
    pub damping_time: f64,
}

impl LayeredBlock {
    /// The block as a world for needles.
    ///
    /// # Errors
    /// [`InsertionError::Setting`] for a value that is not allowed, [`InsertionError::Tissue`] for a mesh that is too large.
    pub fn build(&self) -> Result<NeedleBody, InsertionError> {
        self.check()?;
        let [x, y, z] = self.size;
        let mut mesh = TetMesh::cuboid([x, y, z].map(|size| 0.5 * size), self.edge)
            .map_err(insonate_tissue::TissueError::from)?;
        for position in &mut mesh.positions {
            position[2] -= 0.5 * z;
        }
        let materials: Vec<Material> = (0..mesh.tets.len())
            .map(|tet| Material {
                young_modulus: self.mean_modulus(&mesh, tet),
                poisson_ratio: self.poisson_ratio,
                density: self.density,
                ..Material::default()
            })
            .collect();
        let near = |value: f64, side: f64| (value - side).abs() < 1e-3 * self.edge;
        let is_fixed = |[px, py, pz]: &[f64; 3]| {
            near(px.abs(), 0.5 * x) || near(py.abs(), 0.5 * y) || near(*pz, -z)
        };
        let fixed = (0_u32..).zip(&mesh.positions);
        let fixed = fixed
            .filter(|(_, at)| is_fixed(at))
            .map(|(vertex, _)| vertex);
        let body = XpbdBody {
            mesh: mesh.clone(),
            tet_materials: materials.clone(),
            damping_time: self.damping_time,
            fixed: fixed.collect(),
            ..XpbdBody::default()
        };
        let config = XpbdConfig {
            gravity: [0.0; 3],
            n_threads: 1,
            ..XpbdConfig::default()
        };
        let world = Xpbd::new(config, &[body], &[])?;
        Ok(NeedleBody::new(
            world,
            Fixed {
                mesh: Mesh::new(mesh, self.edge),
                shear_moduli: materials.iter().map(Material::lame_mu).collect(),
                top: 0.0,
                ends: self.ends(),
                layer_moduli: self.shear_moduli(),
                poisson_ratio: self.poisson_ratio,
            },
        ))
    }

    /// Resistances of the layers, in their order.
    pub fn resistances(&self) -> Vec<Layer> {
        let layers = self.layers.iter();
        layers.map(|layer| layer.resistance.clone()).collect()
    }

    /// Depths at which the layers end [m], except the last one.
    pub fn ends(&self) -> Vec<f64> {
        let mut end = 0.0;
        let but_last = self.layers.split_last().map_or(&[][..], |(_, rest)| rest);
        let ends = but_last.iter().map(|layer| {
            end += layer.thickness;
            end
        });
        ends.collect()
    }

    /// Shear modulus of each layer [Pa].
    fn shear_moduli(&self) -> Vec<f64> {
        let of = |layer: &BlockLayer| layer.young_modulus / (2.0 * (1.0 + self.poisson_ratio));
        self.layers.iter().map(of).collect()
    }

    /// Mean modulus of the layers in the range of depths of a tetrahedron [Pa].
    fn mean_modulus(&self, mesh: &TetMesh, tet: usize) -> f64 {
        let heights = mesh.corners(tet).map(|corner| corner.z);
        let top = -heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let bottom = -heights.iter().copied().fold(f64::INFINITY, f64::min);
        let mut ends = self.ends();
        ends.push(f64::INFINITY);
        let mut start = f64::NEG_INFINITY;
        let mut sum = 0.0;
        for (layer, end) in self.layers.iter().zip(ends) {
            let share = (end.min(bottom) - start.max(top)).max(0.0);
            sum += layer.young_modulus * share;
            start = end;
        }
        sum / (bottom - top)
    }

    /// Fails for a value that is not allowed.
    ///
    /// # Errors
    /// [`SettingError`] naming the field.
    pub fn check(&self) -> Result<(), SettingError> {
        for (axis, size) in ["x", "y", "z"].into_iter().zip(self.size) {
            check_range(&format!("block.size.{axis}"), size, [5e-3, 1.0], "m")?;
        }
        let least = self.size.iter().copied().fold(f64::INFINITY, f64::min);
        check_range("block.edge", self.edge, [5e-4, 0.5 * least], "m")?;
        let n_tets = 6.0 * self.size.iter().product::<f64>() / self.edge.powi(3);
        check_range("tetrahedra of the block", n_tets, [1.0, MAX_TETS], "")?;
        if self.layers.is_empty() {
            return Err(SettingError::new("layers", 0, "at least one"));
        }
        for layer in &self.layers {
            let name = &layer.resistance.name;
            let field = format!("thickness of layer {name}");
            check_range(&field, layer.thickness, [1e-4, 1.0], "m")?;
            let field = format!("young_modulus of layer {name}");
            check_range(&field, layer.young_modulus, [100.0, 1e9], "Pa")?;
        }
        if let Some(end) = self.ends().last() {
            let field = "depth at which the last layer begins";
            check_range(field, *end, [0.0, self.size[2]], "m")?;
        }
        check_range("block.poisson_ratio", self.poisson_ratio, [0.0, 0.499], "")?;
        check_range("block.density", self.density, [100.0, 1e4], "kg/m³")?;
        check_range("block.damping_time", self.damping_time, [0.0, 10.0], "s")
    }
}
