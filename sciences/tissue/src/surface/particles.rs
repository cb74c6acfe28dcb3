//! Surfaces of particles.
//!
//! The volume of particles is distributed to the nodes of a grid with quadratic B-splines, as in the solver. The sum
//! divided by the volume of a cell is the filled fraction of space, $\phi_i = \Delta x^{-3} \sum_p w_{ip} V_p$: 1
//! inside a body, one half at its flat sides.

use super::grid::{ScalarGrid, check_size};
use super::marching_cubes::{Isosurface, marching_cubes};
use crate::TissueError;
use insonate_meshes::{MAX_COORDINATE, MeshFault, TriangleMesh};
use insonate_settings::check_range;

/// Volumes of particles [m³].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParticleVolumes<'a> {
    /// One volume for all particles.
    One(f64),
    /// A volume for each particle, shape `[n]`.
    Each(&'a [f64]),
}

/// Input particles of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParticleCloud<'a> {
    /// Positions [m], shape `[n, 3]`.
    pub positions: &'a [[f64; 3]],
    /// Volumes at rest.
    pub volumes: ParticleVolumes<'a>,
    /// Positions at rest [m], shape `[n, 3]`, for texture mapping.
    pub rest_positions: Option<&'a [[f64; 3]]>,
}

/// Level of the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SurfaceLevel {
    /// Surface at this filled fraction of space, between 0 and 1. One half preserves the volume of a body.
    Filled(f64),
    /// Surface at a part of the greatest filled fraction, between 0 and 1. 0.2 is common: the surface lies outside of
    /// the body and hides gaps.
    OfGreatest(f64),
}

/// A closed surface for rendering.
#[derive(Debug, Clone, PartialEq)]
pub struct ParticleSurface {
    /// The mesh. It is closed, faces outwards, and cubes share the vertices on their edges.
    pub mesh: TriangleMesh,
    /// Outward unit normals, opposite to the gradient of the filled fraction, shape `[n_vertices,
    /// 3]`.
    pub normals: Vec<[f64; 3]>,
    /// Texture coordinates, shape `[n_vertices, 2]`: rest positions, or positions if there are none, projected along
    /// the shortest side of their bounds. The longest side has length 1.
    pub uvs: Vec<[f64; 2]>,
    /// Rest position of each vertex [m], shape `[n_vertices, 3]`, for textures from more than one direction. Positions
    /// if there are no rest positions.
    pub rest_positions: Vec<[f64; 3]>,
}

/// Surface of particles on a grid with a spacing [m]. Nodes lie at whole multiples of the spacing, so the surface of a
/// resting body does not depend on other bodies.
///
/// Twice the distance between particles is the finest spacing without holes: eight particles per cell.
///
/// # Errors
/// [`TissueError::Setting`] for invalid particles, spacing or level, or a grid that is too large;
/// [`MeshFault::Empty`] if the level is reached nowhere.
pub fn particle_surface(
    cloud: &ParticleCloud,
    spacing: f64,
    level: SurfaceLevel,
) -> Result<ParticleSurface, TissueError> {
    cloud.check()?;
    let (SurfaceLevel::Filled(part) | SurfaceLevel::OfGreatest(part)) = level;
    check_range("level", part, [1e-3, 1.0 - 1e-3], "")?;
    let (low, n_nodes) = grid_around(cloud.positions, spacing)?;
    let grid = |values| ScalarGrid {
        origin: low.map(|node| node as f64 * spacing),
        spacing,
        n_nodes,
        values,
    };
    let Some(rests) = cloud.rest_positions else {
        let filled = splat(cloud, spacing, low, n_nodes, |_, volume| [volume]);
        let grid = grid(filled.into_iter().map(|[filled]| filled).collect());
        let found = cut(&grid, level)?;
        let rests = found.mesh.positions.clone();
        return Ok(surface(found, rests));
    };
    // Relative to the first particle: single precision suffices for short distances.
    let centre = rests[0];
    let sums = splat(cloud, spacing, low, n_nodes, |particle, volume| {
        let [x, y, z] = [0, 1, 2].map(|i| (rests[particle][i] - centre[i]) as f32 * volume);
        [x, y, z, volume]
    });
    let found = cut(&grid(sums.iter().map(|sum| sum[3]).collect()), level)?;
    let rest = |&([a, b], part): &([u32; 2], f32)| {
        let [a, b] = [a, b].map(|node| sums[node as usize]);
        let sum: [f32; 4] = std::array::from_fn(|i| a[i] + (b[i] - a[i]) * part);
        [0, 1, 2].map(|axis| centre[axis] + f64::from(sum[axis] / sum[3]))
    };
    let rests = found.cuts.iter().map(rest).collect();
    Ok(surface(found, rests))
}

impl ParticleCloud<'_> {
    fn check(&self) -> Result<(), TissueError> {
        let count = self.positions.len();
        if count == 0 {
            return Err(MeshFault::Empty.into());
        }
        let lengths = [
            ("rest_positions", self.rest_positions.map(<[_]>::len)),
            ("volumes", self.volumes.len()),
        ];
        for (field, length) in lengths {
            if let Some(length) = length.filter(|&length| length != count) {
                let allowed = format!("{count}, one for each position");
                return Err(TissueError::setting(
                    format!("{field}.len()"),
                    length,
                    allowed,
                ));
            }
        }
        let is_near = |at: &&[f64; 3]| at.iter().all(|x| x.abs() <= MAX_COORDINATE);
        let fields = [
            ("positions", Some(self.positions)),
            ("rest_positions", self.rest_positions),
        ];
        for (field, positions) in fields {
            let all = positions.unwrap_or_default().iter();
            if let Some((index, far)) = all.enumerate().find(|(_, at)| !is_near(at)) {
                let allowed = format!("within ±{MAX_COORDINATE} m");
                return Err(TissueError::setting(
                    format!("{field}[{index}]"),
                    far,
                    allowed,
                ));
            }
        }
        let range = [1e-30, 1e12];
        Ok(match self.volumes {
            ParticleVolumes::One(volume) => check_range("volume", volume, range, "m³"),
            ParticleVolumes::Each(volumes) => volumes
                .iter()
                .enumerate()
                .try_for_each(|(i, &v)| check_range(&format!("volumes[{i}]"), v, range, "m³")),
        }?)
    }
}

impl ParticleVolumes<'_> {
    fn len(&self) -> Option<usize> {
        match self {
            Self::One(_) => None,
            Self::Each(volumes) => Some(volumes.len()),
        }
    }

    fn of(&self, particle: usize) -> f64 {
        match self {
            Self::One(volume) => *volume,
            Self::Each(volumes) => volumes[particle],
        }
    }
}

/// First of the three nodes along an axis around a coordinate [nodes].
fn first_node(x: f64) -> i64 {
    (x - 0.5).floor() as i64
}

/// First node, in spacings from the origin, and the number of nodes. One empty layer of nodes surrounds the particles.
fn grid_around(
    positions: &[[f64; 3]],
    spacing: f64,
) -> Result<([i64; 3], [usize; 3]), TissueError> {
    check_range("spacing", spacing, [1e-6, 1e3], "m")?;
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for at in positions {
        for axis in 0..3 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis]);
        }
    }
    let first = low.map(|x| first_node(x / spacing) - 1);
    let last = high.map(|x| first_node(x / spacing) + 3);
    let n_nodes = [0, 1, 2].map(|axis| (last[axis] - first[axis] + 1) as usize);
    check_size(spacing, n_nodes)?;
    Ok((first, n_nodes))
}

/// Weighted sums at each node of the values that `given` returns for a particle; it receives the
/// particle's volume in cells.
fn splat<const N: usize>(
    cloud: &ParticleCloud,
    spacing: f64,
    low: [i64; 3],
    [n_x, n_y, n_z]: [usize; 3],
    given: impl Fn(usize, f32) -> [f32; N],
) -> Vec<[f32; N]> {
    let mut sums = vec![[0.0; N]; n_x * n_y * n_z];
    let per_cell = spacing.powi(-3);
    for (particle, at) in cloud.positions.iter().enumerate() {
        let volume = (cloud.volumes.of(particle) * per_cell) as f32;
        let given = given(particle, volume);
        let at = at.map(|x| x / spacing);
        let first = at.map(first_node);
        let weights: [[f32; 3]; 3] =
            std::array::from_fn(|axis| weights((at[axis] - first[axis] as f64) as f32));
        let [x, y, z] = [0, 1, 2].map(|axis| (first[axis] - low[axis]) as usize);
        for i in 0..3 {
            for j in 0..3 {
                let weight = weights[0][i] * weights[1][j];
                let start = ((x + i) * n_y + y + j) * n_z + z;
                for (node, along) in sums[start..start + 3].iter_mut().zip(weights[2]) {
                    for (sum, given) in node.iter_mut().zip(given) {
                        *sum += weight * along * given;
                    }
                }
            }
        }
    }
    sums
}

/// Weights of three nodes. The first one is at a distance between 0.5 and 1.5 [nodes].
fn weights(f: f32) -> [f32; 3] {
    [
        0.5 * (1.5 - f).powi(2),
        0.75 - (f - 1.0).powi(2),
        0.5 * (f - 0.5).powi(2),
    ]
}

fn cut(grid: &ScalarGrid, level: SurfaceLevel) -> Result<Isosurface, TissueError> {
    let level = match level {
        SurfaceLevel::Filled(part) => part,
        SurfaceLevel::OfGreatest(part) => {
            part * f64::from(grid.values.iter().copied().fold(0.0, f32::max))
        }
    };
    let found = marching_cubes(grid, level)?;
    if found.mesh.triangles.is_empty() {
        return Err(MeshFault::Empty.into());
    }
    Ok(found)
}

fn surface(found: Isosurface, rest_positions: Vec<[f64; 3]>) -> ParticleSurface {
    ParticleSurface {
        uvs: project(&rest_positions),
        mesh: found.mesh,
        normals: found.normals,
        rest_positions,
    }
}

/// Projects positions along the shortest side of their bounds. The longest side has length 1.
fn project(positions: &[[f64; 3]]) -> Vec<[f64; 2]> {
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for at in positions {
        for axis in 0..3 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis]);
        }
    }
    let size = [0, 1, 2].map(|axis| high[axis] - low[axis]);
    let (mut short, mut longest) = (2, size[2]);
    for axis in [1, 0] {
        if size[axis] < size[short] {
            short = axis;
        }
        longest = longest.max(size[axis]);
    }
    let axes = [[1, 2], [0, 2], [0, 1]][short];
    let uv = |at: &[f64; 3]| axes.map(|axis| (at[axis] - low[axis]) / longest.max(1e-30));
    positions.iter().map(uv).collect()
}
