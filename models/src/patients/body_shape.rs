//! The trunk of a patient from the skin: outlines of sections across the body.
//!
//! A section is described by its centre and the distance of the skin from it in each direction, the farthest one where the skin is passed
//! several times. Only the trunk is taken: the sections around the largest one whose area is at least [`LEAST_AREA`] of it.

use std::f64::consts::{PI, TAU};

use insonate_meshes::TriangleMesh;
use serde::{Deserialize, Serialize};

use crate::ModelError;

/// Sections, and directions in a section.
const N_SECTIONS: usize = 61;
const N_ANGLES: usize = 72;
/// Sections in which the trunk is looked for.
const N_TRIED: usize = 160;
/// Share of the largest section's area from which on a section belongs to the trunk.
const LEAST_AREA: f64 = 0.5;
/// Angle from the vertical at which the front ends and the flanks begin, and at which the back begins [rad].
const FLANK: f64 = 1.1;
const FOOT: f64 = 2.2;
/// Allowed half sizes across, through and along [m].
const SIZES: [[f64; 2]; 3] = [[0.08, 0.5], [0.05, 0.4], [0.08, 0.8]];

/// The trunk of a patient, made from the skin.
///
/// It fills the same block as [`Trunk`](super::Trunk) of an adult: across (left is positive), from the back to the front, and from the
/// feet to the head. Its frame has the origin below the middle of the trunk, at the height of the lowest point of the back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyShape {
    /// Origin of the torso's frame in the frame of the skin: left, head, front [m].
    pub origin: [f64; 3],
    /// Half of the length [m].
    pub half_length: f64,
    /// Centres of the sections: left, front [m], shape `[n_sections, 2]`.
    centres: Vec<[f64; 2]>,
    /// Distances of the skin from the centres [m], shape `[n_sections, n_angles]`; angles from the front over the left.
    radii: Vec<Vec<f64>>,
}

/// A section of the skin: line segments with left and front coordinates [m].
struct Section {
    segments: Vec<[[f64; 2]; 2]>,
    area: f64,
    centre: [f64; 2],
}

impl BodyShape {
    /// The trunk of a closed skin with coordinates to the left, the head and the front [m].
    ///
    /// # Errors
    /// [`ModelError::Conflict`]: the skin has no section, or its trunk is not as large as that of a person.
    pub fn of_skin(skin: &TriangleMesh) -> Result<Self, ModelError> {
        let [low, high] = skin.bounds();
        let step = (high[1] - low[1]) / N_TRIED as f64;
        let height = |n: usize| low[1] + (n as f64 + 0.5) * step;
        let areas: Vec<f64> = (0..N_TRIED)
            .map(|n| Section::of(skin, height(n)).area)
            .collect();
        let (largest, most) = areas
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(b.1))
            .map_or((0, 0.0), |(n, area)| (n, *area));
        let is_trunk = |n: &usize| areas[*n] >= LEAST_AREA * most;
        let first = (0..=largest).rev().take_while(is_trunk).last();
        let last = (largest..N_TRIED).take_while(is_trunk).last();
        let (Some(first), Some(last)) = (first.filter(|_| most > 0.0), last) else {
            return Err(conflict("it has no section across the body"));
        };
        let [start, end] = [height(first), height(last)];
        let y = |n: usize| start + (end - start) * n as f64 / (N_SECTIONS - 1) as f64;
        let sections = (0..N_SECTIONS).map(|n| Section::of(skin, y(n)));
        let sections: Vec<Section> = sections.collect();
        let radii = sections.iter().map(Section::radii);
        let radii = radii
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| conflict("a section of the trunk is not around its centre"))?;
        let mut made = Self {
            origin: [0.0, 0.5 * (start + end), 0.0],
            half_length: 0.5 * (end - start),
            centres: sections.iter().map(|section| section.centre).collect(),
            radii,
        };
        made.move_to_the_table();
        let size = made.half_size();
        for (axis, own) in size.into_iter().enumerate() {
            let [least, most] = SIZES[axis];
            if !(least..=most).contains(&own) {
                let size = size.map(|x| format!("{:.0}", 2e3 * x)).join(" x ");
                return Err(conflict(&format!(
                    "its trunk has {size} mm (left, front, head); along axis {axis} it must have {:.0} to {:.0} mm",
                    2e3 * least,
                    2e3 * most
                )));
            }
        }
        Ok(made)
    }
}

impl BodyShape {
    /// Half of the greatest width, half of the greatest thickness, half of the length [m].
    pub fn half_size(&self) -> [f64; 3] {
        let points = || (0..N_SECTIONS).flat_map(|n| (0..N_ANGLES).map(move |k| self.node(n, k)));
        let width = points().map(|[x, _]| x.abs()).fold(0.0, f64::max);
        let top = points().map(|[_, z]| z).fold(0.0, f64::max);
        [width, 0.5 * top, self.half_length]
    }

    /// The point at block coordinates `[u, w, v]`, in the torso's frame [m].
    pub(super) fn point(&self, [u, w, v]: [f64; 3]) -> [f64; 3] {
        // The Coons patch between the front, the back and both flanks.
        let outline = |angle: f64| self.outline(v, angle);
        let flank = |w: f64| FOOT + w * (FLANK - FOOT);
        let back = |u: f64| PI - (PI - FOOT) * u.abs();
        let front = outline(FLANK * u);
        let ground = outline(back(u).copysign(u));
        let [left, right] = [1.0, -1.0].map(|side| outline(side * flank(w)));
        let corner = |side: f64, w: f64| outline(side * flank(w));
        let share = 0.5 * (u + 1.0);
        let mix = |axis: usize| {
            let sides = share * left[axis] + (1.0 - share) * right[axis];
            let ends = w * front[axis] + (1.0 - w) * ground[axis];
            let corners = w
                * (share * corner(1.0, 1.0)[axis] + (1.0 - share) * corner(-1.0, 1.0)[axis])
                + (1.0 - w)
                    * (share * corner(1.0, 0.0)[axis] + (1.0 - share) * corner(-1.0, 0.0)[axis]);
            sides + ends - corners
        };
        [mix(0), self.half_length * v, mix(1)]
    }

    /// Lengths on the surface of the middle section: of the front and of a flank [m].
    pub(super) fn arcs(&self) -> [f64; 2] {
        let length = |from: f64, to: f64| {
            let angle = |step: u32| from + (to - from) * f64::from(step) / 32.0;
            let points: Vec<[f64; 2]> = (0..=32)
                .map(|step| self.outline(0.0, angle(step)))
                .collect();
            let chords = points.windows(2);
            chords
                .map(|pair| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]))
                .sum::<f64>()
        };
        [length(-FLANK, FLANK), length(FOOT, FLANK)]
    }

    /// Approximate distance of a point from the trunk [m]; negative inside.
    pub(super) fn distance(&self, [x, y, z]: [f64; 3]) -> f64 {
        let v = (y / self.half_length).clamp(-1.0, 1.0);
        let [centre_x, centre_z] = between(v, |n| self.centres[n]);
        let [right, up] = [x - centre_x, z - centre_z];
        let [edge_x, edge_z] = self.outline(v, right.atan2(up));
        let radius = (edge_x - centre_x).hypot(edge_z - centre_z);
        (right.hypot(up) - radius).max(y.abs() - self.half_length)
    }

    /// The outline of the section at `v` in a direction from its centre: the angle from the front over the left [rad].
    fn outline(&self, v: f64, angle: f64) -> [f64; 2] {
        let place = angle.rem_euclid(TAU) / TAU * N_ANGLES as f64;
        let (first, share) = ((place.floor() as usize) % N_ANGLES, place.fract());
        let next = (first + 1) % N_ANGLES;
        let centre = between(v, |n| self.centres[n]);
        let [radius] = between(v, |n| {
            let own = &self.radii[n];
            [own[first] * (1.0 - share) + own[next] * share]
        });
        let (sin, cos) = angle.sin_cos();
        [centre[0] + radius * sin, centre[1] + radius * cos]
    }

    /// A node of the outlines: left, front [m].
    fn node(&self, section: usize, angle: usize) -> [f64; 2] {
        let [x, z] = self.centres[section];
        let radius = self.radii[section][angle];
        let (sin, cos) = angle_of(angle).sin_cos();
        [x + radius * sin, z + radius * cos]
    }

    /// Moves the origin below the middle of the trunk.
    fn move_to_the_table(&mut self) {
        let nodes: Vec<[f64; 2]> = (0..N_SECTIONS)
            .flat_map(|n| (0..N_ANGLES).map(move |k| (n, k)))
            .map(|(n, k)| self.node(n, k))
            .collect();
        let range = |axis: usize| {
            let along = nodes.iter().map(|node| node[axis]);
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                [low.min(x), high.max(x)]
            })
        };
        let ([left, right], [low, _]) = (range(0), range(1));
        let moved = [0.5 * (left + right), low];
        for centre in &mut self.centres {
            *centre = [centre[0] - moved[0], centre[1] - moved[1]];
        }
        self.origin[0] += moved[0];
        self.origin[2] += moved[1];
    }
}

impl Section {
    /// The section at a height along the body [m].
    fn of(skin: &TriangleMesh, y: f64) -> Self {
        let mut segments = Vec::new();
        for triangle in 0..skin.triangles.len() {
            let corners = skin.corners(triangle);
            let above = corners.map(|corner| corner.y > y);
            if above == [true; 3] || above == [false; 3] {
                continue;
            }
            let mut ends = [[0.0; 2]; 2];
            for edge in 0..3 {
                let next = (edge + 1) % 3;
                if above[edge] != above[next] {
                    let (a, b) = (corners[edge], corners[next]);
                    let share = (y - a.y) / (b.y - a.y);
                    let place = a + (b - a) * share;
                    // Segments run around the section in the same sense, because triangles do.
                    ends[usize::from(above[edge])] = [place.x, place.z];
                }
            }
            segments.push(ends);
        }
        let crossed = segments
            .iter()
            .map(|[a, b]| (a, b, a[0] * b[1] - b[0] * a[1]));
        let (mut twice, mut sums) = (0.0, [0.0; 2]);
        for (a, b, cross) in crossed {
            twice += cross;
            for axis in 0..2 {
                sums[axis] += cross * (a[axis] + b[axis]);
            }
        }
        let centre = if twice == 0.0 {
            [0.0; 2]
        } else {
            sums.map(|sum| sum / (3.0 * twice))
        };
        Self {
            segments,
            area: 0.5 * twice.abs(),
            centre,
        }
    }

    /// Distances of the skin from the centre; `None` if there is no skin in a direction.
    fn radii(&self) -> Option<Vec<f64>> {
        let radius = |angle: usize| {
            let (sin, cos) = angle_of(angle).sin_cos();
            let own = |[x, z]: [f64; 2]| {
                let [x, z] = [x - self.centre[0], z - self.centre[1]];
                // Along the direction, and across it.
                [x * sin + z * cos, x * cos - z * sin]
            };
            let crossings = self.segments.iter().filter_map(|[a, b]| {
                let ([along_a, across_a], [along_b, across_b]) = (own(*a), own(*b));
                let is_crossed = (across_a > 0.0) != (across_b > 0.0);
                let along = along_a + (along_b - along_a) * across_a / (across_a - across_b);
                (is_crossed && along > 0.0).then_some(along)
            });
            crossings.max_by(f64::total_cmp)
        };
        (0..N_ANGLES).map(radius).collect()
    }
}

fn angle_of(number: usize) -> f64 {
    TAU * number as f64 / N_ANGLES as f64
}

/// Interpolates between the sections.
fn between<const N: usize>(v: f64, of: impl Fn(usize) -> [f64; N]) -> [f64; N] {
    let place = 0.5 * (v.clamp(-1.0, 1.0) + 1.0) * (N_SECTIONS - 1) as f64;
    let first = (place as usize).min(N_SECTIONS - 2);
    let share = place - first as f64;
    let [a, b] = [of(first), of(first + 1)];
    std::array::from_fn(|axis| a[axis] * (1.0 - share) + b[axis] * share)
}

fn conflict(problem: &str) -> ModelError {
    ModelError::Conflict(format!("no torso can be made of the skin: {problem}"))
}
