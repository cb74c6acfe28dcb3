//! Constraints of each vertex.

use nalgebra::Vector3;

use super::GpuXpbdBody;
use crate::TissueError;

/// Turns of a tetrahedron that begin with each of its corners and leave its volume positive.
const TURNS: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 0, 1, 3], [3, 0, 2, 1]];

/// What is equal in all worlds, as kernels read it.
#[derive(Debug)]
pub(super) struct Topology {
    /// Middle of the body [m]; positions are kept from here.
    pub(super) origin: [f64; 3],
    /// Position at rest [m] and inverse mass [1/kg], 0: fixed.
    pub(super) vertices: Vec<[f32; 4]>,
    /// Where the edges and the tetrahedra of each vertex start, and the ends of the last.
    pub(super) starts: Vec<[u32; 2]>,
    /// Other end and length at rest, in bits.
    pub(super) edges: Vec<[u32; 2]>,
    /// Other corners and volume at rest, in bits.
    pub(super) tets: Vec<[u32; 4]>,
    /// Of a vertex that moves [kg].
    pub(super) greatest_mass: f64,
    /// Compliances of an edge [m/N] and of a volume [m³/Pa].
    pub(super) distance_compliance: f64,
    pub(super) volume_compliance: f64,
}

impl Topology {
    pub(super) fn new(body: &GpuXpbdBody) -> Result<Self, TissueError> {
        body.check()?;
        let place = |vertex: u32| Vector3::from(body.mesh.positions[vertex as usize]);
        let n = body.mesh.positions.len();
        let (mut low, mut high) = (place(0), place(0));
        for position in &body.mesh.positions {
            low = low.inf(&Vector3::from(*position));
            high = high.sup(&Vector3::from(*position));
        }
        let origin = (low + high) * 0.5;
        let mut masses = vec![0.0; n];
        let mut edges_of = vec![Vec::new(); n];
        let mut tets_of = vec![Vec::new(); n];
        for (i, tet) in body.mesh.tets.iter().enumerate() {
            let [a, b, c, d] = tet.map(place);
            let volume = (b - a).dot(&(c - a).cross(&(d - a))) / 6.0;
            if volume <= 1e-18 {
                return Err(TissueError::setting(
                    format!("volume of body.mesh.tets[{i}]"),
                    volume,
                    "above 1e-18 m³",
                ));
            }
            for turn in TURNS {
                let [own, a, b, c] = turn.map(|corner| tet[corner]);
                masses[own as usize] += 0.25 * volume * body.density;
                tets_of[own as usize].push([a, b, c, (volume as f32).to_bits()]);
                edges_of[own as usize].extend([a, b, c]);
            }
        }
        let mut inverse: Vec<f64> = masses.iter().map(|mass| 1.0 / mass).collect();
        for vertex in &body.fixed {
            inverse[*vertex as usize] = 0.0;
            masses[*vertex as usize] = 0.0;
        }
        let vertices = body.mesh.positions.iter().zip(&inverse);
        let mut made = Self {
            origin: origin.into(),
            vertices: vertices
                .map(|(position, inverse)| {
                    let [x, y, z]: [f64; 3] = (Vector3::from(*position) - origin).into();
                    [x, y, z, *inverse].map(|number| number as f32)
                })
                .collect(),
            starts: vec![[0; 2]],
            edges: Vec::new(),
            tets: Vec::new(),
            greatest_mass: masses.into_iter().fold(1e-12, f64::max),
            distance_compliance: body.distance_compliance,
            volume_compliance: body.volume_compliance,
        };
        for (own, (mut edges, tets)) in (0..).zip(edges_of.into_iter().zip(tets_of)) {
            edges.sort_unstable();
            edges.dedup();
            let length = |other: u32| (place(other) - place(own)).norm() as f32;
            let edges = edges.into_iter();
            made.edges
                .extend(edges.map(|other| [other, length(other).to_bits()]));
            made.tets.extend(tets);
            made.starts
                .push([made.edges.len() as u32, made.tets.len() as u32]);
        }
        Ok(made)
    }
}
