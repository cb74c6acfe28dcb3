//! Closest point of a closed surface, and signed distance.
//!
//! A tree of bounding boxes finds the triangle (Ericson 2005, Real-Time Collision Detection, 5.1.5 for the point of a triangle).
//! The angle-weighted pseudonormal of the closest face, edge or vertex gives the sign (Bærentzen & Aanæs 2005, doi:10.1109/TVCG.2005.49).

use nalgebra::Vector3;

use crate::{MeshFault, TriangleMesh};

/// Maximum number of triangles in a leaf.
const LEAF: usize = 4;

/// A closed surface as a tree of bounding boxes, for closest points and signed distances.
#[derive(Debug, Clone)]
pub struct SurfaceTree {
    pub(crate) nodes: Vec<Node>,
    /// Facets in the order of the leaves.
    pub(crate) facets: Vec<Facet>,
}

/// The point of a surface that is closest to a query point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoint {
    /// Position [m].
    pub position: Vector3<f64>,
    /// Distance [m], negative inside.
    pub distance: f64,
    /// Outward unit normal: the direction between the two points, or the pseudonormal if they coincide.
    pub normal: Vector3<f64>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) low: Vector3<f64>,
    pub(crate) high: Vector3<f64>,
    /// First facet of a leaf, or the second child of another node; the first child follows its parent.
    pub(crate) next: u32,
    /// Number of facets of a leaf; 0 for other nodes.
    pub(crate) n_facets: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Facet {
    pub(crate) corners: [Vector3<f64>; 3],
    /// Index of the triangle and indices of its vertices in the mesh.
    pub(crate) index: u32,
    pub(crate) indices: [u32; 3],
    /// Number of facets that meet at each corner.
    pub(crate) n_around: [u32; 3],
    /// Pseudonormals: of the face, of the edges ab, bc, ca (sums of unit normals), and of the corners (sums weighted by angle).
    face: Vector3<f64>,
    edges: [Vector3<f64>; 3],
    vertices: [Vector3<f64>; 3],
}

/// Feature of a triangle: its face, an edge or a corner.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Feature {
    Face,
    Edge(usize),
    Vertex(usize),
}

impl SurfaceTree {
    /// Builds the tree.
    ///
    /// # Errors
    /// [`MeshFault`] if the mesh is not closed.
    pub fn new(mesh: &TriangleMesh) -> Result<Self, MeshFault> {
        mesh.check_closed()?;
        let facets = facets(mesh);
        let mut order: Vec<u32> = (0..facets.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * facets.len() / LEAF + 1);
        split(&facets, &mut order, 0, &mut nodes);
        let facets = order.iter().map(|&index| facets[index as usize]).collect();
        Ok(Self { nodes, facets })
    }

    /// The closest point of the surface.
    ///
    /// # Panics
    /// If the query point is not finite.
    pub fn closest_point(&self, point: &Vector3<f64>) -> ClosestPoint {
        self.closest_point_within(point, f64::INFINITY)
            .expect("a finite point has a closest point")
    }

    /// The closest point of the surface, if it is nearer than `reach` [m].
    pub fn closest_point_within(&self, point: &Vector3<f64>, reach: f64) -> Option<ClosestPoint> {
        let mut best = reach * reach;
        let mut found = None;
        // Each level halves the facets, so the depth is at most 32.
        let mut stack = [(0_u32, 0.0_f64); 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (index, least) = stack[depth];
            if least >= best {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.n_facets > 0 {
                let first = node.next as usize;
                for facet in first..first + node.n_facets as usize {
                    let (position, feature) =
                        closest_on_triangle(&self.facets[facet].corners, point);
                    let square = (point - position).norm_squared();
                    if square < best {
                        best = square;
                        found = Some((facet, position, feature));
                    }
                }
                continue;
            }
            let mut children = [index + 1, node.next].map(|child| {
                let square = self.nodes[child as usize].square_to(point);
                (child, square)
            });
            if children[0].1 < children[1].1 {
                children.swap(0, 1);
            }
            // The nearer child is visited first.
            for child in children {
                stack[depth] = child;
                depth += 1;
            }
        }
        let (facet, position, feature) = found?;
        Some(self.facets[facet].side(point, position, feature))
    }

    /// Signed distance [m], negative inside.
    ///
    /// # Panics
    /// If the point is not finite.
    pub fn signed_distance(&self, point: &Vector3<f64>) -> f64 {
        self.closest_point(point).distance
    }
}

impl Node {
    pub(crate) fn square_to(&self, point: &Vector3<f64>) -> f64 {
        let out = (self.low - point).sup(&(point - self.high));
        out.map(|x| x.max(0.0)).norm_squared()
    }
}

impl Facet {
    pub(crate) fn side(
        &self,
        point: &Vector3<f64>,
        position: Vector3<f64>,
        feature: Feature,
    ) -> ClosestPoint {
        let pseudonormal = match feature {
            Feature::Face => self.face,
            Feature::Edge(edge) => self.edges[edge],
            Feature::Vertex(vertex) => self.vertices[vertex],
        };
        let apart = point - position;
        let length = apart.norm();
        let sign = if apart.dot(&pseudonormal) < 0.0 {
            -1.0
        } else {
            1.0
        };
        let unit = |v: Vector3<f64>| v.try_normalize(1e-300);
        let normal = if length > 1e-12 {
            unit(apart * sign)
        } else {
            unit(pseudonormal)
        };
        ClosestPoint {
            position,
            distance: sign * length,
            normal: normal.unwrap_or(self.face),
        }
    }
}

fn facets(mesh: &TriangleMesh) -> Vec<Facet> {
    let n_triangles = mesh.triangles.len();
    let faces: Vec<_> = (0..n_triangles)
        .map(|i| mesh.area_vector(i).normalize())
        .collect();
    let mut vertices = vec![Vector3::zeros(); mesh.positions.len()];
    let mut n_around = vec![0; mesh.positions.len()];
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let corners = mesh.corners(index);
        for (corner, &vertex) in triangle.iter().enumerate() {
            let one = corners[(corner + 1) % 3] - corners[corner];
            let other = corners[(corner + 2) % 3] - corners[corner];
            vertices[vertex as usize] += faces[index] * one.angle(&other);
            n_around[vertex as usize] += 1;
        }
    }
    let mut facets: Vec<Facet> = (0..n_triangles)
        .map(|index| Facet {
            corners: mesh.corners(index),
            index: index as u32,
            indices: mesh.triangles[index],
            n_around: mesh.triangles[index].map(|vertex| n_around[vertex as usize]),
            face: faces[index],
            edges: [faces[index]; 3],
            vertices: mesh.triangles[index].map(|vertex| vertices[vertex as usize]),
        })
        .collect();
    for pair in mesh.edges().chunks_exact(2) {
        let (edge, a, b) = (pair[0].0, pair[0].1 as usize, pair[1].1 as usize);
        for triangle in [a, b] {
            let corners = mesh.triangles[triangle];
            let opposite = corners.iter().position(|vertex| !edge.contains(vertex));
            let opposite = opposite.expect("a triangle has a third corner");
            facets[triangle].edges[(opposite + 1) % 3] = faces[a] + faces[b];
        }
    }
    facets
}

/// Builds the node of the given facets, which start at index `first`, and the nodes below it.
fn split(facets: &[Facet], order: &mut [u32], first: usize, nodes: &mut Vec<Node>) {
    let mut low = Vector3::repeat(f64::INFINITY);
    let mut high = -low;
    let mut middles = [low, high];
    for &index in order.iter() {
        let corners = &facets[index as usize].corners;
        for corner in corners {
            low = low.inf(corner);
            high = high.sup(corner);
        }
        let middle = middle(&facets[index as usize]);
        middles = [middles[0].inf(&middle), middles[1].sup(&middle)];
    }
    let own = nodes.len();
    nodes.push(Node {
        low,
        high,
        next: first as u32,
        n_facets: order.len() as u32,
    });
    if order.len() <= LEAF {
        return;
    }
    let axis = (middles[1] - middles[0]).imax();
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |&a, &b| {
        let at = |index: u32| middle(&facets[index as usize])[axis];
        at(a).total_cmp(&at(b)).then(a.cmp(&b))
    });
    let (left, right) = order.split_at_mut(half);
    split(facets, left, first, nodes);
    nodes[own].next = nodes.len() as u32;
    nodes[own].n_facets = 0;
    split(facets, right, first + half, nodes);
}

/// Three times the centroid.
fn middle(facet: &Facet) -> Vector3<f64> {
    facet.corners[0] + facet.corners[1] + facet.corners[2]
}

/// The closest point of a triangle and the feature that contains it (Ericson 2005).
pub(crate) fn closest_on_triangle(
    [a, b, c]: &[Vector3<f64>; 3],
    point: &Vector3<f64>,
) -> (Vector3<f64>, Feature) {
    let (ab, ac) = (b - a, c - a);
    let from_a = point - a;
    let (d1, d2) = (ab.dot(&from_a), ac.dot(&from_a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (*a, Feature::Vertex(0));
    }
    let from_b = point - b;
    let (d3, d4) = (ab.dot(&from_b), ac.dot(&from_b));
    if d3 >= 0.0 && d4 <= d3 {
        return (*b, Feature::Vertex(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Feature::Edge(0));
    }
    let from_c = point - c;
    let (d5, d6) = (ab.dot(&from_c), ac.dot(&from_c));
    if d6 >= 0.0 && d5 <= d6 {
        return (*c, Feature::Vertex(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Feature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + (c - b) * along, Feature::Edge(1));
    }
    let scale = 1.0 / (va + vb + vc);
    (a + ab * (vb * scale) + ac * (vc * scale), Feature::Face)
}
