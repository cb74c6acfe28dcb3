//! A strip below the frames of a film. It shows the force so far, or the reward if no force is measured, and the playback speed. The
//! ultrasound observation is drawn next to the frames.

use insonate_drawing::Film;
use insonate_drawing::register_fonts;
use insonate_drawing::{
    DrawError, DrawResult, DrawingError, INK, ORANGE_LINE, WINDOW, range_of, tick,
};
use insonate_experiments::Playback;
use insonate_sim::render::Image;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Rollout;
use super::film_lines::FilmLines;

/// Height of the strip [pixels].
const HEIGHT: u32 = 144;

const LINE: RGBColor = RGBColor(31, 105, 180);

/// Draws the frames of an episode above a curve that grows with them.
///
/// # Errors
/// [`DrawingError`].
pub fn film_with_strip(
    rollout: &Rollout,
    frames: &[&Image],
    playback: &Playback,
) -> Result<Film, DrawingError> {
    register_fonts();
    let n_steps = rollout.steps.len();
    let every = playback.stride(n_steps);
    let strip = Strip::of(rollout, playback.factor(n_steps));
    let lines = FilmLines::of(&rollout.spec.observation_space.names);
    let height = frames.first().map_or(0, |frame| frame.height);
    let lines_width = lines.as_ref().map_or(0, |_| FilmLines::width(height));
    let width = frames.first().map_or(0, |frame| frame.width) + lines_width;
    let composed =
        frames.iter().enumerate().map(|(index, frame)| {
            // A frame belongs to the observation of the same moment. After the last step there is no observation, so take the last one.
            let done = (index * every).min(rollout.steps.len().saturating_sub(1));
            let step = rollout.steps.get(done);
            let seen = lines.as_ref().zip(step.map(|step| &step.observation));
            let mut pixels = match seen {
                Some((lines, seen)) => with_lines(frame, lines, seen),
                None => frame.rgb.clone(),
            };
            pixels.extend(strip.pixels(width, index * every).map_err(|source| {
                DrawingError::Plot {
                    name: "the strip of a film".to_owned(),
                    source,
                }
            })?);
            Ok(pixels)
        });
    Ok(Film {
        width,
        height: height + HEIGHT,
        interval: playback.shown_interval(n_steps),
        frames: composed.collect::<Result<_, DrawingError>>()?,
    })
}

/// A frame with the ultrasound observation at its right.
fn with_lines(frame: &Image, lines: &FilmLines, seen: &[f32]) -> Vec<u8> {
    let rows = frame.rgb.chunks_exact(3 * frame.width as usize).zip(0..);
    let row = |(row, y): (&[u8], u32)| [row, &lines.row(seen, y, frame.height)].concat();
    rows.flat_map(row).collect()
}

struct Strip {
    label: &'static str,
    /// Playback speed of the film.
    speed: String,
    points: Vec<(f64, f64)>,
    /// Target and tolerance.
    goal: Option<(f64, f64)>,
}

impl Strip {
    fn of(rollout: &Rollout, slow_motion: usize) -> Self {
        let speed = match slow_motion {
            1 => "in simulated time".to_owned(),
            times => format!("slowed down {times} times"),
        };
        let (label, points, goal) = if let Some(points) = rollout.force() {
            ("force [N]", points, rollout.target_force())
        } else {
            let rewards = rollout.steps.iter().map(|step| (step.time, step.reward));
            ("reward", rewards.collect(), None)
        };
        Self {
            label,
            speed,
            points,
            goal: goal.map(|target| (target, 1.0)),
        }
    }

    /// The strip after `n_done` steps.
    fn pixels(&self, width: u32, n_done: usize) -> Result<Vec<u8>, DrawError> {
        let mut pixels = vec![0; 3 * width as usize * HEIGHT as usize];
        self.draw(&mut pixels, width, n_done)?;
        Ok(pixels)
    }

    fn draw(&self, pixels: &mut [u8], width: u32, n_done: usize) -> DrawResult {
        let area = BitMapBackend::with_buffer(pixels, (width, HEIGHT)).into_drawing_area();
        area.fill(&WHITE)?;
        let right = Pos::new(HPos::Right, VPos::Top);
        let style = ("sans-serif", 13).into_font().color(&INK).pos(right);
        area.draw_text(&self.speed, &style, (width as i32 - 14, 2))?;
        let end = self.points.last().map_or(1.0, |p| p.0.max(1e-3));
        let goal = self.goal.map(|(goal, well)| [goal - well, goal + well]);
        let heights = self
            .points
            .iter()
            .map(|p| p.1)
            .chain(goal.into_iter().flatten())
            .chain([0.0]);
        let mut chart = ChartBuilder::on(&area)
            .margin(6)
            .margin_top(18)
            .margin_right(14)
            .x_label_area_size(24)
            .y_label_area_size(52)
            .build_cartesian_2d(0.0..end, range_of(heights, 0.08))?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(INK)
            .y_desc(self.label)
            .x_labels(6)
            .y_labels(4)
            .x_label_formatter(&|time| format!("{} s", tick(time)))
            .y_label_formatter(&tick)
            .label_style(("sans-serif", 13).into_font().color(&INK))
            .draw()?;
        if let Some((goal, well)) = self.goal {
            let band = [(0.0, goal - well), (end, goal + well)];
            chart.draw_series([Rectangle::new(band, WINDOW.filled())])?;
            let target = [(0.0, goal), (end, goal)];
            chart.draw_series(LineSeries::new(target, ORANGE_LINE.stroke_width(1)))?;
        }
        let so_far = &self.points[..n_done.min(self.points.len())];
        chart.draw_series(LineSeries::new(
            so_far.iter().copied(),
            LINE.stroke_width(2),
        ))?;
        let head = so_far
            .last()
            .map(|&point| Circle::new(point, 4, LINE.filled()));
        chart.draw_series(head)?;
        area.present()?;
        Ok(())
    }
}
