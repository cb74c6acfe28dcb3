//! Pictures of an insertion: from outside through the half-transparent wall, and from the tip like an endoscope.

use insonate_continuum::RodConfig;
use insonate_drawing::{DrawingError, Film};
use insonate_models::robots::Robot;
use insonate_sim::SimError;
use insonate_sim::render::{Image, RenderConfig, Renderer};
use insonate_sim::rod_scene::{
    CLOSE, OVERVIEW, ROOM, RodPose, RodScene, RodSceneDescription, SCOPE, WallView,
};
use nalgebra::{UnitQuaternion, Vector3};

use super::insert::N_POINTS;
use super::passage::Passage;
use super::record::{InsertionRecord, InsertionSample};

/// Position of the arm relative to the introducer's mouth [m].
const ARM: [f64; 3] = [-0.42, 0.12, -0.2];

/// Share of the steps at which the picture from the tip is taken.
const ON_THE_WAY: f64 = 0.4;

/// Share of a picture's half width that the endoscope's view fills.
const FIELD: f64 = 0.97;

/// Pictures of an insertion.
#[derive(Debug, Default)]
pub struct InsertionFilm {
    /// Views from outside and from inside, side by side, over the insertion.
    pub frames: Vec<Image>,
    /// Names and pictures: the last moment, and the view from the tip during the insertion, because at the end it shows only the wall.
    pub stills: Vec<(&'static str, Image)>,
}

impl InsertionFilm {
    /// Draws `n_frames` frames with `size` pixels per view (width and height), and stills. In one of the stills, `robot` holds the base.
    ///
    /// # Errors
    /// [`SimError::Graphics`] on a machine without OpenGL.
    pub fn draw(
        record: &InsertionRecord,
        passage: &Passage,
        rod: &RodConfig,
        target: Option<Vector3<f64>>,
        robot: Option<Robot>,
        (n_frames, size): (usize, (u32, u32)),
    ) -> Result<Self, SimError> {
        let mut film = Self::default();
        let (Some(last), n_samples) = (record.samples.last(), record.samples.len()) else {
            return Ok(film);
        };
        let description = |view, carrier| RodSceneDescription {
            wall: &passage.wall,
            normals: &passage.normals,
            n_nodes: N_POINTS,
            length: rod.length(),
            radius: rod.section_at(0.0).radius,
            tip_length: rod
                .segments
                .last()
                .map_or(0.0, |segment| segment.length.min(0.07)),
            carrier,
            view,
        };
        let mut outside = FilmView::new(&description(WallView::Outside, None), target, size)?;
        let mut inside = FilmView::new(&description(WallView::Inside, None), target, size)?;
        for frame in 0..n_frames {
            let sample =
                &record.samples[frame * (n_samples - 1) / n_frames.saturating_sub(1).max(1)];
            let left = outside.see(sample, OVERVIEW)?;
            let right = round(inside.see(sample, SCOPE)?);
            film.frames.push(side_by_side(&left, &right));
        }
        film.stills.push(("overview", outside.see(last, OVERVIEW)?));
        film.stills.push(("close", outside.see(last, CLOSE)?));
        let on_the_way = &record.samples[(ON_THE_WAY * n_samples as f64) as usize];
        film.stills
            .push(("scope", round(inside.see(on_the_way, SCOPE)?)));
        if let Some(robot) = robot {
            let mouth = passage.world_from_mouth.translation.vector;
            let place = mouth + Vector3::from(ARM);
            let held = description(WallView::Outside, Some((robot, place.into())));
            let picture = FilmView::new(&held, target, size)?.see(last, ROOM)?;
            film.stills.push(("room", picture));
        }
        Ok(film)
    }

    /// The film as an animated GIF; `None` if there are no frames.
    ///
    /// # Errors
    /// [`DrawingError`].
    pub fn to_gif(&self) -> Result<Option<Vec<u8>>, DrawingError> {
        let Some(first) = self.frames.first() else {
            return Ok(None);
        };
        let film = Film {
            width: first.width,
            height: first.height,
            interval: 0.1,
            frames: self.frames.iter().map(|frame| frame.rgb.clone()).collect(),
        };
        film.to_gif().map(Some)
    }
}

/// A scene with its renderer.
struct FilmView {
    scene: RodScene,
    physics: insonate_sim::Physics,
    renderer: Renderer,
    target: Option<Vector3<f64>>,
}

impl FilmView {
    fn new(
        description: &RodSceneDescription<'_>,
        target: Option<Vector3<f64>>,
        (width, height): (u32, u32),
    ) -> Result<Self, SimError> {
        let scene = RodScene::new(description)?;
        let config = RenderConfig {
            width,
            height,
            ..RenderConfig::default()
        };
        Ok(Self {
            physics: scene.physics()?,
            renderer: Renderer::new(scene.compiled(), config)?,
            scene,
            target,
        })
    }

    fn see(&mut self, sample: &InsertionSample, camera: &str) -> Result<Image, SimError> {
        let rotation: UnitQuaternion<f64> = sample.tip.rotation;
        let pose = RodPose {
            nodes: &sample.points,
            up: rotation * Vector3::z(),
            target: self.target,
        };
        self.scene.show(&mut self.physics, &pose);
        self.renderer.render(&self.physics, camera)
    }
}

/// Makes the picture black outside of the circle that an endoscope shows.
fn round(mut image: Image) -> Image {
    let (width, height) = (image.width as usize, image.height as usize);
    let radius = FIELD * 0.5 * width.min(height) as f64;
    for (index, pixel) in image.rgb.chunks_exact_mut(3).enumerate() {
        let x = (index % width) as f64 + 0.5 - 0.5 * width as f64;
        let y = (index / width) as f64 + 0.5 - 0.5 * height as f64;
        if x.hypot(y) > radius {
            pixel.fill(0);
        }
    }
    image
}

fn side_by_side(left: &Image, right: &Image) -> Image {
    let row = |image: &Image, y: usize| {
        let width = 3 * image.width as usize;
        image.rgb[y * width..(y + 1) * width].to_vec()
    };
    let rows = 0..left.height as usize;
    Image {
        width: left.width + right.width,
        height: left.height,
        rgb: rows
            .flat_map(|y| [row(left, y), row(right, y)].concat())
            .collect(),
        depth: Vec::new(),
    }
}
