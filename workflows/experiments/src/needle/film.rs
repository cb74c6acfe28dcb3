//! Film of an insertion: the section of the deformed tissue in the plane of the needle, with the bent needle, and the B-mode picture next to
//! it, above the force.

use insonate_drawing::{CurveStrip, Film, Ruler, color_picture};
use insonate_sim::needle::{Insertion, NeedleBody};
use nalgebra::{Matrix3, Vector2, Vector3};

use super::plan::{LESION, NeedlePlan};
use super::record::NeedleRecord;
use super::scanner::{NeedleScanner, ScannedTissue};
use crate::ExperimentError;

/// Space above the skin that is shown [m].
const ABOVE: f64 = 0.035;
/// Width of a picture [pixels].
const WIDTH: u32 = 560;
/// Distance of the lines that show the deformation, and half their width [m].
const GRID: (f64, f64) = (0.01, 0.15e-3);
/// Duration of a frame [s].
const INTERVAL: f64 = 0.1;
/// Points of the needle's shape.
const N_SHAPE: usize = 121;

const BACKGROUND: [u8; 3] = [24, 26, 32];
const STEEL: [u8; 3] = [232, 238, 245];
const EDGE: [u8; 3] = [40, 48, 60];
const WAY: [u8; 3] = [255, 150, 30];
/// Half the thickness of the planned way [pixels].
const WAY_RADIUS: f64 = 1.1;
const MARK: [u8; 3] = [90, 250, 140];

/// What a frame shows.
#[derive(Debug, Clone)]
pub(super) struct NeedleFrame {
    /// Positions of the vertices [m].
    positions: Vec<Vector3<f64>>,
    /// Shape of the needle from hub to tip [m].
    shape: Vec<Vector3<f64>>,
    /// Number of samples until then.
    n_samples: usize,
}

impl NeedleFrame {
    pub(super) fn of(insertion: &Insertion, n_samples: usize) -> Self {
        let world = insertion.body().world();
        let vertices = 0..insertion.body().rest().len();
        Self {
            positions: vertices.map(|vertex| world.position(vertex)).collect(),
            shape: insertion.needle().shape(N_SHAPE),
            n_samples,
        }
    }
}

/// Film of an insertion.
#[derive(Debug, Clone)]
pub struct NeedleFilm {
    plan: NeedlePlan,
    tets: Vec<[u32; 4]>,
    rest: Vec<[f64; 3]>,
    frames: Vec<NeedleFrame>,
    strip: CurveStrip,
    /// Size of a pixel [m].
    pixel: f64,
    height: u32,
}

impl NeedleFilm {
    pub(super) fn new(plan: &NeedlePlan, body: &NeedleBody) -> Self {
        let pixel = plan.size[0] / f64::from(WIDTH);
        Self {
            plan: plan.clone(),
            tets: body.tets().to_vec(),
            rest: body.rest().to_vec(),
            frames: Vec::new(),
            strip: CurveStrip {
                label: "force [N]".to_owned(),
                note: "simulated: force along the needle".to_owned(),
                points: Vec::new(),
                goal: None,
            },
            pixel,
            height: ((plan.size[2] + ABOVE) / pixel).round() as u32,
        }
    }

    pub(super) fn add(&mut self, frame: NeedleFrame) {
        self.frames.push(frame);
    }

    /// Takes the curve below the frames from a record.
    pub(super) fn finish(&mut self, record: &NeedleRecord) {
        let samples = record.samples.iter();
        self.strip.points = samples.map(|s| (s.time, s.axial_force)).collect();
    }

    /// The film; `None` without frames.
    ///
    /// # Errors
    /// [`ExperimentError`] of drawing and of B-mode pictures.
    pub fn film(&self) -> Result<Option<Film>, ExperimentError> {
        if self.frames.is_empty() {
            return Ok(None);
        }
        let mut scanner = self.scanner()?;
        let mut frames = Vec::new();
        for (index, frame) in self.frames.iter().enumerate() {
            let mut rgb = self.side_by_side(frame, index, &mut scanner)?;
            rgb.extend(self.strip.pixels(self.width(), frame.n_samples)?);
            frames.push(rgb);
        }
        Ok(Some(Film {
            width: self.width(),
            height: self.height + CurveStrip::HEIGHT,
            interval: INTERVAL,
            frames,
        }))
    }

    /// The last frame as a PNG file; `None` without frames.
    ///
    /// # Errors
    /// [`ExperimentError`] of drawing and of B-mode pictures.
    pub fn last_frame(&self) -> Result<Option<Vec<u8>>, ExperimentError> {
        let Some(frame) = self.frames.last() else {
            return Ok(None);
        };
        let rgb = self.side_by_side(frame, self.frames.len() - 1, &mut self.scanner()?)?;
        Ok(Some(color_picture(self.width() as usize, &rgb)?))
    }

    /// Width of the film [pixels]: the section, and a square B-mode picture of the same height.
    fn width(&self) -> u32 {
        let has_b_mode = self.plan.transducer.is_some();
        WIDTH + if has_b_mode { self.height } else { 0 }
    }

    fn scanner(&self) -> Result<Option<NeedleScanner<'_>>, ExperimentError> {
        let transducer = self.plan.transducer.as_ref();
        let scanner = transducer
            .map(|transducer| NeedleScanner::new(&self.plan, transducer, self.height as usize));
        Ok(scanner.transpose()?)
    }

    /// A frame, and the B-mode picture to its right.
    fn side_by_side(
        &self,
        frame: &NeedleFrame,
        index: usize,
        scanner: &mut Option<NeedleScanner<'_>>,
    ) -> Result<Vec<u8>, ExperimentError> {
        let section = self.draw(frame)?;
        let Some(scanner) = scanner else {
            return Ok(section);
        };
        let tissue = ScannedTissue {
            rest: &self.rest,
            now: &frame.positions,
            tets: &self.tets,
        };
        let grey = scanner.picture(&tissue, &frame.shape, index as u64)?;
        let mut b_mode: Vec<u8> = grey.iter().flat_map(|level| [*level; 3]).collect();
        let ruler = Ruler {
            pixel: scanner.pixel(),
            top: 0.0,
            has_mark: true,
            caption: "simulated: B-mode, the needle comes from the left".to_owned(),
        };
        ruler.draw(&mut b_mode, (self.height, self.height))?;
        let rows = section
            .chunks_exact(3 * WIDTH as usize)
            .zip(b_mode.chunks_exact(3 * self.height as usize));
        Ok(rows
            .flat_map(|(left, right)| [left, right].concat())
            .collect())
    }

    /// A frame, shape `[height, WIDTH, 3]`.
    fn draw(&self, frame: &NeedleFrame) -> Result<Vec<u8>, ExperimentError> {
        let mut canvas = Canvas {
            rgb: BACKGROUND.repeat((WIDTH * self.height) as usize),
            height: self.height,
            pixel: self.pixel,
        };
        self.draw_tissue(frame, &mut canvas);
        let radius = 0.5 * self.plan.needle().outer_diameter;
        for (thickness, color) in [(radius + self.pixel, EDGE), (radius, STEEL)] {
            for pair in frame.shape.windows(2) {
                let n = ((pair[1] - pair[0]).norm() / (0.5 * self.pixel)).ceil() as u32;
                for i in 0..=n {
                    let at = pair[0].lerp(&pair[1], f64::from(i) / f64::from(n.max(1)));
                    canvas.disc(at, thickness, color);
                }
            }
        }
        // The needle follows the planned way, so this is drawn on it.
        let (entry, target) = (self.plan.entry(), self.plan.target());
        for i in (0..=400).filter(|i| i % 16 < 7) {
            let at = entry.lerp(&target, f64::from(i) / 400.0);
            canvas.disc(at, WAY_RADIUS * self.pixel, WAY);
        }
        let ruler = Ruler {
            pixel: self.pixel,
            top: -ABOVE,
            has_mark: false,
            caption: format!(
                "simulated: {}G needle, target green, planned way orange, lines every 10 mm at rest",
                self.plan.gauge.number()
            ),
        };
        ruler.draw(&mut canvas.rgb, (WIDTH, self.height))?;
        Ok(canvas.rgb)
    }

    /// Fills the pixels of every tetrahedron that the plane of the needle cuts.
    fn draw_tissue(&self, frame: &NeedleFrame, canvas: &mut Canvas) {
        let plane = self.plan.target().y;
        for tet in &self.tets {
            let now = tet.map(|vertex| frame.positions[vertex as usize]);
            let low = now[1..].iter().fold(now[0], |a, b| a.inf(b));
            let high = now[1..].iter().fold(now[0], |a, b| a.sup(b));
            if low.y > plane || high.y < plane {
                continue;
            }
            let edges = Matrix3::from_columns(&[now[1] - now[0], now[2] - now[0], now[3] - now[0]]);
            let Some(inverse) = edges.try_inverse() else {
                continue;
            };
            let rest = tet.map(|vertex| Vector3::from(self.rest[vertex as usize]));
            canvas.fill(low, high, |at| {
                let own = inverse * (Vector3::new(at.x, plane, at.y) - now[0]);
                let weights = [1.0 - own.sum(), own.x, own.y, own.z];
                if weights.iter().any(|weight| *weight < -1e-6) {
                    return None;
                }
                let place: Vector3<f64> = rest.iter().zip(weights).map(|(x, w)| x * w).sum();
                Some(self.color(place))
            });
        }
    }

    /// Colour of the tissue that was at a place at rest [m].
    fn color(&self, rest: Vector3<f64>) -> [u8; 3] {
        if (rest - self.plan.target()).norm() < LESION {
            return MARK;
        }
        let mut end = 0.0;
        let found = self.plan.layers.iter().find(|layer| {
            end += layer.thickness;
            -rest.z <= end
        });
        let layer = found.or(self.plan.layers.last());
        let color = layer.map_or(BACKGROUND, |layer| layer.preset.color);
        let off = |x: f64| (x / GRID.0 - (x / GRID.0).round()).abs() * GRID.0;
        if off(rest.x) < GRID.1 || off(rest.z) < GRID.1 {
            return color.map(|channel| (0.72 * f64::from(channel)) as u8);
        }
        color
    }
}

/// A picture of the plane of the needle; x to the right, z up.
struct Canvas {
    rgb: Vec<u8>,
    height: u32,
    pixel: f64,
}

impl Canvas {
    /// Column and row of a place [m], with fractions.
    fn pixels(&self, x: f64, z: f64) -> [f64; 2] {
        let column = x / self.pixel + 0.5 * f64::from(WIDTH);
        [column, (ABOVE - z) / self.pixel]
    }

    /// Columns and rows of a box in the plane.
    fn range(&self, low: Vector3<f64>, high: Vector3<f64>) -> [std::ops::Range<u32>; 2] {
        let [left, bottom] = self.pixels(low.x, low.z);
        let [right, top] = self.pixels(high.x, high.z);
        let clamp = |value: f64, most: u32| value.clamp(0.0, f64::from(most)) as u32;
        [
            clamp(left.floor(), WIDTH)..clamp(right.ceil() + 1.0, WIDTH),
            clamp(top.floor(), self.height)..clamp(bottom.ceil() + 1.0, self.height),
        ]
    }

    fn set(&mut self, column: u32, row: u32, color: [u8; 3]) {
        let index = 3 * (row * WIDTH + column) as usize;
        self.rgb[index..index + 3].copy_from_slice(&color);
    }

    /// Sets the pixels of a box to a colour by their places in the plane, x and z [m].
    fn fill(
        &mut self,
        low: Vector3<f64>,
        high: Vector3<f64>,
        color: impl Fn(Vector2<f64>) -> Option<[u8; 3]>,
    ) {
        let [columns, rows] = self.range(low, high);
        for row in rows {
            for column in columns.clone() {
                let x = (f64::from(column) + 0.5 - 0.5 * f64::from(WIDTH)) * self.pixel;
                let z = ABOVE - (f64::from(row) + 0.5) * self.pixel;
                if let Some(color) = color(Vector2::new(x, z)) {
                    self.set(column, row, color);
                }
            }
        }
    }

    /// Draws a disc of a radius around a place in the plane [m].
    fn disc(&mut self, at: Vector3<f64>, radius: f64, color: [u8; 3]) {
        let radius = radius.max(0.5 * self.pixel);
        let around = Vector3::repeat(radius);
        let middle = Vector2::new(at.x, at.z);
        self.fill(at - around, at + around, |place| {
            ((place - middle).norm() <= radius).then_some(color)
        });
    }
}
