//! A strip below the frames of a film. It shows the force so far, or the reward if no force is measured, and the playback speed. The
//! ultrasound observation is drawn next to the frames.

use insonate_drawing::{CurveStrip, DrawingError, Film};
use insonate_experiments::Playback;
use insonate_sim::render::Image;

use super::Rollout;
use super::film_lines::FilmLines;

/// Draws the frames of an episode above a curve that grows with them.
///
/// # Errors
/// [`DrawingError`].
pub fn film_with_strip(
    rollout: &Rollout,
    frames: &[&Image],
    playback: &Playback,
) -> Result<Film, DrawingError> {
    let n_steps = rollout.steps.len();
    let every = playback.stride(n_steps);
    let strip = strip_of(rollout, playback.factor(n_steps));
    let lines = FilmLines::of(&rollout.spec.observation_space.names);
    let height = frames.first().map_or(0, |frame| frame.height);
    let lines_width = lines.as_ref().map_or(0, |_| FilmLines::width(height));
    let width = frames.first().map_or(0, |frame| frame.width) + lines_width;
    let composed = frames.iter().enumerate().map(|(index, frame)| {
        // A frame belongs to the observation of the same moment. After the last step there is no observation, so take the last one.
        let done = (index * every).min(rollout.steps.len().saturating_sub(1));
        let step = rollout.steps.get(done);
        let seen = lines.as_ref().zip(step.map(|step| &step.observation));
        let mut pixels = match seen {
            Some((lines, seen)) => with_lines(frame, lines, seen),
            None => frame.rgb.clone(),
        };
        pixels.extend(strip.pixels(width, index * every)?);
        Ok(pixels)
    });
    Ok(Film {
        width,
        height: height + CurveStrip::HEIGHT,
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

/// The curve of an episode.
fn strip_of(rollout: &Rollout, slow_motion: usize) -> CurveStrip {
    let note = match slow_motion {
        1 => "in simulated time".to_owned(),
        times => format!("slowed down {times} times"),
    };
    let (label, points, goal) = if let Some(points) = rollout.force() {
        ("force [N]", points, rollout.target_force())
    } else {
        let rewards = rollout.steps.iter().map(|step| (step.time, step.reward));
        ("reward", rewards.collect(), None)
    };
    CurveStrip {
        label: label.to_owned(),
        note,
        points,
        goal: goal.map(|target| (target, 1.0)),
    }
}
