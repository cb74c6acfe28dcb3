//! The polar grid of a block: circles below the tool, which become squares towards the sides.

use std::f64::consts::{FRAC_PI_4, PI};

use nalgebra::Vector3;

use crate::soft_block::{INTERFACE, Tool};

/// A block with a square base, centred on the z axis, on the plane z = 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// Half of its width [m].
    pub(crate) half_width: f64,
    /// Height [m].
    pub(crate) height: f64,
    /// Whether the half y > 0 is computed, and not the quarter x, y > 0.
    pub(crate) is_half: bool,
}

/// Widths of elements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resolution {
    /// Width of elements at the contact, and at the edge of a punch [m].
    pub(crate) finest: f64,
    /// Ratio of the widths of neighbours away from there.
    pub(crate) growth: f64,
    /// Number of elements in a quarter of a turn, an even number.
    pub(crate) per_quarter: usize,
}

/// Nodes and elements. The local number of a node is `9 a + 3 b + c`, with a, b, c from 0 to 2 along radius, angle and height.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub(super) points: Vec<Vector3<f64>>,
    /// Whether the displacement of a node along each axis is zero.
    pub(super) is_fixed: Vec<[bool; 3]>,
    pub(super) elements: Vec<[usize; 27]>,
    /// Upper faces near the tool; local number `3 a + b`.
    pub(super) faces: Vec<[usize; 9]>,
}

/// Places from 0 to `end`: elements of the finest width within `even` of the centre `fine`, growing away from there, with one of the ends at each of `breaks`.
fn graded(end: f64, fine: f64, even: f64, breaks: &[f64], resolution: Resolution) -> Vec<f64> {
    let mut places = vec![0.0];
    let mut ends: Vec<f64> = breaks.iter().copied().filter(|&at| at < end).collect();
    ends.push(end);
    for to in ends {
        let from = places[places.len() - 1];
        // The wanted width at a place; its integral counts elements.
        let width = |at: f64| {
            let away = ((at - fine).abs() - even).max(0.0);
            resolution.finest + resolution.growth.ln() * away
        };
        let n_parts = 2000;
        let step = (to - from) / f64::from(n_parts);
        let counts: Vec<f64> = (0..n_parts)
            .scan(0.0, |count, part| {
                *count += step / width(from + (f64::from(part) + 0.5) * step);
                Some(*count)
            })
            .collect();
        let n_elements = counts[counts.len() - 1].ceil().max(1.0);
        let scale = n_elements / counts[counts.len() - 1];
        let mut next = 1.0;
        for (part, count) in counts.iter().enumerate() {
            if count * scale >= next - 1e-9 && next < n_elements {
                places.push(from + (part as f64 + 1.0) * step);
                next += 1.0;
            }
        }
        places.push(to);
    }
    places
}

/// The places, and the middles between them.
fn with_middles(places: &[f64]) -> Vec<f64> {
    let mut all = vec![places[0]];
    for pair in places.windows(2) {
        all.extend([0.5 * (pair[0] + pair[1]), pair[1]]);
    }
    all
}

impl Grid {
    pub(super) fn new(extent: Extent, tool: Tool, resolution: Resolution) -> Self {
        let Extent {
            half_width, height, ..
        } = extent;
        // Circles up to here [m].
        let round = 0.6 * half_width;
        let radii = match tool {
            Tool::Punch { radius } => graded(half_width, radius, 0.0, &[radius, round], resolution),
            // The contact, and where a drag leads.
            Tool::Ball { radius } => {
                let contact = (0.004 * radius).sqrt();
                let even = if extent.is_half { 1.5 } else { 1.1 } * contact;
                graded(half_width, 0.0, even, &[round], resolution)
            }
        };
        let depths = graded(height, 0.0, 0.0, &[height - INTERFACE], resolution);
        let n_turn = resolution.per_quarter * if extent.is_half { 2 } else { 1 };
        let turn = if extent.is_half { PI } else { 0.5 * PI };
        let [radii, depths] = [radii, depths].map(|places| with_middles(&places));
        let mut grid = Self::default();
        let n_angles = 2 * n_turn + 1;
        let n_columns = 1 + (radii.len() - 1) * n_angles;
        // Nodes on the axis have no angle.
        let column = |i: usize, j: usize| {
            if i == 0 {
                0
            } else {
                1 + (i - 1) * n_angles + j
            }
        };
        for depth in &depths {
            for number in 0..n_columns {
                let (i, j) = match number {
                    0 => (0, 0),
                    _ => ((number - 1) / n_angles + 1, (number - 1) % n_angles),
                };
                let angle = turn * j as f64 / (n_angles - 1) as f64;
                grid.points
                    .push(place(radii[i], angle, round, half_width, height - depth));
                let is_base = *depth > height - 1e-9;
                let on_x = i == 0 || j == 0 || (extent.is_half && j == n_angles - 1);
                let on_y = !extent.is_half && (i == 0 || j == n_angles - 1);
                grid.is_fixed
                    .push([is_base || on_y, is_base || on_x, is_base]);
            }
        }
        let node = |i: usize, j: usize, k: usize| k * n_columns + column(i, j);
        for i in 0..radii.len() / 2 {
            for j in 0..n_turn {
                for k in 0..depths.len() / 2 {
                    // Upwards, so that volumes are positive.
                    grid.elements.push(std::array::from_fn(|local| {
                        let (a, b, c) = (local / 9, local / 3 % 3, local % 3);
                        node(2 * i + a, 2 * j + b, 2 * k + 2 - c)
                    }));
                }
                if radii[2 * i] < round {
                    grid.faces.push(std::array::from_fn(|local| {
                        node(2 * i + local / 3, 2 * j + local % 3, 0)
                    }));
                }
            }
        }
        grid
    }
}

/// The place of polar coordinates: beyond the radius `round`, circles become squares.
fn place(radius: f64, angle: f64, round: f64, half_width: f64, height: f64) -> Vector3<f64> {
    let to_side = (angle + FRAC_PI_4).rem_euclid(2.0 * FRAC_PI_4) - FRAC_PI_4;
    let side = half_width / to_side.cos();
    let part = ((radius - round) / (half_width - round)).max(0.0);
    let radius = radius.min(round) + part * (side - round);
    Vector3::new(radius * angle.cos(), radius * angle.sin(), height)
}
