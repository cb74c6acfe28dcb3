//! Local minima of the distance between a surface and a point.

use nalgebra::Vector3;

use crate::closest_point::{Feature, closest_on_triangle};
use crate::{ClosestPoint, SurfaceTree};

/// The point of one facet that is nearest to the query point.
struct Candidate {
    facet: u32,
    position: Vector3<f64>,
    feature: Feature,
    /// Vertices of the edge or the vertex, and the number of facets that share it; `None` for the interior of a facet.
    shared: Option<([u32; 2], u32)>,
}

impl SurfaceTree {
    /// Appends all local minima of the distance to `point` that are nearer than `reach` [m], in the order of the tree.
    ///
    /// A minimum lies in the interior of a triangle if the perpendicular from the point meets it.
    /// It lies on an edge or vertex if that edge or vertex is nearest to the point for all triangles that share it.
    pub fn local_minima_within(
        &self,
        point: &Vector3<f64>,
        reach: f64,
        found: &mut Vec<ClosestPoint>,
    ) {
        // No point is near a NaN or infinite query.
        if !point.iter().all(|x| x.is_finite()) {
            return;
        }
        let mut candidates = Vec::new();
        self.gather(point, reach, &mut candidates);
        candidates.sort_by_key(|candidate| candidate.shared);
        for group in candidates.chunk_by(|a, b| a.shared.is_some() && a.shared == b.shared) {
            let first = &group[0];
            if first
                .shared
                .is_none_or(|(_, n_facets)| group.len() == n_facets as usize)
            {
                let facet = &self.facets[first.facet as usize];
                found.push(facet.side(point, first.position, first.feature));
            }
        }
    }

    fn gather(&self, point: &Vector3<f64>, reach: f64, candidates: &mut Vec<Candidate>) {
        let most = reach * reach;
        let mut stack = [0_u32; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let own = stack[depth];
            let node = &self.nodes[own as usize];
            if node.square_to(point) >= most {
                continue;
            }
            if node.n_facets == 0 {
                stack[depth] = own + 1;
                stack[depth + 1] = node.next;
                depth += 2;
                continue;
            }
            for index in node.next..node.next + node.n_facets {
                let facet = &self.facets[index as usize];
                let (position, feature) = closest_on_triangle(&facet.corners, point);
                if (point - position).norm_squared() >= most {
                    continue;
                }
                let shared = match feature {
                    Feature::Face => None,
                    Feature::Edge(edge) => {
                        let [a, b] = [facet.indices[edge], facet.indices[(edge + 1) % 3]];
                        Some(([a.min(b), a.max(b)], 2))
                    }
                    Feature::Vertex(vertex) => {
                        let [a, n_around] = [facet.indices[vertex], facet.n_around[vertex]];
                        Some(([a, a], n_around))
                    }
                };
                candidates.push(Candidate {
                    facet: index,
                    position,
                    feature,
                    shared,
                });
            }
        }
    }
}
