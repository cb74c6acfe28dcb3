//! Constraints as kernels want them: side by side where a world has its own sixteen lanes, one by one where lanes are worlds.

use super::color::color;
use super::config::{Sweep, XpbdConfig};
use super::layout::Layout;
use super::topology::{TetLaw, Topology};

/// No constraint.
const NONE: u32 = u32::MAX;

/// Distance constraints; see [`Edge`](super::topology::Edge).
#[derive(Debug, Clone)]
pub(super) struct EdgeGroup<Y: Layout> {
    pub(super) vertices: [Y::Vertex; 2],
    pub(super) inv_masses: [Y::Number; 2],
    pub(super) length: Y::Number,
    pub(super) elastic: Y::Number,
    pub(super) compliance: Y::Number,
    pub(super) damping_time: Y::Number,
    pub(super) damping: Y::Number,
}

/// Tetrahedra of one law.
#[derive(Debug, Clone)]
pub(super) struct TetGroup<Y: Layout> {
    pub(super) vertices: [Y::Vertex; 4],
    pub(super) inv_masses: [Y::Number; 4],
    pub(super) inverse_rest: [Y::Number; 9],
    /// Volume at rest [m³].
    pub(super) volume: Y::Number,
    /// Of the neo-Hookean law λ V and μ V [J], with its own λ; of a volume its compliance and damping time.
    pub(super) constants: [Y::Number; 2],
    /// J at which the hydrostatic constraint is met.
    pub(super) rest_j: Y::Number,
    /// Square of the stretch above which it tears.
    pub(super) tear_stretch: Y::Number,
}

/// Faces that tools meet.
#[derive(Debug, Clone)]
pub(super) struct FaceGroup<Y: Layout> {
    pub(super) vertices: [Y::Vertex; 3],
}

/// All that worlds of equal topology share.
#[derive(Debug)]
pub(super) struct Model<Y: Layout> {
    pub(super) config: XpbdConfig,
    pub(super) topology: Topology,
    /// Rows of points.
    pub(super) n_rows: usize,
    /// 1 where a point moves, else 0.
    pub(super) movable: Vec<Y::Number>,
    /// What Jacobi sweeps leave of the sum of a point's corrections.
    pub(super) share: Vec<Y::Number>,
    pub(super) edges: Vec<EdgeGroup<Y>>,
    /// Neo-Hookean tetrahedra; then those that keep their volume.
    pub(super) solids: Vec<TetGroup<Y>>,
    pub(super) volumes: Vec<TetGroup<Y>>,
    pub(super) faces: Vec<FaceGroup<Y>>,
    /// Where an edge or tetrahedron stands among the groups.
    pub(super) edge_slots: Vec<u32>,
    pub(super) tet_slots: Vec<u32>,
    /// Which tetrahedron stands there.
    pub(super) slot_tets: Vec<u32>,
}

impl<Y: Layout> Model<Y> {
    pub(super) fn new(config: XpbdConfig, topology: Topology) -> Self {
        let n_points = topology.rest.len();
        // Lanes without a constraint take a point that does not move, after all others.
        let n_rows = n_points / Y::WIDTH + 1;
        let shares = topology.shares(config.sweep);
        let inv_mass = |vertex: u32| shares[vertex as usize][0];
        let is_sequential = config.sweep == Sweep::GaussSeidel;
        let edges: Vec<[u32; 2]> = topology.edges.iter().map(|edge| edge.vertices).collect();
        let edge_order = order::<Y, 2>(&edges, is_sequential, n_points);
        let of_law = |wanted: bool| {
            let tets = topology.tets.iter().zip(0..);
            let ids: Vec<u32> = tets
                .filter(|(tet, _)| matches!(tet.law, TetLaw::NeoHookean { .. }) == wanted)
                .map(|(_, id)| id)
                .collect();
            let vertices: Vec<[u32; 4]> = ids
                .iter()
                .map(|id| topology.tets[*id as usize].vertices)
                .collect();
            let mut order = order::<Y, 4>(&vertices, is_sequential, n_points);
            for slot in order.iter_mut().filter(|slot| **slot != NONE) {
                *slot = ids[*slot as usize];
            }
            order
        };
        let (solid_order, volume_order) = (of_law(true), of_law(false));
        let slot_tets = [solid_order.as_slice(), &volume_order].concat();
        let faces: Vec<[u32; 3]> = topology.faces.iter().map(|face| face.vertices).collect();
        let face_order = order::<Y, 3>(&faces, false, n_points);
        let groups = |order: &[u32]| {
            order
                .chunks(Y::WIDTH)
                .map(|ids| tet_group::<Y>(&topology, ids, &inv_mass))
                .collect()
        };
        Self {
            n_rows,
            movable: per_point::<Y>(n_rows, n_points, |i| {
                f64::from(u8::from(topology.inv_masses[i] > 0.0))
            }),
            share: per_point::<Y>(n_rows, n_points, |i| shares[i][1]),
            edges: edge_order
                .chunks(Y::WIDTH)
                .map(|ids| edge_group::<Y>(&topology, ids, &inv_mass))
                .collect(),
            solids: groups(&solid_order),
            volumes: groups(&volume_order),
            faces: face_order
                .chunks(Y::WIDTH)
                .map(|ids| FaceGroup {
                    vertices: [0, 1, 2].map(|k| vertex::<Y>(ids, n_points, |id| faces[id][k])),
                })
                .collect(),
            edge_slots: slots(&edge_order, topology.edges.len()),
            tet_slots: slots(&slot_tets, topology.tets.len()),
            slot_tets,
            config,
            topology,
        }
    }
}

/// Constraints in the order in which they are solved, colour by colour, with gaps up to whole groups.
fn order<Y: Layout, const N: usize>(
    constraints: &[[u32; N]],
    by_color: bool,
    n_points: usize,
) -> Vec<u32> {
    let colors = if by_color {
        color(constraints, n_points)
    } else {
        vec![(0..constraints.len() as u32).collect()]
    };
    let mut order = Vec::new();
    for same in colors {
        order.extend(same);
        order.resize(order.len().next_multiple_of(Y::WIDTH), NONE);
    }
    order
}

fn slots(order: &[u32], n: usize) -> Vec<u32> {
    let mut slots = vec![0; n];
    for (id, slot) in order.iter().zip(0..) {
        if *id != NONE {
            slots[*id as usize] = slot;
        }
    }
    slots
}

fn per_point<Y: Layout>(n_rows: usize, n: usize, of: impl Fn(usize) -> f64) -> Vec<Y::Number> {
    let of = |i: usize| if i < n { of(i) as f32 } else { 0.0 };
    let values: Vec<f32> = (0..n_rows * Y::WIDTH).map(of).collect();
    values.chunks(Y::WIDTH).map(Y::numbers).collect()
}

fn vertex<Y: Layout>(ids: &[u32], ghost: usize, of: impl Fn(usize) -> u32) -> Y::Vertex {
    let of = |id: &u32| match *id {
        NONE => ghost as u32,
        id => of(id as usize),
    };
    Y::vertex(&ids.iter().map(of).collect::<Vec<_>>())
}

fn number<Y: Layout>(ids: &[u32], of: impl Fn(usize) -> f64) -> Y::Number {
    let of = |id: &u32| match *id {
        NONE => 0.0,
        id => of(id as usize) as f32,
    };
    Y::numbers(&ids.iter().map(of).collect::<Vec<_>>())
}

fn edge_group<Y: Layout>(
    topology: &Topology,
    ids: &[u32],
    inv_mass: &impl Fn(u32) -> f64,
) -> EdgeGroup<Y> {
    let (edges, ghost) = (&topology.edges, topology.rest.len());
    EdgeGroup {
        vertices: [0, 1].map(|k| vertex::<Y>(ids, ghost, |id| edges[id].vertices[k])),
        inv_masses: [0, 1].map(|k| number::<Y>(ids, |id| inv_mass(edges[id].vertices[k]))),
        length: number::<Y>(ids, |id| edges[id].length),
        elastic: number::<Y>(ids, |id| edges[id].elastic),
        compliance: number::<Y>(ids, |id| edges[id].compliance),
        damping_time: number::<Y>(ids, |id| edges[id].damping_time),
        damping: number::<Y>(ids, |id| edges[id].damping),
    }
}

fn tet_group<Y: Layout>(
    topology: &Topology,
    ids: &[u32],
    inv_mass: &impl Fn(u32) -> f64,
) -> TetGroup<Y> {
    let (tets, ghost) = (&topology.tets, topology.rest.len());
    let constants = |id: usize| tets[id].constants();
    TetGroup {
        vertices: [0, 1, 2, 3].map(|k| vertex::<Y>(ids, ghost, |id| tets[id].vertices[k])),
        inv_masses: [0, 1, 2, 3].map(|k| number::<Y>(ids, |id| inv_mass(tets[id].vertices[k]))),
        inverse_rest: std::array::from_fn(|k| number::<Y>(ids, |id| tets[id].inverse_rest[k])),
        volume: number::<Y>(ids, |id| tets[id].volume),
        constants: [0, 1].map(|k| number::<Y>(ids, |id| constants(id)[k])),
        rest_j: number::<Y>(ids, |id| constants(id)[2]),
        tear_stretch: number::<Y>(ids, |id| (1.0 + tets[id].tear_strain).powi(2)),
    }
}
