//! Zero isosurface of a field by surface nets (Gibson 1998, "Constrained elastic surface nets",
//! doi:10.1007/BFb0056277): one vertex per cell and one quad per grid edge that the surface crosses.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use crate::TriangleMesh;

/// Cells along each edge of a block. A block that is far from the surface is skipped as a whole.
const BLOCK: usize = 8;

impl TriangleMesh {
    /// The surface of `{field < 0}` within the box `[low, high]` [m], on a grid with cells of edge `cell` [m]; open where it leaves the box.
    ///
    /// `field` is a distance [m] or a lower bound of it: its gradient must not exceed one.
    pub fn isosurface(
        [low, high]: [[f64; 3]; 2],
        cell: f64,
        field: impl Fn(&Vector3<f64>) -> f64,
    ) -> Self {
        let count: [usize; 3] =
            std::array::from_fn(|axis| ((high[axis] - low[axis]) / cell).ceil().max(1.0) as usize);
        let place = |[i, j, k]: [usize; 3]| {
            Vector3::from(low) + Vector3::new(i as f64, j as f64, k as f64) * cell
        };
        let mut net = Net {
            cell,
            vertices: BTreeMap::new(),
            mesh: Self::default(),
        };
        let blocks = count.map(|count| count.div_ceil(BLOCK));
        let half = 0.5 * BLOCK as f64 * cell;
        for block in grid(blocks) {
            let first = block.map(|index| index * BLOCK);
            let middle = place(first).add_scalar(half);
            if field(&middle).abs() > half * 3.0_f64.sqrt() {
                continue;
            }
            let values: Vec<f64> = grid([BLOCK + 1; 3])
                .map(|[i, j, k]| field(&place([first[0] + i, first[1] + j, first[2] + k])))
                .collect();
            let size: [usize; 3] = std::array::from_fn(|axis| BLOCK.min(count[axis] - first[axis]));
            for [i, j, k] in grid(size) {
                let at = [first[0] + i, first[1] + j, first[2] + k];
                let corners = std::array::from_fn(|corner| {
                    let [i, j, k] = [i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2)];
                    values[(i * (BLOCK + 1) + j) * (BLOCK + 1) + k]
                });
                net.add_vertex(at, place(at), corners, &field);
            }
        }
        net.add_quads();
        net.mesh
    }
}

/// The mesh under construction.
struct Net {
    cell: f64,
    /// Per cell: the vertex, and whether the first corner and the next corner along each axis are inside.
    vertices: BTreeMap<[usize; 3], (u32, [bool; 4])>,
    mesh: TriangleMesh,
}

impl Net {
    /// Adds a vertex to the cell at `corner`, if the surface crosses it.
    fn add_vertex(
        &mut self,
        at: [usize; 3],
        corner: Vector3<f64>,
        values: [f64; 8],
        field: &impl Fn(&Vector3<f64>) -> f64,
    ) {
        let corners: [Vector3<f64>; 8] = std::array::from_fn(|index| {
            let bit = |axis: usize| (index >> axis & 1) as f64 * self.cell;
            corner + Vector3::new(bit(0), bit(1), bit(2))
        });
        let (mut sum, mut crossings) = (Vector3::zeros(), 0.0);
        for a in 0..8_usize {
            for b in [a | 1, a | 2, a | 4].into_iter().filter(|&b| b != a) {
                if (values[a] < 0.0) != (values[b] < 0.0) {
                    let share = values[a] / (values[a] - values[b]);
                    sum += corners[a] + (corners[b] - corners[a]) * share;
                    crossings += 1.0;
                }
            }
        }
        if crossings == 0.0 {
            return;
        }
        let mut point = sum / crossings;
        // Project the vertex onto the surface, which smooths the net.
        let step = 0.1 * self.cell;
        let value = field(&point);
        let slope = Vector3::from_fn(|axis, _| {
            let mut adjacent = point;
            adjacent[axis] += step;
            (field(&adjacent) - value) / step
        });
        let steepness = slope.norm_squared();
        if steepness > 0.1 {
            point -= (slope * (value / steepness)).cap_magnitude(0.5 * self.cell);
        }
        let is_inside = [0, 1, 2, 4].map(|corner: usize| values[corner] < 0.0);
        let vertex = self.mesh.positions.len() as u32;
        self.vertices.insert(at, (vertex, is_inside));
        self.mesh.positions.push(point.into());
    }

    /// Adds a quad around every grid edge with ends on opposite sides of the surface.
    fn add_quads(&mut self) {
        for (&at, &(_, [starts, ends @ ..])) in &self.vertices {
            for (axis, ends) in ends.into_iter().enumerate() {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                if at[u] == 0 || at[v] == 0 || starts == ends {
                    continue;
                }
                let vertex = |du: usize, dv: usize| {
                    let mut adjacent = at;
                    adjacent[u] -= du;
                    adjacent[v] -= dv;
                    self.vertices.get(&adjacent).map(|&(vertex, _)| vertex)
                };
                let around = [vertex(1, 1), vertex(0, 1), vertex(0, 0), vertex(1, 0)];
                let [Some(a), Some(b), Some(c), Some(d)] = around else {
                    continue;
                };
                let [a, b, c, d] = if starts { [a, b, c, d] } else { [d, c, b, a] };
                self.mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
}

fn grid([across, along, up]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..across).flat_map(move |i| (0..along).flat_map(move |j| (0..up).map(move |k| [i, j, k])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_is_closed_with_the_right_volume_and_radius() {
        let radius = 0.1;
        let ball = TriangleMesh::isosurface([[-0.131; 3], [0.13; 3]], 0.0097, |point| {
            point.norm() - radius
        });
        ball.check_closed().expect("a ball is closed");
        let expected = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        assert!(
            (ball.volume() / expected - 1.0).abs() < 0.01,
            "{}",
            ball.volume()
        );
        for position in &ball.positions {
            assert!((Vector3::from(*position).norm() - radius).abs() < 1e-4);
        }
    }

    #[test]
    fn an_empty_field_has_no_surface_and_a_cut_ball_is_open() {
        let empty = TriangleMesh::isosurface([[0.0; 3], [1.0; 3]], 0.1, |_| 1.0);
        assert!(empty.triangles.is_empty());
        let half = TriangleMesh::isosurface([[0.0, -0.2, -0.2], [0.2; 3]], 0.01, |point| {
            point.norm() - 0.1
        });
        assert!(!half.triangles.is_empty() && half.check_closed().is_err());
    }
}
