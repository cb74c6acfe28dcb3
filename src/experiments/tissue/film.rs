//! Pictures of a motion; a machine without OpenGL loses only them.

use super::motions::Stage;
use super::stage_mjcf;
use super::world::World;
use crate::experiments::Film;
use crate::sim::render::{Frame, RenderConfig, Renderer};
use crate::sim::{Physics, SimError, compile};

/// Pictures side by side in a strip.
const N_STILLS: usize = 4;

/// Takes a picture at the start and after each frame.
#[derive(Debug)]
pub struct MotionFilm {
    config: Option<RenderConfig>,
    /// The pictures, in order of time.
    pub frames: Vec<Frame>,
    /// Why there are none, or why the last one is missing.
    pub problem: Option<SimError>,
}

impl MotionFilm {
    /// Takes pictures of this size.
    pub fn sized(width: u32, height: u32) -> Self {
        Self {
            config: Some(RenderConfig {
                width,
                height,
                shadow_size: 2048,
                ..RenderConfig::default()
            }),
            ..Self::none()
        }
    }

    /// Takes none.
    pub fn none() -> Self {
        Self {
            config: None,
            frames: Vec::new(),
            problem: None,
        }
    }

    /// Takes a picture; what cannot be drawn once is not tried again.
    pub(super) fn take(&mut self, stage: &Stage, world: &dyn World, time: f64) {
        let Some(config) = self.config else { return };
        // Nothing may be left to draw of what is torn to crumbs.
        let skin = world.skin().ok();
        let draw = || -> Result<Frame, SimError> {
            let model = compile(&stage_mjcf::write(stage, skin.as_ref(), time))?;
            let mut physics = Physics::new(model.clone())?;
            physics.forward();
            Renderer::of_model(&model, config)?.render(&physics, stage_mjcf::CAMERA)
        };
        match draw() {
            Ok(frame) => self.frames.push(frame),
            Err(problem) => {
                self.problem = Some(problem);
                self.config = None;
            }
        }
    }

    /// The film as an animated GIF at the speed of the simulated time, frames being so far apart [s]; none without pictures.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn to_gif(&self, interval: f64) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(first) = self.frames.first() else {
            return Ok(None);
        };
        let film = Film {
            width: first.width,
            height: first.height,
            interval: interval.max(0.02),
            frames: self.frames.iter().map(|frame| frame.rgb.clone()).collect(),
        };
        film.to_gif().map(Some)
    }

    /// Four pictures from the first to the last, side by side; none without pictures.
    pub fn stills(&self) -> Option<Frame> {
        let last = self.frames.len().checked_sub(1)?;
        let chosen: Vec<&Frame> = (0..N_STILLS)
            .map(|i| &self.frames[i * last / (N_STILLS - 1)])
            .collect();
        let (width, height) = (chosen[0].width as usize, chosen[0].height);
        let row = |frame: &Frame, y: usize| frame.rgb[3 * y * width..3 * (y + 1) * width].to_vec();
        let rows =
            (0..height as usize).flat_map(|y| chosen.iter().flat_map(move |frame| row(frame, y)));
        Some(Frame {
            width: (N_STILLS * width) as u32,
            height,
            rgb: rows.collect(),
            depth: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_shows_the_first_and_the_last_picture() {
        let frame = |value: u8| Frame {
            width: 2,
            height: 2,
            rgb: vec![value; 12],
            depth: Vec::new(),
        };
        let film = MotionFilm {
            frames: (0..10).map(frame).collect(),
            ..MotionFilm::none()
        };
        let strip = film.stills().unwrap();
        assert_eq!((strip.width, strip.height, strip.rgb.len()), (8, 2, 48));
        let shown: Vec<u8> = strip.rgb[24..].chunks(6).map(|pixels| pixels[0]).collect();
        assert_eq!(shown, [0, 3, 6, 9]);
        assert!(MotionFilm::none().stills().is_none());
        assert!(MotionFilm::none().to_gif(0.1).unwrap().is_none());
    }
}
