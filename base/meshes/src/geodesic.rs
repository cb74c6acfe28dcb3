//! Shortest paths on a surface.
//!
//! A path first follows a graph: the vertices and a few points on each edge, joined across the triangles (Lanthier, Maheshwari & Sack
//! 2001, doi:10.1007/s00453-001-0027-5; found as in Dijkstra 1959). Then each of its points moves along its edge to where the unfolded
//! path is straight, until none moves. Where it passes a vertex, it is led around it on the side on which it becomes shorter.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use nalgebra::Vector3;

use crate::TriangleMesh;

/// Points on an edge, apart from its ends.
const PER_EDGE: usize = 3;
/// Most rounds of straightening, and the move below which they end [m].
const MOST_ROUNDS: usize = 5000;
const LEAST_MOVE: f64 = 1e-8;
/// Distance from a vertex at which a point counts as being there [m], and most ways around vertices that are tried.
const NEAR: f64 = 1e-6;
const MOST_TURNS: usize = 500;

/// A part of a surface on which shortest paths are searched.
#[derive(Debug)]
pub struct GeodesicGraph<'a> {
    mesh: &'a TriangleMesh,
    /// Edges with their vertices in ascending order.
    edges: Vec<[u32; 2]>,
    /// Edges of each triangle of the part.
    triangles: Vec<(u32, [usize; 3])>,
    /// Triangles of the part, as places in `triangles`, at each vertex and at each edge.
    at_vertex: Vec<Vec<u32>>,
    at_edge: Vec<Vec<u32>>,
}

/// Distances on a surface from a vertex, and the way back to it.
#[derive(Debug)]
pub struct Distances {
    /// Length of the way to each node [m]; infinite if no way leads there.
    length: Vec<f64>,
    /// The node before.
    before: Vec<u32>,
}

impl Distances {
    /// Length of a way to a vertex [m], up to 5 % longer than the shortest path; infinite if no way leads there.
    pub fn to(&self, vertex: u32) -> f64 {
        self.length[vertex as usize]
    }
}

impl<'a> GeodesicGraph<'a> {
    /// The triangles of a mesh for which `is_in` is true.
    ///
    /// # Panics
    /// If a triangle has a vertex that does not exist.
    pub fn new(mesh: &'a TriangleMesh, is_in: impl Fn(usize) -> bool) -> Self {
        let mut numbers = BTreeMap::new();
        let mut own = Self {
            mesh,
            edges: Vec::new(),
            triangles: Vec::new(),
            at_vertex: vec![Vec::new(); mesh.positions.len()],
            at_edge: Vec::new(),
        };
        for (index, &[a, b, c]) in mesh.triangles.iter().enumerate() {
            if !is_in(index) {
                continue;
            }
            let place = own.triangles.len() as u32;
            let edges = [[a, b], [b, c], [c, a]].map(|[from, to]| {
                let edge = [from.min(to), from.max(to)];
                let number = *numbers.entry(edge).or_insert_with(|| {
                    own.edges.push(edge);
                    own.at_edge.push(Vec::new());
                    own.edges.len() - 1
                });
                own.at_edge[number].push(place);
                number
            });
            for vertex in [a, b, c] {
                own.at_vertex[vertex as usize].push(place);
            }
            own.triangles.push((index as u32, edges));
        }
        own
    }

    /// The vertex of the part that is nearest to a point [m]; `None` without triangles.
    pub fn nearest(&self, point: Vector3<f64>) -> Option<u32> {
        let far = |vertex: &u32| {
            (Vector3::from(self.mesh.positions[*vertex as usize]) - point).norm_squared()
        };
        let own = (0..self.n_vertices() as u32)
            .filter(|vertex| !self.at_vertex[*vertex as usize].is_empty());
        own.min_by(|a, b| far(a).total_cmp(&far(b)))
    }

    /// Distances of all vertices from one of them.
    ///
    /// # Panics
    /// If the vertex does not exist.
    pub fn distances(&self, from: u32) -> Distances {
        let n_vertices = self.mesh.positions.len();
        let n = n_vertices + PER_EDGE * self.edges.len();
        let mut found = Distances {
            length: vec![f64::INFINITY; n],
            before: vec![u32::MAX; n],
        };
        found.length[from as usize] = 0.0;
        // Bits of positive numbers have the numbers' order.
        let mut open = BinaryHeap::from([Reverse((0.0_f64.to_bits(), from))]);
        while let Some(Reverse((bits, node))) = open.pop() {
            let length = f64::from_bits(bits);
            if length > found.length[node as usize] {
                continue;
            }
            let place = self.position(node);
            for &triangle in self.triangles_at(node) {
                for next in self.nodes_of(triangle) {
                    let longer = length + (self.position(next) - place).norm();
                    if longer < found.length[next as usize] {
                        found.length[next as usize] = longer;
                        found.before[next as usize] = node;
                        open.push(Reverse((longer.to_bits(), next)));
                    }
                }
            }
        }
        found
    }

    /// The shortest path from the start of distances to a vertex [m]; `None` if no way leads there.
    pub fn path(&self, distances: &Distances, to: u32) -> Option<Vec<[f64; 3]>> {
        if !distances.to(to).is_finite() {
            return None;
        }
        let mut nodes = vec![to];
        while let Some(&node) = nodes
            .last()
            .filter(|node| distances.length[**node as usize] > 0.0)
        {
            nodes.push(distances.before[node as usize]);
        }
        nodes.reverse();
        Some(self.straight(&nodes))
    }

    fn n_vertices(&self) -> usize {
        self.mesh.positions.len()
    }

    /// The edge of a node, and the share of the edge at which the node is; `None` for a vertex.
    fn on_edge(&self, node: u32) -> Option<(usize, f64)> {
        let place = (node as usize).checked_sub(self.n_vertices())?;
        let share = (place % PER_EDGE + 1) as f64 / (PER_EDGE + 1) as f64;
        Some((place / PER_EDGE, share))
    }

    fn ends(&self, edge: usize) -> [Vector3<f64>; 2] {
        self.edges[edge].map(|vertex| Vector3::from(self.mesh.positions[vertex as usize]))
    }

    fn position(&self, node: u32) -> Vector3<f64> {
        match self.on_edge(node) {
            None => Vector3::from(self.mesh.positions[node as usize]),
            Some((edge, share)) => {
                let [a, b] = self.ends(edge);
                a + (b - a) * share
            }
        }
    }

    fn triangles_at(&self, node: u32) -> &[u32] {
        match self.on_edge(node) {
            None => &self.at_vertex[node as usize],
            Some((edge, _)) => &self.at_edge[edge],
        }
    }

    fn nodes_of(&self, triangle: u32) -> impl Iterator<Item = u32> + '_ {
        let (index, edges) = &self.triangles[triangle as usize];
        let corners = self.mesh.triangles[*index as usize];
        let n_vertices = self.n_vertices();
        let between = edges
            .iter()
            .flat_map(move |edge| (0..PER_EDGE).map(move |k| n_vertices + edge * PER_EDGE + k));
        corners.into_iter().chain(between.map(|node| node as u32))
    }

    /// Makes a path shorter until it is straight across each edge, and no way around a vertex is shorter.
    fn straight(&self, nodes: &[u32]) -> Vec<[f64; 3]> {
        let point = |node: &u32| Point {
            edge: self.on_edge(*node).map(|(edge, _)| edge),
            vertex: *node,
            place: self.position(*node),
        };
        let mut points: Vec<Point> = nodes.iter().map(point).collect();
        self.relax(&mut points);
        for _ in 0..MOST_TURNS {
            self.collapse(&mut points);
            let Some(shorter) = self.around_a_vertex(&points) else {
                break;
            };
            points = shorter;
        }
        points.into_iter().map(|point| point.place.into()).collect()
    }

    /// Moves points along their edges until the path is straight across each of them.
    fn relax(&self, points: &mut [Point]) {
        for _ in 0..MOST_ROUNDS {
            let mut farthest = 0.0_f64;
            for k in 1..points.len().saturating_sub(1) {
                let Some(edge) = points[k].edge else { continue };
                let [before, behind] = [k - 1, k + 1].map(|n| points[n].place);
                let Some(moved) = straight_across(self.ends(edge), before, behind) else {
                    continue;
                };
                farthest = farthest.max((moved - points[k].place).norm());
                points[k].place = moved;
            }
            if farthest < LEAST_MOVE {
                break;
            }
        }
    }

    /// Makes points at the ends of edges points of the vertices, each of them once.
    fn collapse(&self, points: &mut Vec<Point>) {
        for point in points.iter_mut() {
            let Some(edge) = point.edge else { continue };
            for (vertex, end) in self.edges[edge].into_iter().zip(self.ends(edge)) {
                if (end - point.place).norm() < NEAR {
                    *point = Point {
                        edge: None,
                        vertex,
                        place: end,
                    };
                }
            }
        }
        points.dedup_by(|a, b| a.edge.is_none() && b.edge.is_none() && a.vertex == b.vertex);
    }

    /// The path around one of its vertices, if that is shorter.
    fn around_a_vertex(&self, points: &[Point]) -> Option<Vec<Point>> {
        let before = length(points);
        let inner = 1..points.len().saturating_sub(1);
        let vertices = inner.filter(|k| points[*k].edge.is_none());
        let mut tries = vertices.flat_map(|k| [0, 1].map(|side| (k, side)));
        tries.find_map(|(k, side)| {
            let fan = self.fan(&points[k - 1], points[k].vertex, &points[k + 1], side)?;
            let mut tried = points[..k].to_vec();
            tried.extend(fan);
            tried.extend_from_slice(&points[k + 1..]);
            self.relax(&mut tried);
            (length(&tried) < before - LEAST_MOVE).then_some(tried)
        })
    }

    /// Points on the edges of a vertex that a path crosses that passes it on one of its sides.
    fn fan(&self, from: &Point, vertex: u32, to: &Point, side: usize) -> Option<Vec<Point>> {
        let holds = |triangle: u32, point: &Point| {
            let (index, edges) = &self.triangles[triangle as usize];
            match point.edge {
                Some(edge) => edges.contains(&edge),
                None => self.mesh.triangles[*index as usize].contains(&point.vertex),
            }
        };
        let around = &self.at_vertex[vertex as usize];
        let mut triangle = *around.iter().find(|triangle| holds(**triangle, from))?;
        let centre = Vector3::from(self.mesh.positions[vertex as usize]);
        let mut fan: Vec<Point> = Vec::new();
        while !holds(triangle, to) {
            let edges = self.triangles[triangle as usize].1;
            let own = edges
                .into_iter()
                .filter(|edge| self.edges[*edge].contains(&vertex));
            let last = fan.last().and_then(|point| point.edge);
            let edge = match last {
                None => own.into_iter().nth(side),
                Some(last) => own.into_iter().find(|edge| *edge != last),
            }?;
            let [a, b] = self.ends(edge);
            let far = if self.edges[edge][0] == vertex { b } else { a };
            fan.push(Point {
                edge: Some(edge),
                vertex,
                place: centre + (far - centre) * 0.2,
            });
            triangle = *self.at_edge[edge].iter().find(|next| **next != triangle)?;
            if fan.len() > around.len() {
                return None;
            }
        }
        Some(fan)
    }
}

/// A point of a path: on an edge, or at a vertex.
#[derive(Clone, Debug)]
struct Point {
    edge: Option<usize>,
    /// The vertex if there is no edge.
    vertex: u32,
    place: Vector3<f64>,
}

fn length(points: &[Point]) -> f64 {
    let pairs = points.windows(2);
    pairs
        .map(|pair| (pair[1].place - pair[0].place).norm())
        .sum()
}

/// The point of an edge through which the shortest path from one place to another leads: both triangles are unfolded into a plane.
/// `None` if both places are on the line of the edge.
fn straight_across(
    [a, b]: [Vector3<f64>; 2],
    from: Vector3<f64>,
    to: Vector3<f64>,
) -> Option<Vector3<f64>> {
    let length = (b - a).norm();
    let along = (b - a) / length;
    let unfolded = |place: Vector3<f64>| {
        let own = place - a;
        let foot = own.dot(&along);
        (foot, (own - along * foot).norm())
    };
    let ((near, height), (far, depth)) = (unfolded(from), unfolded(to));
    let sum = height + depth;
    (sum > 1e-12).then(|| {
        let foot = near + (far - near) * height / sum;
        a + along * foot.clamp(0.0, length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AROUND: u32 = 40;
    const RADIUS: f64 = 0.1;

    /// A prism with regular polygons as ends, without its ends, and the width of a side.
    fn prism(rings: u32, step: f64) -> (TriangleMesh, f64) {
        let mut mesh = TriangleMesh::default();
        for ring in 0..rings {
            for k in 0..AROUND {
                let angle = std::f64::consts::TAU * f64::from(k) / f64::from(AROUND);
                let place = [
                    RADIUS * angle.cos(),
                    step * f64::from(ring),
                    RADIUS * angle.sin(),
                ];
                mesh.positions.push(place);
            }
        }
        for ring in 0..rings - 1 {
            for k in 0..AROUND {
                let next = (k + 1) % AROUND;
                let at = |ring: u32, k: u32| ring * AROUND + k;
                let corners = [
                    at(ring, k),
                    at(ring, next),
                    at(ring + 1, next),
                    at(ring + 1, k),
                ];
                let [a, b, c, d] = corners;
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        let side = 2.0 * RADIUS * (std::f64::consts::PI / f64::from(AROUND)).sin();
        (mesh, side)
    }

    fn measured(path: &[[f64; 3]]) -> f64 {
        let pairs = path.windows(2);
        pairs
            .map(|pair| (Vector3::from(pair[1]) - Vector3::from(pair[0])).norm())
            .sum()
    }

    /// Unrolled, a prism is flat, and its shortest paths are straight lines: helices.
    #[test]
    fn shortest_paths_of_a_cylinder_are_helices() {
        let (rings, step) = (31, 0.011);
        let (mesh, side) = prism(rings, step);
        let graph = GeodesicGraph::new(&mesh, |_| true);
        let distances = graph.distances(0);
        for (ring, k) in [(30, 0), (0, 9), (30, 13), (17, 16), (5, 31), (23, 37)] {
            let target = ring * AROUND + k;
            let across = f64::from(k.min(AROUND - k)) * side;
            let up = step * f64::from(ring);
            let exact = across.hypot(up);
            let path = graph
                .path(&distances, target)
                .expect("the prism is connected");
            let found = measured(&path);
            assert!(found > exact - 1e-9, "{ring} {k}: {found} {exact}");
            assert!(found < 1.0005 * exact, "{ring} {k}: {found} {exact}");
            let graph_length = distances.to(target);
            assert!(graph_length < 1.05 * exact, "{graph_length} {exact}");
            assert!(graph_length >= found - 1e-9, "{graph_length} {found}");
            // Each place is on the helix: its height is proportional to the arc so far.
            for [x, y, z] in path {
                let turns = z.atan2(x) / std::f64::consts::TAU * f64::from(AROUND);
                let turned = if 2 * k > AROUND { -turns } else { turns };
                let share = turned.rem_euclid(f64::from(AROUND)) / f64::from(k.min(AROUND - k));
                if k != 0 && up > 0.0 && share < 1.1 {
                    assert!((y / up - share).abs() < 0.03, "{ring} {k}: {y} {share}");
                }
            }
        }
    }

    #[test]
    fn a_path_goes_around_what_is_left_out() {
        let (mesh, side) = prism(31, 0.011);
        // Only a strip of ten sides.
        let is_in = |triangle: usize| (triangle / 2) % AROUND as usize >= 30;
        let graph = GeodesicGraph::new(&mesh, is_in);
        let distances = graph.distances(30);
        let path = graph.path(&distances, 0).expect("the strip is connected");
        // The short way of ten sides is the strip itself.
        assert!((measured(&path) - 10.0 * side).abs() < 1e-9);
        // A vertex of another strip cannot be reached.
        assert_eq!(graph.path(&distances, 15), None);
        assert!(distances.to(15).is_infinite());
        // With a gap between, there is no way at all.
        let apart = GeodesicGraph::new(&mesh, |triangle| {
            let side = (triangle / 2) % AROUND as usize;
            side >= 30 && side != 35
        });
        assert_eq!(apart.path(&apart.distances(30), 0), None);
        // The vertex nearest to a place is searched in the part alone.
        let place = |vertex: u32| Vector3::from(mesh.positions[vertex as usize]);
        assert_eq!(graph.nearest(place(35) * 1.1), Some(35));
        assert_eq!(graph.nearest(place(22)), Some(30));
        assert_eq!(graph.nearest(place(12)), Some(0));
        assert_eq!(GeodesicGraph::new(&mesh, |_| false).nearest(place(0)), None);
    }
}
