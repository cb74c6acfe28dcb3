//! Pictures of a motion. Without OpenGL, only the pictures are missing.

use insonate_drawing::{DrawingError, Film};
use insonate_sim::render::{Image, RenderConfig, Renderer};
use insonate_sim::{Physics, SimError, compile};

use super::film_mjcf;
use super::motions::MotionSetup;
use super::rigid_part::Appearance;
use super::simulation::TissueSimulation;
use super::snapshot::Snapshot;

/// Number of pictures side by side in a strip.
const N_STILLS: usize = 4;

/// Number of moments that are drawn together. Starting OpenGL takes half a second without a graphics card, so one scene contains the
/// tissue of all these moments.
const BATCH: usize = 10;

/// Position of bodies that are not visible in a picture: below the table, far away [m].
const AWAY: [f64; 3] = [0.0, 0.0, -50.0];

/// Takes a picture at the start and after each frame.
#[derive(Debug)]
pub struct MotionFilm {
    config: Option<RenderConfig>,
    /// Moments that are not yet drawn.
    snapshots: Vec<Snapshot>,
    /// Pictures in order of time.
    pub frames: Vec<Image>,
    /// Reason why there are no pictures or why the last ones are missing.
    pub problem: Option<SimError>,
}

impl MotionFilm {
    /// Takes pictures of a given size.
    pub fn sized(width: u32, height: u32) -> Self {
        Self {
            config: Some(RenderConfig::still(width, height)),
            ..Self::none()
        }
    }

    /// Takes no pictures.
    pub fn none() -> Self {
        Self {
            config: None,
            snapshots: Vec::new(),
            frames: Vec::new(),
            problem: None,
        }
    }

    /// Records a moment.
    pub(super) fn take(
        &mut self,
        setup: &MotionSetup,
        simulation: &dyn TissueSimulation,
        time: f64,
    ) {
        if self.config.is_none() {
            return;
        }
        let seen = setup
            .parts
            .iter()
            .filter(|part| part.appearance != Appearance::Hidden);
        self.snapshots.push(Snapshot {
            surface: simulation.surface().ok(),
            poses: seen.map(|part| (part.path)(time)).collect(),
        });
        if self.snapshots.len() == BATCH {
            self.render_pending(setup);
        }
    }

    /// Draws the recorded moments. After a failure, drawing is not tried again.
    pub(super) fn render_pending(&mut self, setup: &MotionSetup) {
        let snapshots = std::mem::take(&mut self.snapshots);
        let Some(config) = self.config.filter(|_| !snapshots.is_empty()) else {
            return;
        };
        if let Err(problem) = self.draw(setup, &snapshots, config) {
            self.problem = Some(problem);
            self.config = None;
        }
    }

    fn draw(
        &mut self,
        setup: &MotionSetup,
        snapshots: &[Snapshot],
        config: RenderConfig,
    ) -> Result<(), SimError> {
        let model = compile(&film_mjcf::write(setup, snapshots))?;
        let mut physics = Physics::new(model.clone())?;
        let mut renderer = Renderer::of_model(&model, config)?;
        // The bodies are in this order: the tissue of each moment that has one, then the parts.
        let n_skins = snapshots
            .iter()
            .filter(|snapshot| snapshot.surface.is_some())
            .count();
        let mut surface = 0;
        for snapshot in snapshots {
            let data = physics.data_mut();
            data.mocap_pos_mut()[..n_skins].fill(AWAY);
            if snapshot.surface.is_some() {
                data.mocap_pos_mut()[surface] = [0.0; 3];
                surface += 1;
            }
            for (part, pose) in snapshot.poses.iter().enumerate() {
                let q = pose.rotation;
                data.mocap_pos_mut()[n_skins + part] = pose.translation.vector.into();
                data.mocap_quat_mut()[n_skins + part] = [q.w, q.i, q.j, q.k];
            }
            physics.forward();
            self.frames
                .push(renderer.render(&physics, film_mjcf::CAMERA)?);
        }
        Ok(())
    }

    /// The film as an animated GIF at real-time speed, with frames `interval` [s] apart; `None` if there are no pictures.
    ///
    /// # Errors
    /// [`DrawingError`].
    pub fn to_gif(&self, interval: f64) -> Result<Option<Vec<u8>>, DrawingError> {
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

    /// Four pictures from the first to the last, side by side; `None` if there are no pictures.
    pub fn stills(&self) -> Option<Image> {
        let last = self.frames.len().checked_sub(1)?;
        let chosen: Vec<&Image> = (0..N_STILLS)
            .map(|i| &self.frames[i * last / (N_STILLS - 1)])
            .collect();
        let (width, height) = (chosen[0].width as usize, chosen[0].height);
        let row = |frame: &Image, y: usize| frame.rgb[3 * y * width..3 * (y + 1) * width].to_vec();
        let rows =
            (0..height as usize).flat_map(|y| chosen.iter().flat_map(move |frame| row(frame, y)));
        Some(Image {
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
        let frame = |value: u8| Image {
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
