//! Surroundings of an image plane: the probe, the outline of the picture and the materials.

use insonate_drawing::{DrawingError, label_picture};
use insonate_ultrasound::BMode;
use insonate_ultrasound::deformation::{Deformation, Point};
use insonate_ultrasound::phantom::Phantom;
use nalgebra::Isometry3;

/// Width and height of each of the two parts [pixels].
const SIZE: usize = 480;
/// Width of the parts relative to the picture's depth.
const SPAN: f32 = 2.5;
/// Share of a part that is above the probe's face.
const ABOVE: f32 = 0.2;
/// Every `STRIDE`-th sample of a scanline is drawn.
const STRIDE: usize = 2;
/// Half width of the strokes [pixels].
const STROKE: usize = 1;

/// A PNG file with two planes of the body. The left one is the plane of the picture, wider and deeper. The right one is perpendicular
/// to it
/// and contains the probe's axis.
///
/// Materials have the colours of [`label_picture`]; the picture's outline is black. `pose` transforms points from the probe frame to
/// the
/// phantom's world frame.
///
/// # Errors
/// [`DrawingError::Png`].
pub fn overview_picture(
    phantom: &dyn Phantom,
    deformation: &dyn Deformation,
    pose: &Isometry3<f64>,
    b_mode: &BMode,
) -> Result<Vec<u8>, DrawingError> {
    let pose = pose.cast::<f32>();
    let span = SPAN * b_mode.settings().depth as f32;
    let n = phantom.materials().len();
    let outside = n as u8;
    let mut pixels = vec![outside; 2 * SIZE * SIZE];
    for row in 0..SIZE {
        for column in 0..2 * SIZE {
            let along = along(column % SIZE, span);
            let deep = (row as f32 / SIZE as f32 - ABOVE) * span;
            let place = if column < SIZE {
                Point::new(along, 0.0, deep)
            } else {
                Point::new(0.0, along, deep)
            };
            if let Some(rest) = deformation.rest_from_world(&(pose * place)) {
                pixels[2 * SIZE * row + column] = phantom.place(&rest).material;
            }
        }
    }
    for (part, point) in outline(b_mode) {
        let along = if part == 0 { point.x } else { point.y };
        draw(&mut pixels, part, along / span, point.z / span, outside);
    }
    label_picture(2 * SIZE, &pixels, n)
}

/// Distance of a column from the probe's axis [m].
fn along(column: usize, span: f32) -> f32 {
    (column as f32 / SIZE as f32 - 0.5) * span
}

/// Points of the picture's outline in the probe frame [m], with the index of their part.
fn outline(b_mode: &BMode) -> Vec<(usize, Point)> {
    let settings = b_mode.settings();
    let (last_line, last_sample) = (settings.n_lines - 1, settings.n_samples - 1);
    let samples = || (0..=last_sample).step_by(STRIDE);
    let sides = [0, last_line]
        .into_iter()
        .flat_map(|line| samples().map(move |sample| [line, sample]));
    let ends = (0..=last_line).flat_map(|line| [[line, 0], [line, last_sample]]);
    let middle = samples().map(|sample| (1, b_mode.point(last_line / 2, sample)));
    sides
        .chain(ends)
        .map(|[line, sample]| (0, b_mode.point(line, sample)))
        .chain(middle)
        .collect()
}

/// Draws a point of a part. `x` and `z` are relative to the part's width, with the origin at the probe's face.
fn draw(pixels: &mut [u8], part: usize, x: f32, z: f32, color: u8) {
    let pixel = |share: f32| (share * SIZE as f32).round() as isize;
    let (column, row) = (pixel(x + 0.5), pixel(z + ABOVE));
    let near = |middle: isize| {
        let stroke = STROKE as isize;
        (middle - stroke..=middle + stroke).filter(|at| (0..SIZE as isize).contains(at))
    };
    for row in near(row) {
        for column in near(column) {
            pixels[2 * SIZE * row as usize + part * SIZE + column as usize] = color;
        }
    }
}
