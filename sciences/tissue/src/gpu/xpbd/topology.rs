//! Data that all worlds share, in the memory layout of the kernels.

use crate::xpbd::Sweep;
use crate::xpbd::color::color;
use crate::xpbd::constraint::AnyConstraintList;
use crate::xpbd::neighbors::Neighbors;
use crate::xpbd::topology::Topology;

/// Words of a tetrahedron: see `tear.wgsl`.
const TET_WORDS: usize = 16;

/// Constraints of one kind.
#[derive(Debug)]
pub(super) struct PackedConstraints {
    pub(super) n: usize,
    /// First row of their corrections, among the rows of all constraints.
    pub(super) first_row: usize,
    /// `Constraint` of their kernel: points, parameters, start and end of their tetrahedra, padded to whole vectors of
    /// four words.
    pub(super) words: Vec<u32>,
    /// Tetrahedra of the constraints. A constraint is torn when all of its tetrahedra are torn.
    pub(super) tets: Vec<u32>,
    /// Numbers of points and of rows of corrections of a constraint.
    pub(super) n_points: usize,
    pub(super) n_corrections: usize,
    /// First constraint of each colour, and the number of constraints. Gauss–Seidel sweeps have several colours.
    pub(super) color_starts: Vec<u32>,
}

/// Points and constraints.
#[derive(Debug)]
pub(super) struct PackedTopology {
    /// Positions at rest [m], then velocities at the start [m/s].
    pub(super) rest: Vec<[f32; 4]>,
    /// `Mass` of each point: see `common.wgsl`.
    pub(super) masses: Vec<[f32; 4]>,
    /// The kinds of constraints, in the order in which the CPU solves them.
    pub(super) constraints: Vec<PackedConstraints>,
    /// Rows of corrections.
    pub(super) n_rows: usize,
    /// First row of each point; the rows of the next point follow.
    pub(super) row_starts: Vec<u32>,
    /// Twice the index of a row, plus 1 if the point takes the negative.
    pub(super) rows: Vec<u32>,
    /// Tetrahedra; empty if none can tear.
    pub(super) tets: Vec<[u32; TET_WORDS]>,
    /// First tetrahedron of each point, and the tetrahedra.
    pub(super) tet_starts: Vec<u32>,
    pub(super) point_tets: Vec<u32>,
    /// Corners of each face, and the bits of its compliance.
    pub(super) faces: Vec<[u32; 4]>,
    /// First face of each colour, and the number of faces.
    pub(super) face_color_starts: Vec<u32>,
    /// Greatest mass of a movable point [kg].
    pub(super) greatest_mass: f64,
}

fn bits(number: f64) -> u32 {
    (number as f32).to_bits()
}

/// Concatenated lists, and the start of each list with the end of the last.
fn flat(lists: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0];
    for list in lists {
        starts.push(starts[starts.len() - 1] + list.len() as u32);
    }
    (starts, lists.concat())
}

impl PackedTopology {
    pub(super) fn new(topology: &Topology, sweep: Sweep) -> Self {
        let row = |[x, y, z]: [f64; 3]| [x as f32, y as f32, z as f32, 0.0];
        let rest = topology.rest.iter().chain(&topology.velocities);
        let shares = topology.shares(sweep);
        let masses = topology.inv_masses.iter().zip(&topology.masses);
        let moving = masses
            .clone()
            .filter(|(inv_mass, _)| **inv_mass > 0.0)
            .map(|(_, mass)| *mass);
        let mut n_rows = 0;
        let mut of_points = vec![Vec::new(); topology.rest.len()];
        let mut constraints = Vec::new();
        for list in topology.constraints.all() {
            let packed = pack(list, n_rows, sweep, topology.rest.len());
            for constraint in 0..list.len() {
                for (i, point) in list.points(constraint).iter().enumerate() {
                    let row = n_rows + i % list.n_corrections();
                    let is_negative = i >= list.n_corrections();
                    of_points[*point as usize].push(2 * row as u32 + u32::from(is_negative));
                }
                n_rows += list.n_corrections();
            }
            constraints.push(packed);
        }
        let (row_starts, rows) = flat(&of_points);
        let (tet_starts, point_tets) = flat(&Neighbors::new(topology).tets);
        let faces = topology.faces.iter().map(|face| face.vertices.as_slice());
        let (face_color_starts, order) = flat(&color(faces, topology.rest.len()));
        let faces = order.into_iter().map(|face| {
            let face = &topology.faces[face as usize];
            let [a, b, c] = face.vertices;
            [a, b, c, bits(face.compliance)]
        });
        Self {
            faces: faces.collect(),
            face_color_starts,
            rest: rest.map(|vector| row((*vector).into())).collect(),
            greatest_mass: moving.fold(1e-12, f64::max),
            masses: masses
                .zip(&shares)
                .map(|((inv_mass, mass), [split, share])| {
                    [*inv_mass, *split, *share, *mass].map(|number| number as f32)
                })
                .collect(),
            constraints,
            n_rows,
            row_starts,
            rows,
            tets: if topology.tears {
                tets(topology)
            } else {
                Vec::new()
            },
            tet_starts,
            point_tets,
        }
    }

    /// A 64-bit FNV-1a hash of bodies and attachments.
    pub(super) fn fingerprint(&self) -> u64 {
        let masses = self.masses.iter().flat_map(|row| [row[0], row[3]]);
        let points = self.rest.iter().flatten().copied().chain(masses);
        let constraints = self.constraints.iter().flat_map(|kind| &kind.words);
        let words = points.map(f32::to_bits).chain(constraints.copied());
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for word in words.chain(self.tets.iter().flatten().copied()) {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        hash
    }
}

fn pack(
    list: &dyn AnyConstraintList,
    first_row: usize,
    sweep: Sweep,
    n_points: usize,
) -> PackedConstraints {
    let colors = match sweep {
        Sweep::GaussSeidel => color((0..list.len()).map(|i| list.points(i)), n_points),
        Sweep::Jacobi | Sweep::AveragedJacobi { .. } => vec![(0..list.len() as u32).collect()],
    };
    let (color_starts, order) = flat(&colors);
    let (mut words, mut tets) = (Vec::new(), Vec::new());
    for constraint in order {
        let constraint = constraint as usize;
        words.extend(list.points(constraint));
        words.extend(list.parameters(constraint).iter().copied().map(bits));
        words.push(tets.len() as u32);
        tets.extend(list.tets(constraint));
        words.push(tets.len() as u32);
        words.resize(words.len().next_multiple_of(4), 0);
    }
    PackedConstraints {
        n: list.len(),
        first_row,
        words,
        tets,
        n_points: list.points_each(),
        n_corrections: list.n_corrections(),
        color_starts,
    }
}

fn tets(topology: &Topology) -> Vec<[u32; TET_WORDS]> {
    let words = topology.tets.iter().map(|tet| {
        let tear_stretch = if tet.tear_strain.is_finite() {
            tet.squared_tear_stretch()
        } else {
            -1.0
        };
        let mut words = [0; TET_WORDS];
        words[..4].copy_from_slice(&tet.vertices);
        let rows = tet.inverse_rest.as_chunks::<3>().0;
        for (row, words) in rows.iter().zip(words[4..].as_chunks_mut::<4>().0) {
            let [x, y, z] = *row;
            *words = [x, y, z, tear_stretch].map(bits);
        }
        words
    });
    words.collect()
}
