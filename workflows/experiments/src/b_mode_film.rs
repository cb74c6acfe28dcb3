//! Ultrasound during a scan: B-mode frames next to a camera's picture, and the volume compounded from them.

use std::sync::Arc;

use insonate_drawing::{CurveStrip, Ruler};
use insonate_models::Scene;
use insonate_sim::placement::ProbePlacement;
use insonate_sim::readings::{DeformedTorso, TissuePoints, torso_from_probe};
use insonate_sim::render::{RenderConfig, Renderer};
use insonate_sim::{CompiledScene, Physics, Pose, SimError};
use insonate_ultrasound::b_mode::{Persistence, ScanConverter};
use insonate_ultrasound::deformation::Point;
use insonate_ultrasound::phantom::{Adult, Phantom};
use insonate_ultrasound::sequence::Sequence;
use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::volume::Volume;
use insonate_ultrasound::{BMode, Controls, Settings, View};
use nalgebra::Isometry3;

use super::{ExperimentError, Film, Record};

/// Time between frames of the film [s].
const INTERVAL: f64 = 0.1;
/// Distance between frames of the volume [m].
const STEP: f64 = 0.001;
/// Side of the ultrasound picture [pixels]. The camera's picture has the same height and an aspect ratio of 4:3.
const SIDE: u32 = 360;
/// Edge of a voxel [m].
const VOXEL: f32 = 0.001;

/// Settings of a film.
#[derive(Debug, Clone, Default)]
pub struct FilmSettings {
    /// Seed of speckle and noise.
    pub seed: u64,
    /// Whether the camera's picture is next to that of ultrasound.
    pub has_camera: bool,
    /// Controls of the scanner.
    pub controls: Controls,
    /// Share of the last frame in a frame of the film, 0 to 0.95; the volume has none.
    pub persistence: f64,
}

/// A frame of ultrasound.
#[derive(Debug)]
struct ScannedFrame {
    /// Simulated time [s].
    time: f64,
    torso_from_probe: Isometry3<f64>,
    /// Grey levels, shape `[SIDE, SIDE]`.
    grey: Vec<u8>,
}

/// A frame of the film without marks.
#[derive(Debug)]
pub struct FilmFrame<'a> {
    /// Simulated time [s].
    pub time: f64,
    /// Grey levels of the B-mode picture, shape `[side, side]`.
    pub grey: &'a [u8],
    /// The camera's picture as red, green and blue, shape `[side, 4/3 side, 3]`; empty without one.
    pub camera: Vec<u8>,
}

/// What is imaged.
struct Imaged(Arc<dyn Phantom>);

impl std::fmt::Debug for Imaged {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Imaged")
    }
}

/// Ultrasound during a scan.
#[derive(Debug)]
pub struct BModeFilm {
    has_camera: bool,
    /// What is imaged, in the torso's frame at rest.
    phantom: Imaged,
    transducer: Transducer,
    b_mode: BMode,
    persistence: Persistence,
    converter: ScanConverter,
    volume: Volume,
    origin: [f64; 3],
    points: Option<TissuePoints>,
    renderer: Option<Renderer>,
    /// Time of the first frame of the film [s], and pose of the last frame of the volume.
    first: Option<f64>,
    last: Option<Isometry3<f64>>,
    n_frames: u64,
    frames: Vec<Vec<u8>>,
    /// Depth ticks and caption of the ultrasound picture.
    ruler: Ruler,
    /// The B-mode frames without the camera's picture.
    scanned: Vec<ScannedFrame>,
    /// Reason why the frames have no camera's picture.
    pub problem: Option<SimError>,
}

impl BModeFilm {
    /// Makes a film for a scene with an adult. The seed also determines the organs. The volume covers the torso's front.
    ///
    /// # Errors
    /// [`ExperimentError::NoOrgans`] for another torso; errors of the imaging settings.
    pub fn new(scene: &Scene, settings: &FilmSettings) -> Result<Self, ExperimentError> {
        let torso = scene.torso.as_ref();
        let physique = torso.and_then(|torso| torso.config.physique());
        let physique = physique.ok_or(ExperimentError::NoOrgans)?;
        let adult = Adult::new(&physique, settings.seed)?;
        Self::of_phantom(scene, Arc::new(adult), settings)
    }

    /// Makes a film of what a torso of the scene contains, in the torso's frame at rest.
    ///
    /// # Errors
    /// [`ExperimentError::NoOrgans`] for a scene without a torso; errors of the imaging settings.
    pub fn of_phantom(
        scene: &Scene,
        phantom: Arc<dyn Phantom>,
        film: &FilmSettings,
    ) -> Result<Self, ExperimentError> {
        let torso = scene.torso.as_ref().ok_or(ExperimentError::NoOrgans)?;
        let transducer = scene.probe.transducer;
        let usual = Settings {
            n_samples: 512,
            speckle_seed: film.seed,
            noise_seed: film.seed,
            ..Settings::of(&transducer)
        };
        let settings = film.controls.applied(usual, &transducer)?;
        let b_mode = BMode::new(&transducer, &settings)?;
        let [low, high] = torso.surface.bounds().map(|corner| {
            let corner = corner.map(|x| x as f32);
            Point::from(corner)
        });
        let converter = b_mode.scan_converter(SIDE as usize)?;
        // The volume reaches as deep as the probe images from its highest position.
        let bottom = high.z - settings.depth as f32;
        let ruler = Ruler {
            pixel: converter.pixel,
            top: converter.corner[1],
            has_mark: true,
            caption: format!(
                "{}, {:.1} MHz, simulated",
                scene.probe.name,
                1e-6 * settings
                    .transmit_frequency
                    .unwrap_or(transducer.center_frequency)
            ),
        };
        Ok(Self {
            has_camera: film.has_camera,
            persistence: Persistence::new(film.persistence)?,
            phantom: Imaged(phantom),
            scanned: Vec::new(),
            converter,
            volume: Volume::new(
                &b_mode,
                Point::new(low.x, low.y, low.z.max(bottom)),
                high,
                VOXEL,
            )?,
            transducer,
            b_mode,
            origin: scene.torso_position,
            points: None,
            renderer: None,
            first: None,
            last: None,
            n_frames: 0,
            frames: Vec::new(),
            ruler,
            problem: None,
        })
    }

    /// Stores the points of the torso at rest.
    pub(super) fn begin(&mut self, physics: &Physics) {
        self.points = TissuePoints::at_rest(physics, &Pose::default());
    }

    /// Takes a frame if one is due.
    pub(super) fn see(
        &mut self,
        compiled: &CompiledScene,
        physics: &Physics,
        placement: &ProbePlacement,
    ) -> Result<(), ExperimentError> {
        let Some(points) = &self.points else {
            return Ok(());
        };
        let (origin, unmoved) = (self.origin, Pose::default());
        let pose = torso_from_probe(&placement.probe.world_from_probe(physics), origin, &unmoved);
        let is_due = self.is_due(physics);
        let moved =
            |last: Isometry3<f64>| (last.translation.vector - pose.translation.vector).norm();
        if !is_due && self.last.is_some_and(|last| moved(last) < STEP) {
            return Ok(());
        }
        let torso = DeformedTorso::new(points, physics, origin, &unmoved);
        let depth = self.b_mode.settings().depth;
        let deformation = torso.under(&*self.phantom.0, &self.transducer, &pose, depth)?;
        let view = View::new(&*self.phantom.0, &deformation, &pose)?;
        let frame = self.b_mode.frame(&view, self.n_frames).clone();
        self.n_frames += 1;
        self.volume.add(&self.b_mode, &frame, &pose);
        self.last = Some(pose);
        if !is_due {
            return Ok(());
        }
        self.first.get_or_insert(physics.time());
        let mut grey = Vec::new();
        self.converter
            .picture(self.persistence.apply(&frame), &mut grey);
        let camera = self.camera(compiled, physics);
        let side = SIDE as usize;
        let mut rgb: Vec<u8> = grey.iter().flat_map(|&level| [level; 3]).collect();
        self.ruler.draw(&mut rgb, (SIDE, SIDE))?;
        let rows = rgb.chunks_exact(3 * side).enumerate();
        let pixels = rows.flat_map(|(y, row)| {
            let seen = camera
                .get(y * 4 * side..(y + 1) * 4 * side)
                .unwrap_or_default();
            [seen, row].concat()
        });
        self.frames.push(pixels.collect());
        self.scanned.push(ScannedFrame {
            time: physics.time(),
            torso_from_probe: pose,
            grey,
        });
        Ok(())
    }

    /// Whether the next frame of the film is due. Frames are whole intervals after the first one, to half a simulation step.
    fn is_due(&self, physics: &Physics) -> bool {
        let since = self.first.map(|first| physics.time() - first);
        let next = self.scanned.len() as f64 * INTERVAL;
        since.is_none_or(|since| since + 0.5 * physics.timestep() >= next)
    }

    /// Rows of red, green and blue; empty without OpenGL.
    fn camera(&mut self, compiled: &CompiledScene, physics: &Physics) -> Vec<u8> {
        if !self.has_camera {
            return Vec::new();
        }
        let config = RenderConfig::still(SIDE * 4 / 3, SIDE);
        let mut draw = || {
            if self.renderer.is_none() {
                self.renderer = Some(Renderer::new(compiled, config)?);
            }
            match &mut self.renderer {
                Some(renderer) => renderer.render(physics, "close").map(|image| image.rgb),
                None => Ok(Vec::new()),
            }
        };
        draw().unwrap_or_else(|problem| {
            self.problem = Some(problem);
            self.has_camera = false;
            // All frames must have the same size.
            let side = SIDE as usize;
            for frame in &mut self.frames {
                let rows = frame
                    .chunks_exact(7 * side)
                    .flat_map(|row| &row[4 * side..]);
                *frame = rows.copied().collect();
            }
            Vec::new()
        })
    }

    /// Files of the recording: the volume `b_mode.nrrd`, and the film's frames as `b_mode.seq.mha` with poses and as `b_mode.dcm`.
    /// Empty if there are no frames.
    ///
    /// # Errors
    /// [`insonate_ultrasound::UltrasoundError`] if there are more frames than fit into a DICOM file.
    pub fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>, ExperimentError> {
        if self.scanned.is_empty() {
            return Ok(Vec::new());
        }
        let mut sequence = Sequence::new(&self.converter);
        for frame in &self.scanned {
            sequence.push(&frame.grey, frame.time, &frame.torso_from_probe)?;
        }
        let mut volume = self.volume.clone();
        volume.fill();
        Ok(vec![
            ("b_mode.seq.mha", sequence.to_meta_image()),
            ("b_mode.dcm", sequence.to_dicom()?),
            ("b_mode.nrrd", volume.to_nrrd()),
        ])
    }

    /// Width and height of the B-mode picture [pixels].
    pub fn side(&self) -> u32 {
        SIDE
    }

    /// Size of a pixel of the B-mode picture, and x and z of its upper left corner in the probe's frame [m].
    pub fn geometry(&self) -> [f64; 3] {
        let [x, z] = self.converter.corner;
        [self.converter.pixel, x, z]
    }

    /// The frames of the film in order of time.
    pub fn film_frames(&self) -> impl Iterator<Item = FilmFrame<'_>> {
        let side = SIDE as usize;
        let frames = self.scanned.iter().zip(&self.frames);
        frames.map(move |(scanned, film)| {
            // Rows of red, green and blue: the camera's, if there is one, then those of ultrasound.
            let width = film.len() / side - 3 * side;
            let rows = film.chunks_exact(width + 3 * side);
            FilmFrame {
                time: scanned.time,
                grey: &scanned.grey,
                camera: rows.flat_map(|row| &row[..width]).copied().collect(),
            }
        })
    }

    /// The film `b_mode.gif`; `None` if there are no frames.
    ///
    /// # Errors
    /// If it cannot be encoded.
    pub fn film(&self) -> Result<Option<(&'static str, Vec<u8>)>, ExperimentError> {
        if self.frames.is_empty() {
            return Ok(None);
        }
        let film = self.film_of(self.frames.clone(), SIDE);
        Ok(Some(("b_mode.gif", film.to_gif()?)))
    }

    /// The film with the force along the probe below its frames; `None` if there are no frames. The force is that of the record from the
    /// first frame on, and `force` is its target [N].
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn film_with_force(
        &self,
        record: &Record,
        force: f64,
    ) -> Result<Option<Film>, ExperimentError> {
        let Some(first) = self.first else {
            return Ok(None);
        };
        let samples = record.samples.iter().filter(|sample| sample.time >= first);
        let last = first + INTERVAL * self.frames.len() as f64;
        let samples = samples.take_while(|sample| sample.time <= last);
        let points: Vec<(f64, f64)> = samples
            .map(|sample| (sample.time - first, sample.force[2]))
            .collect();
        let strip = CurveStrip {
            label: "force [N]".to_owned(),
            note: "force of the probe on the skin; line: target".to_owned(),
            goal: Some((force, 0.5)),
            points,
        };
        let frames = self.frames.iter().enumerate().map(|(index, frame)| {
            let now = INTERVAL * index as f64;
            let n_done = strip.points.partition_point(|(time, _)| *time <= now);
            let width = frame.len() as u32 / 3 / SIDE;
            let below = strip.pixels(width, n_done)?;
            Ok([&frame[..], &below].concat())
        });
        let frames: Result<Vec<_>, ExperimentError> = frames.collect();
        Ok(Some(self.film_of(frames?, SIDE + CurveStrip::HEIGHT)))
    }

    fn film_of(&self, frames: Vec<Vec<u8>>, height: u32) -> Film {
        let n_bytes = self.frames.first().map_or(0, Vec::len);
        Film {
            width: n_bytes as u32 / 3 / SIDE,
            height,
            interval: INTERVAL,
            frames,
        }
    }
}
