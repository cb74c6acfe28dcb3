//! A user's label volume: materials of voxels, from segmentations of CT and MR.
//!
//! A point has the material of the voxel that contains it; normals belong to boundaries that are smoothed over some voxels.

mod body;
mod clearance;
mod palette;
mod site;
mod table;

use nalgebra::{Affine3, Matrix3, Matrix4};
use rayon::prelude::*;

use insonate_volumes::Segmentation;
pub use insonate_volumes::{
    LabelFormat, LabelImage, MAX_FILE_VOXELS, MAX_VOXELS, Neighbourhood, VoxelFrame,
};
pub use table::MaterialTable;

use self::body::{Body, UNLABELLED, grown_to};
use self::clearance::Clearances;
use self::palette::Palette;
use super::{Phantom, PointMaterial};
use crate::UltrasoundError;
use crate::deformation::{Point, Vector};
use crate::material::{self, Material};

/// Radius of the ball over which boundaries are smoothed [voxels].
const SMOOTH: i32 = 4;

/// A label volume with materials.
#[derive(Clone, Debug)]
pub struct LabelVolume {
    materials: Vec<Material>,
    /// Material indices of the gases without a label.
    unlabelled: Vec<u8>,
    /// Share of the voxels with labels that are outside of the body.
    beyond_body: f64,
    count: [usize; 3],
    frame: VoxelFrame,
    /// Edges of a voxel [m].
    edges: Vector,
    /// Maps a point to indices: whole numbers are the centres of voxels.
    index_from_rest: Affine3<f32>,
    /// Maps gradients over indices to gradients over space.
    gradient: Matrix3<f32>,
    /// Lower bound of the ratio of lengths to lengths in cuboid voxels.
    skew: f32,
    /// Unit of clearances [m].
    unit: f32,
    /// Material and clearance of each voxel.
    voxels: Vec<[u8; 2]>,
}

/// The parts of a volume without a label.
#[derive(Clone, Debug)]
pub struct Unlabelled {
    /// Material indices of the gases around the volume and of label 0.
    pub gases: Vec<u8>,
    count: [usize; 3],
    index_from_rest: Affine3<f32>,
}

impl Unlabelled {
    /// Whether a voxel of the volume contains a rest point.
    pub fn has_voxel(&self, rest: &Point) -> bool {
        let place = self.index_from_rest * rest;
        (0..3).all(|axis| (-0.5..self.count[axis] as f32 - 0.5).contains(&place[axis]))
    }
}

impl LabelVolume {
    /// Assigns materials to labels.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] names the labels without a material.
    pub fn new(image: &LabelImage, table: &MaterialTable) -> Result<Self, UltrasoundError> {
        let palette = Palette::new(image, table)?;
        let of_voxel = image.voxels().iter();
        let of_voxel = of_voxel.map(|&place| palette.of_label[usize::from(place)]);
        let of_voxel = of_voxel.collect();
        Ok(Self::of((image.count(), image.frame()), palette, of_voxel))
    }

    /// Assigns a material to each class of a segmentation, by name; the background is air. Gases with a class, as lungs, are distinguished
    /// from it.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: there is another number of materials than of classes. [`UltrasoundError::Unknown`]: there is no
    /// material of a name.
    pub fn of_classes(
        segmentation: &Segmentation,
        materials: &[&str],
    ) -> Result<Self, UltrasoundError> {
        let n = segmentation.classes().len();
        if materials.len() != n {
            let allowed = format!("{n}, one for each class");
            return Err(UltrasoundError::setting(
                "materials",
                materials.len(),
                allowed,
            ));
        }
        let materials = materials.iter().map(|name| material::by_name(name));
        let palette = Palette::of_classes(&materials.collect::<Result<Vec<_>, _>>()?);
        let of_voxel = segmentation.voxels().par_iter();
        let of_voxel = of_voxel.map(|value| palette.of_label[usize::from(*value)]);
        let of_voxel = of_voxel.collect();
        let grid = (segmentation.count(), segmentation.frame());
        Ok(Self::of(grid, palette, of_voxel))
    }

    /// Assigns materials to labels, and [`MaterialTable::body`] to voxels of label 0 whose centre is within a body. The body is given by the
    /// nonzero labels of another volume, with any grid. The labels' grid is extended to contain the body.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: a label has no material, the material of label 0 is not a gas, or the body is empty, too large, or
    /// contains no voxel of label 0.
    pub fn within(
        image: &LabelImage,
        table: &MaterialTable,
        body: &LabelImage,
    ) -> Result<Self, UltrasoundError> {
        let grown = grown_to(image, body)?;
        let image = grown.as_ref().unwrap_or(image);
        let mut palette = Palette::new(image, table)?;
        let tissue = palette.body(table)?;
        let inside = Body::new(body, &image.frame());
        let [nx, ny, _] = image.count();
        let [mut n_filled, mut n_labelled, mut n_beyond] = [0usize; 3];
        let mut of_voxel = Vec::with_capacity(image.voxels().len());
        for (at, &place) in image.voxels().iter().enumerate() {
            let is_inside = inside.contains([at % nx, at / nx % ny, at / nx / ny]);
            let is_unlabelled = image.labels()[usize::from(place)] == UNLABELLED;
            n_filled += usize::from(is_unlabelled && is_inside);
            n_labelled += usize::from(!is_unlabelled);
            n_beyond += usize::from(!is_unlabelled && !is_inside);
            let own = palette.of_label[usize::from(place)];
            of_voxel.push(if is_unlabelled && is_inside {
                tissue
            } else {
                own
            });
        }
        if n_filled == 0 {
            let allowed = "where voxels of label 0 are; check that both volumes use the same frame";
            return Err(UltrasoundError::setting("body", "elsewhere", allowed));
        }
        let beyond = n_beyond as f64 / n_labelled.max(1) as f64;
        Ok(Self {
            beyond_body: beyond,
            ..Self::of((image.count(), image.frame()), palette, of_voxel)
        })
    }

    /// Builds the volume from a material for each voxel of a grid.
    fn of((count, frame): ([usize; 3], VoxelFrame), palette: Palette, of_voxel: Vec<u8>) -> Self {
        let steps = frame.steps;
        let edges = steps.column_iter().map(|step| step.norm());
        let edges = Vector::from_iterator(edges.map(|edge| edge as f32));
        let upright = Matrix3::from_columns(&[0, 1, 2].map(|axis| steps.column(axis).normalize()));
        let mut rest_from_index = Matrix4::identity();
        rest_from_index
            .fixed_view_mut::<3, 3>(0, 0)
            .copy_from(&steps);
        rest_from_index
            .fixed_view_mut::<3, 1>(0, 3)
            .copy_from(&frame.origin);
        // Frames were checked to be invertible.
        let inverse = rest_from_index.try_inverse().unwrap_or_default();
        let clearances = Clearances::new(count, edges.into(), &of_voxel);
        Self {
            materials: palette.materials,
            unlabelled: palette.unlabelled,
            beyond_body: 0.0,
            count,
            frame,
            edges,
            index_from_rest: Affine3::from_matrix_unchecked(inverse.cast()),
            gradient: inverse.fixed_view::<3, 3>(0, 0).transpose().cast(),
            skew: upright.singular_values().min() as f32,
            unit: clearances.unit,
            voxels: of_voxel
                .into_iter()
                .zip(clearances.all)
                .map(|(m, c)| [m, c])
                .collect(),
        }
    }

    /// The parts without a label, which may be tissue if they lie behind tissue.
    pub fn unlabelled(&self) -> Unlabelled {
        Unlabelled {
            gases: self.unlabelled.clone(),
            count: self.count,
            index_from_rest: self.index_from_rest,
        }
    }

    /// Share of the voxels with labels that are outside of the given body; a large share suggests that the frames of the two differ.
    pub fn beyond_body(&self) -> f64 {
        self.beyond_body
    }

    /// Indices of the voxel that contains a point, and the point's position relative to its centre [voxels]; otherwise the offset outside.
    fn voxel(&self, rest: &Point) -> Result<([usize; 3], Vector), Vector> {
        let place = self.index_from_rest * rest + Vector::repeat(0.5);
        let is_inside =
            (0..3).all(|axis| place[axis] >= 0.0 && place[axis] < self.count[axis] as f32);
        if !is_inside {
            return Err(place.coords);
        }
        let index = [0, 1, 2].map(|axis| place[axis] as usize);
        let off = place.coords - Vector::from(index.map(|n| n as i32 as f32 + 0.5));
        Ok((index, off))
    }

    fn at(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.count[1] + y) * self.count[0] + x
    }

    /// Material at indices, which may be outside.
    fn material(&self, index: [i32; 3]) -> u8 {
        let inside = (0..3).all(|axis| (0..self.count[axis] as i32).contains(&index[axis]));
        if inside {
            self.voxels[self.at(index.map(|n| n as usize))][0]
        } else {
            0
        }
    }

    /// Lower bound of the distance from a point off a voxel's centre to voxels of another material [m], from those at its nearest corner.
    fn neighbour_distance(&self, material: u8, index: [usize; 3], off: &Vector) -> f32 {
        let near = self.edges.component_mul(&off.map(|off| 0.5 - off.abs()));
        // The opposite sides bound the region that is checked.
        let mut free = (self.edges - near).min();
        for corner in 1..8 {
            let is_beside = |axis: usize| corner >> axis & 1 == 1;
            let gap = Vector::from_fn(|axis, _| if is_beside(axis) { near[axis] } else { 0.0 });
            let gap = gap.norm();
            let step =
                |axis: usize| i32::from(is_beside(axis)) * if off[axis] < 0.0 { -1 } else { 1 };
            let there = [0, 1, 2].map(|axis| index[axis] as i32 + step(axis));
            if gap < free && self.material(there) != material {
                free = gap;
            }
        }
        free
    }

    /// Gradient of the smoothed share of a material around indices: weights are $(1 - r^2/R^2)^2$.
    fn slope(&self, material: u8, around: [i32; 3], off: &Vector) -> Vector {
        let range = || -SMOOTH..=SMOOTH;
        let square = (SMOOTH * SMOOTH) as f32;
        let mut slope = Vector::zeros();
        for (z, y, x) in
            range().flat_map(|z| range().flat_map(move |y| range().map(move |x| (z, y, x))))
        {
            let way = Vector::new(x as f32, y as f32, z as f32) - off;
            let left = 1.0 - way.norm_squared() / square;
            if left > 0.0
                && self.material([around[0] + x, around[1] + y, around[2] + z]) == material
            {
                slope += left * way;
            }
        }
        self.gradient * slope
    }
}

impl Phantom for LabelVolume {
    fn bounds(&self) -> Option<[Point; 2]> {
        Some(self.bounds())
    }

    fn materials(&self) -> &[Material] {
        &self.materials
    }

    fn place(&self, rest: &Point) -> PointMaterial {
        let (index, off) = match self.voxel(rest) {
            Ok(found) => found,
            Err(place) => {
                let beyond = |axis: usize| {
                    let above = place[axis] - self.count[axis] as f32;
                    self.edges[axis] * above.max(-place[axis]).max(0.0)
                };
                let clearance = self.skew * Vector::new(beyond(0), beyond(1), beyond(2)).norm();
                return PointMaterial {
                    material: 0,
                    clearance,
                };
            }
        };
        let [material, clearance] = self.voxels[self.at(index)];
        let from_middle = self.edges.component_mul(&off).norm();
        let beyond = self.unit * f32::from(clearance) - from_middle;
        // Neighbours within an edge need a closer look.
        let clearance = if beyond < self.edges.min() {
            beyond.max(self.neighbour_distance(material, index, &off))
        } else {
            beyond
        };
        PointMaterial {
            material,
            clearance: self.skew * clearance,
        }
    }

    fn skin_step(&self) -> f32 {
        self.edges.norm()
    }

    fn normal(&self, rest: &Point) -> Vector {
        let place = self.index_from_rest * rest;
        // Clamped so that sums do not overflow.
        let near = place.map(|x| x.round().clamp(-1e6, 1e6));
        let index = [0, 1, 2].map(|axis| near[axis] as i32);
        let off = place - near;
        let slope = self.slope(self.material(index), index, &off);
        slope.try_normalize(1e-9).unwrap_or_else(Vector::z)
    }
}
