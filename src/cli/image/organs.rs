//! Organs of a user's own: where a mesh lies in the body, in which unit and along which axes.

use std::path::Path;

use clap::ValueEnum;
use insonate::meshes::{MeshSpace, TriangleMesh};
use insonate::ultrasound::deformation::Point;
use insonate::ultrasound::phantom::{Insert, Phantom, Solid};
use insonate::ultrasound::{BMode, Material, material, ras_from_patient};
use nalgebra::{Matrix3, Vector3};
use serde_json::{Value, json};

use super::setup::ImagingSetup;
use super::{ImageCommand, ImageError};
use crate::cli::Usage;

/// Vertices of a mesh that are looked at, at most.
const N_VERTICES: usize = 2000;
/// Least size of an organ [m]: below it the unit is probably wrong.
const LEAST: f64 = 1e-3;
/// Units that a mesh may be in [m].
const UNITS: [f64; 3] = [1.0, 0.01, 0.001];
/// Lines and samples of a picture between which an organ may lie unseen.
const STRIDE: usize = 4;

/// Axes that coordinates count along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OrganFrame {
    /// Right, anterior, superior.
    Ras,
    /// Left, posterior, superior, as 3D Slicer saves models.
    Lps,
}

/// How the numbers of a file become metres of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MeshPlacement {
    /// None: the frame of what is imaged.
    frame: Option<OrganFrame>,
    unit: f64,
}

/// An organ in the body.
#[derive(Debug)]
pub(super) struct Organ {
    /// Name of its file.
    file: String,
    pub(super) insert: Insert,
    /// Corners in the frame of what is imaged [m].
    bounds: [Vector3<f64>; 2],
}

impl MeshPlacement {
    /// A mesh in the body's frame [m].
    fn of(self, mesh: &TriangleMesh) -> TriangleMesh {
        let back = ras_from_patient().transpose();
        let axes = match self.frame {
            None => Matrix3::identity(),
            Some(OrganFrame::Ras) => back,
            Some(OrganFrame::Lps) => back * Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0)),
        };
        let mut placed = mesh.clone();
        for position in &mut placed.positions {
            *position = (axes * Vector3::from(*position) * self.unit).into();
        }
        placed
    }

    fn frame_text(self) -> &'static str {
        match self.frame {
            None => "the frame of what is imaged (left, head, front)",
            Some(OrganFrame::Ras) => "RAS",
            Some(OrganFrame::Lps) => "LPS",
        }
    }

    /// The options that ask for it, where they differ from another one's.
    fn options(self, other: Self) -> String {
        let mut words = Vec::new();
        if let (Some(frame), true) = (self.frame, self.frame != other.frame) {
            let name = if frame == OrganFrame::Ras {
                "ras"
            } else {
                "lps"
            };
            words.push(format!("--organ-frame {name}"));
        }
        if self.unit != other.unit {
            words.push(format!("--organ-unit {}", self.unit));
        }
        words.join(" ")
    }
}

/// Why a mesh cannot lie where it was put.
enum PlacementError {
    /// Largest extent [m].
    Tiny(f64),
    /// A vertex in gas [m].
    Outside([f64; 3]),
}

fn placement_error(mesh: &TriangleMesh, phantom: &dyn Phantom) -> Option<PlacementError> {
    let [low, high] = mesh.bounds().map(Vector3::from);
    let extent = (high - low).max();
    if extent < LEAST {
        return Some(PlacementError::Tiny(extent));
    }
    let step = mesh.positions.len().div_ceil(N_VERTICES).max(1);
    let mut seen = mesh.positions.iter().step_by(step);
    let outside = seen.find(|position| {
        let place = phantom.place(&Point::from(position.map(|x| x as f32)));
        phantom.materials()[usize::from(place.material)].is_gas()
    });
    outside.map(|position| PlacementError::Outside(*position))
}

/// Other axes and units in which the mesh lies within the body: each was tried.
fn cures(mesh: &TriangleMesh, given: MeshPlacement, phantom: &dyn Phantom) -> Vec<String> {
    let frames = [given.frame, Some(OrganFrame::Ras), Some(OrganFrame::Lps)];
    let mut units = vec![given.unit];
    units.extend(UNITS.into_iter().filter(|unit| *unit != given.unit));
    let mut found = Vec::new();
    for unit in units {
        for frame in frames {
            let placing = MeshPlacement { frame, unit };
            let options = placing.options(given);
            let is_new = !options.is_empty() && !found.contains(&options);
            if is_new && placement_error(&placing.of(mesh), phantom).is_none() {
                found.push(options);
            }
        }
    }
    found
}

impl ImageCommand {
    /// An organ of `FILE=MATERIAL`, which lies within the body.
    pub(super) fn organ(&self, text: &str, phantom: &dyn Phantom) -> anyhow::Result<Organ> {
        let wrong = |problem: String| Usage::new(ImageError(problem));
        let (file, name) = text.rsplit_once('=').ok_or_else(|| {
            wrong(format!(
                "--organ-mesh is {text:?}; it must be FILE=MATERIAL"
            ))
        })?;
        if !(1e-6..=1e3).contains(&self.organ_unit) {
            let unit = self.organ_unit;
            return Err(wrong(format!(
                "--organ-unit is {unit}; it must be between 1e-6 and 1000 m"
            ))
            .into());
        }
        let material = material::by_name(name).map_err(Usage::new)?;
        let mesh = TriangleMesh::read_closed(Path::new(file)).map_err(Usage::new)?;
        let header = MeshSpace::read(file).map_err(Usage::new)?;
        let header = header.map(|space| match space {
            MeshSpace::Ras => OrganFrame::Ras,
            MeshSpace::Lps => OrganFrame::Lps,
        });
        let placing = MeshPlacement {
            frame: self.organ_frame.or(header),
            unit: self.organ_unit,
        };
        let placed = placing.of(&mesh);
        match placement_error(&placed, phantom) {
            None => Organ::new(file, &placed, material),
            Some(problem) => {
                let cures = cures(&mesh, placing, phantom);
                let text = refusal(&problem, &placed, placing, phantom, &cures);
                Err(wrong(format!("--organ-mesh {file}: {text}")).into())
            }
        }
    }

    /// Tells of each organ where it lies, and whether the picture cuts it.
    pub(super) fn organ_figures(&self, b_mode: &BMode, scanned: &ImagingSetup) -> Option<Value> {
        let organs = self.organs.get()?;
        let told = organs.iter().map(|organ| {
            let figures = organ.figures(b_mode, scanned);
            if figures["cut"] == false {
                eprintln!(
                    "note: the picture does not cut the organ {}; it extends from {} m",
                    organ.file,
                    corners(&organ.bounds)
                );
            }
            figures
        });
        Some(told.collect())
    }
}

impl Organ {
    fn new(file: &str, mesh: &TriangleMesh, material: Material) -> anyhow::Result<Self> {
        Ok(Self {
            file: Path::new(file)
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            bounds: mesh.bounds().map(Vector3::from),
            insert: Insert {
                solid: Solid::mesh(mesh).map_err(Usage::new)?,
                material,
            },
        })
    }

    fn figures(&self, b_mode: &BMode, scanned: &ImagingSetup) -> Value {
        let [low, high] = self.bounds;
        let (size, centre) = (high - low, 0.5 * (low + high));
        let rounded = |v: Vector3<f64>| v.map(|x| (1e6 * x).round() / 1e6);
        json!({
            "name": self.file,
            "material": self.insert.material.name,
            "size_m": <[f64; 3]>::from(rounded(size)),
            "centre_m": <[f64; 3]>::from(rounded(centre)),
            "cut": self.is_cut(b_mode, scanned),
        })
    }

    /// Whether a place of the picture lies in it, where the body is deformed.
    fn is_cut(&self, b_mode: &BMode, scanned: &ImagingSetup) -> bool {
        let settings = b_mode.settings();
        let [low, high] = self.bounds.map(nalgebra::Matrix::cast::<f32>);
        let pose = scanned.pose.cast::<f32>();
        let lines = (0..settings.n_lines).step_by(STRIDE);
        let samples = || (0..settings.n_samples).step_by(STRIDE);
        let mut places = lines.flat_map(|line| samples().map(move |sample| [line, sample]));
        places.any(|[line, sample]| {
            let world = pose * b_mode.point(line, sample);
            let Some(rest) = scanned.deformation.rest_from_world(&world) else {
                return false;
            };
            rest.coords == rest.coords.sup(&low).inf(&high) && self.insert.solid.contains(&rest)
        })
    }
}

/// Why an organ is refused, and what would put it into the body.
fn refusal(
    problem: &PlacementError,
    placed: &TriangleMesh,
    placing: MeshPlacement,
    phantom: &dyn Phantom,
    cures: &[String],
) -> String {
    let unit = placing.unit;
    let text = match problem {
        PlacementError::Tiny(extent) => {
            let mm = 1e3 * extent;
            format!(
                "it is {mm:.3} mm across; it must be at least 1 mm; --organ-unit is {unit} m, which may not be the unit of its coordinates"
            )
        }
        PlacementError::Outside([x, y, z]) => format!(
            "a vertex at ({x:.4}, {y:.4}, {z:.4}) m is in gas, but an organ must lie within the body; --organ-unit is {unit} m"
        ),
    };
    let organ = corners(&placed.bounds().map(Vector3::from));
    let frame = placing.frame_text();
    let body = phantom.bounds().map_or(String::new(), |body| {
        let body = corners(&body.map(|corner| corner.coords.cast()));
        format!(", while the body extends from {body} m")
    });
    let cure = if cures.is_empty() {
        String::new()
    } else {
        format!(
            "; it lies within the body with {}",
            cures.join(", or with ")
        )
    };
    format!("{text}; its axes are taken for {frame}, and it extends from {organ} m{body}{cure}")
}

fn corners([low, high]: &[Vector3<f64>; 2]) -> String {
    let text = |v: &Vector3<f64>| format!("({:.4}, {:.4}, {:.4})", v.x, v.y, v.z);
    format!("{} to {}", text(low), text(high))
}

/// An organ's line for people.
pub(super) fn organ_line(figures: &Value) -> String {
    let numbers = |name: &str, scale: f64, digits: usize, between: &str| {
        let all = figures[name].as_array().into_iter().flatten();
        let all = all.map(|x| format!("{:.digits$}", scale * x.as_f64().unwrap_or(f64::NAN)));
        all.collect::<Vec<_>>().join(between)
    };
    let name = figures["name"].as_str().unwrap_or_default();
    let material = figures["material"].as_str().unwrap_or_default();
    let (size, centre) = (
        numbers("size_m", 1e3, 1, " x "),
        numbers("centre_m", 1.0, 4, ", "),
    );
    let cut = if figures["cut"] == true {
        "the picture cuts it"
    } else {
        "the picture does not cut it"
    };
    format!("  {name} ({material}): {size} mm, centre ({centre}) m, {cut}")
}
