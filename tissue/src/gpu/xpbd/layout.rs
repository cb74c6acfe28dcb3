//! What is equal in all worlds, as kernels read it.

use crate::xpbd::Sweep;
use crate::xpbd::topology::{TetLaw, Topology};

/// Words of a tetrahedron and of an edge: see `common.wgsl` and `distance.wgsl`.
const TET_WORDS: usize = 20;
const EDGE_WORDS: usize = 10;

/// Points, constraints, and who has which.
#[derive(Debug)]
pub(super) struct Layout {
    /// Positions at rest [m], then velocities at the start [m/s].
    pub(super) rest: Vec<[f32; 4]>,
    /// Inverse mass, that which constraints take [1/kg], share of corrections, mass [kg].
    pub(super) masses: Vec<[f32; 4]>,
    pub(super) tets: Vec<[u32; TET_WORDS]>,
    pub(super) edges: Vec<[u32; EDGE_WORDS]>,
    /// Tetrahedra around edges.
    pub(super) edge_tets: Vec<u32>,
    /// Where the edges of each point start, and its tetrahedra; those of the next one follow.
    pub(super) starts: Vec<u32>,
    /// Twice the number of an edge, and which end; four times that of a tetrahedron, and which corner.
    pub(super) places: Vec<u32>,
    /// Of a vertex that moves [kg].
    pub(super) greatest_mass: f64,
}

fn bits(number: f64) -> u32 {
    (number as f32).to_bits()
}

impl Layout {
    pub(super) fn new(topology: &Topology, sweep: Sweep) -> Self {
        let row = |[x, y, z]: [f64; 3]| [x as f32, y as f32, z as f32, 0.0];
        let starts = topology.rest.iter().chain(&topology.velocities);
        let shares = topology.shares(sweep);
        let masses = topology.inv_masses.iter().zip(&topology.masses);
        let moving = masses
            .clone()
            .filter(|(inverse, _)| **inverse > 0.0)
            .map(|(_, mass)| *mass);
        let mut made = Self {
            rest: starts.map(|vector| row((*vector).into())).collect(),
            greatest_mass: moving.fold(1e-12, f64::max),
            masses: masses
                .zip(&shares)
                .map(|((inverse, mass), [split, share])| {
                    [*inverse, *split, *share, *mass].map(|number| number as f32)
                })
                .collect(),
            tets: tets(topology),
            edges: Vec::with_capacity(topology.edges.len()),
            edge_tets: Vec::new(),
            starts: Vec::new(),
            places: Vec::new(),
        };
        for (edge, around) in topology.edges.iter().zip(&topology.edge_tets) {
            let first = made.edge_tets.len() as u32;
            made.edge_tets.extend(around);
            let [a, b] = edge.vertices;
            made.edges.push([
                a,
                b,
                bits(edge.length),
                bits(edge.elastic),
                bits(edge.compliance),
                bits(edge.damping_time),
                bits(edge.damping),
                first,
                made.edge_tets.len() as u32,
                0,
            ]);
        }
        made.place(topology);
        made
    }

    /// A 64-bit FNV-1a hash of bodies and attachments.
    pub(super) fn print(&self) -> u64 {
        let mut print = 0xcbf2_9ce4_8422_2325u64;
        let masses = self.masses.iter().flat_map(|row| [row[0], row[3]]);
        let points = self.rest.iter().flatten().copied().chain(masses);
        let words = points.map(f32::to_bits);
        let words = words.chain(self.tets.iter().flatten().copied());
        for word in words.chain(self.edges.iter().flatten().copied()) {
            for byte in word.to_le_bytes() {
                print = (print ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        print
    }

    /// Finds the constraints of each point, in the order in which the CPU adds up their corrections: edges, solids, volumes.
    fn place(&mut self, topology: &Topology) {
        let mut of_points = vec![[Vec::new(), Vec::new()]; topology.rest.len()];
        for (edge, number) in topology.edges.iter().zip(0..) {
            for (point, end) in edge.vertices.iter().zip(0..) {
                of_points[*point as usize][0].push(2 * number + end);
            }
        }
        for wanted in [true, false] {
            for (tet, number) in topology.tets.iter().zip(0..) {
                if matches!(tet.law, TetLaw::NeoHookean { .. }) != wanted {
                    continue;
                }
                for (point, corner) in tet.vertices.iter().zip(0..) {
                    of_points[*point as usize][1].push(4 * number + corner);
                }
            }
        }
        for places in of_points.iter().flatten() {
            self.starts.push(self.places.len() as u32);
            self.places.extend(places);
        }
        self.starts.push(self.places.len() as u32);
    }
}

fn tets(topology: &Topology) -> Vec<[u32; TET_WORDS]> {
    let words = topology.tets.iter().map(|tet| {
        let [first, second, rest_j] = tet.constants();
        let law = match tet.law {
            TetLaw::NeoHookean { .. } => 0,
            TetLaw::Volume { .. } => 1,
        };
        let tear_stretch = if tet.tear_strain.is_finite() {
            (1.0 + tet.tear_strain).powi(2)
        } else {
            -1.0
        };
        let mut words = [0; TET_WORDS];
        words[..4].copy_from_slice(&tet.vertices);
        let besides = [tet.volume, rest_j, tear_stretch];
        for ((row, besides), words) in tet
            .inverse_rest
            .as_chunks::<3>()
            .0
            .iter()
            .zip(besides)
            .zip(words[4..].as_chunks_mut::<4>().0)
        {
            let [x, y, z] = *row;
            *words = [x, y, z, besides].map(bits);
        }
        words[16..19].copy_from_slice(&[bits(first), bits(second), law]);
        words
    });
    words.collect()
}
