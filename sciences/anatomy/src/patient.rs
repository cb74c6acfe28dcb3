//! A patient made of a segmentation, as files.
//!
//! | file | content |
//! |---|---|
//! | `patient.toml` | version, classes with tissues and materials, bounds, landmarks, table, warnings |
//! | `labels.nii.gz` | the classes, cropped to the patient, with their names |
//! | `skin.ply` | closed skin; positions [m] in the patient's frame |
//! | `bones.ply` | bones and cartilage, if there are any |
//! | `organ_NAME.ply` | each other class, apart from layers of fat and muscle |

use std::io::Read as _;
use std::path::Path;

use insonate_meshes::{HeightIndex, TriangleMesh};
use insonate_settings::{SettingError, check_range};
use insonate_volumes::{CtImage, Segmentation};
use serde::{Deserialize, Serialize};

use crate::AnatomyError;
use crate::blurred::Shares;
use crate::ct::{CLASSES, CtFindings, refine};
use crate::findings::{ClassFinding, Findings, Verdict, extents};
use crate::skin::skin;
use crate::surfaces::{SurfaceSettings, class_surface, closed_surface};
use crate::tissues::{TissueKind, Tissues};

/// Version of the files; later ones with another version are refused.
const VERSION: u32 = 1;
/// Names of the files.
const PATIENT: &str = "patient.toml";
const LABELS: &str = "labels.nii.gz";
const SKIN: &str = "skin.ply";
const BONES: &str = "bones.ply";
/// Longest description [bytes].
const MAX_BYTES: u64 = 1 << 22;
/// Relative error of a surface's volume that is a warning.
const VOLUME_ERROR: f64 = 0.01;
/// Margin around the cropped labels [m].
const MARGIN: f64 = 0.01;
/// Farthest distance of a surface's vertices from the labels [m]: blurs move surfaces.
const STRAY: f64 = 0.03;
/// Longest side of the labels of a patient [m].
const LONGEST: f64 = 3.0;

/// How a patient is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatientSettings {
    /// The skin.
    pub skin: SurfaceSettings,
    /// Organs and bones.
    pub organs: SurfaceSettings,
    /// Vessels, bladder and gallbladder.
    pub fluids: SurfaceSettings,
}

impl Default for PatientSettings {
    fn default() -> Self {
        let settings = |cell: f64, blur: f64| SurfaceSettings { cell, blur };
        Self {
            skin: settings(0.004, 0.003),
            organs: settings(0.003, 0.002),
            fluids: settings(0.002, 0.0015),
        }
    }
}

/// A class of a patient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatientClass {
    /// Its name; its value in the labels is its place in the list, from 1 on.
    pub name: String,
    /// Its tissue.
    pub tissue: String,
    /// Material in ultrasound images.
    pub material: String,
    /// Volume [ml].
    pub volume_ml: f64,
    /// Mean position: left, head, front [m].
    pub centre_m: [f64; 3],
    /// The skin in front of this place, if there is any [m].
    pub skin_m: Option<[f64; 3]>,
    /// Whether it has a surface of its own.
    pub has_surface: bool,
}

/// The description of a patient, `patient.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Version of the files.
    pub version: u32,
    /// What the patient was made of.
    pub source: String,
    /// Lowest and highest coordinates of the skin: left, head, front [m].
    pub bounds_m: [[f64; 3]; 2],
    /// The middle of the body's footprint on the table, which is the origin of a torso [m].
    pub table_m: [f64; 3],
    /// Volume of the body with filled holes [ml].
    pub body_ml: f64,
    /// Directions in which the edge of the volume cuts the body off: there is no skin.
    pub cut: Vec<String>,
    /// Whether there are bones.
    pub has_bones: bool,
    /// Warnings.
    pub warnings: Vec<String>,
    /// What a CT added; `None` without one.
    pub ct: Option<CtFindings>,
    /// The classes.
    #[serde(rename = "class")]
    pub classes: Vec<PatientClass>,
}

/// A patient.
#[derive(Clone, Debug)]
pub struct Patient {
    /// What it consists of.
    pub description: Description,
    /// Classes of voxels.
    pub labels: Segmentation,
    /// Closed skin, in the patient's frame [m].
    pub skin: TriangleMesh,
    /// Bones and cartilage; `None` if there are none.
    pub bones: Option<TriangleMesh>,
    /// Surfaces of the other classes, by the name of the class.
    pub organs: Vec<(String, TriangleMesh)>,
}

impl Patient {
    /// Makes a patient of a segmentation. `source` says where it came from.
    ///
    /// # Errors
    /// [`AnatomyError::Refused`]: the findings speak against it, with the reasons. [`AnatomyError::Setting`]: a setting is outside of its
    /// range, or no class is the body. [`AnatomyError::Surface`]: the skin is not closed.
    pub fn make(
        segmentation: &Segmentation,
        tissues: &Tissues,
        settings: &PatientSettings,
        source: &str,
    ) -> Result<Self, AnatomyError> {
        let findings = Findings::of(segmentation, tissues);
        if findings.verdict() == Verdict::Refused {
            return Err(AnatomyError::Refused(findings.refusals.join("; ")));
        }
        let labels = segmentation.cropped(MARGIN).ok_or_else(|| {
            SettingError::new("classes", Vec::<&str>::new(), "at least one with voxels")
        })?;
        check_size(&labels).map_err(AnatomyError::Refused)?;
        let body = skin(&labels, tissues, &settings.skin)?;
        let mut warnings = findings.warnings.clone();
        let mut organs = Vec::new();
        for class in labels.classes() {
            let tissue = tissues.of(&class.name);
            let own = match tissue.map(|own| own.kind) {
                _ if tissue.is_some_and(|own| own.is_layer) => continue,
                Some(TissueKind::Body | TissueKind::Rigid) => continue,
                Some(TissueKind::Fluid) => &settings.fluids,
                _ => &settings.organs,
            };
            match class_surface(&labels, &class.name, own) {
                Ok(surface) => organs.extend(surface.map(|mesh| (class.name.clone(), mesh))),
                // The labels still hold the class, so that images show it.
                Err(AnatomyError::Surface { class, fault }) => {
                    warnings.push(format!("{class} has no surface: {fault}"));
                }
                Err(other) => return Err(other),
            }
        }
        warnings.extend(off_volume(&labels, &organs));
        let bones = bones(&labels, tissues, &settings.organs).unwrap_or_else(|problem| {
            warnings.push(problem.to_string());
            None
        });
        let classes = described(&findings, tissues, &body.surface, &organs);
        let [low, high] = body.surface.bounds();
        let is_body = |name: &str| {
            let kind = tissues.of(name).map(|own| own.kind);
            kind == Some(TissueKind::Body)
        };
        let mut cut: Vec<String> = findings
            .cut
            .iter()
            .filter(|cut| is_body(&cut.name))
            .map(|cut| cut.direction.clone())
            .collect();
        cut.sort_unstable();
        cut.dedup();
        let description = Description {
            version: VERSION,
            source: source.to_owned(),
            bounds_m: [low, high],
            table_m: [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), low[2]],
            body_ml: 1e6 * body.volume,
            cut,
            has_bones: bones.is_some(),
            warnings,
            ct: None,
            classes,
        };
        Ok(Self {
            description,
            labels,
            skin: body.surface,
            bones,
            organs,
        })
    }

    /// Gives the labels what a CT of the patient says: fat, muscle and gas between the classes, gas in the bowel, and cancellous bone.
    /// Surfaces, volumes and positions of classes stay those of the segmentation. `found` is what the CT said about the segmentation that
    /// the patient was made of.
    ///
    /// # Errors
    /// [`AnatomyError::Refused`]: there are too many classes.
    pub fn refine(
        &mut self,
        ct: &CtImage,
        mut found: CtFindings,
        tissues: &Tissues,
    ) -> Result<(), AnatomyError> {
        found.cut = extents(&self.labels).1;
        refine(ct, &mut self.labels, tissues, &mut found)?;
        let findings = Findings::of(&self.labels, tissues);
        let given = described(&findings, tissues, &self.skin, &self.organs);
        let own = &mut self.description;
        for class in given {
            let is_given = CLASSES.contains(&&*class.name);
            match own.classes.iter_mut().find(|own| own.name == class.name) {
                Some(own) if is_given => *own = class,
                Some(_) => {}
                None => own.classes.push(class),
            }
        }
        // A class of the segmentation stays without voxels, and one of the CT does not.
        let names: Vec<&str> = own.classes.iter().map(|class| &*class.name).collect();
        self.labels.set_classes(&names);
        own.warnings.extend(found.warnings.iter().cloned());
        own.ct = Some(found);
        Ok(())
    }

    /// What its segmentation and its CT hold, with the warnings of the CT.
    pub fn findings(&self, tissues: &Tissues) -> Findings {
        let Some(ct) = &self.description.ct else {
            return Findings::of(&self.labels, tissues);
        };
        let classes = self.description.classes.iter().map(|class| ClassFinding {
            name: class.name.clone(),
            tissue: tissues.of(&class.name).map(|own| own.name.clone()),
            volume_ml: class.volume_ml,
            centre: class.centre_m,
        });
        let (bounds, _) = extents(&self.labels);
        let cut = ct.cut.clone();
        let mut findings = Findings::of_classes(classes.collect(), cut, bounds, tissues);
        findings.warnings.extend(ct.warnings.iter().cloned());
        findings
    }

    /// Names and contents of the files of a patient. The same patient gives the same bytes.
    ///
    /// # Errors
    /// [`AnatomyError::File`]: the labels do not fit into their file, or a name cannot be the name of a file.
    pub fn files(&self) -> Result<Vec<(String, Vec<u8>)>, AnatomyError> {
        let failed = |file: &str| {
            let file = file.to_owned();
            move |problem: String| AnatomyError::File { file, problem }
        };
        let text = toml::to_string(&self.description);
        let text = text.map_err(|error| failed(PATIENT)(error.to_string()))?;
        let labels = self.labels.to_nifti();
        let labels = labels.map_err(|error| failed(LABELS)(error.to_string()))?;
        let mut files = vec![
            (PATIENT.to_owned(), text.into_bytes()),
            (LABELS.to_owned(), labels),
        ];
        let organs = self
            .organs
            .iter()
            .map(|(name, mesh)| (organ_file(name), mesh));
        let bones = self.bones.iter().map(|mesh| (BONES.to_owned(), mesh));
        let skin = [(SKIN.to_owned(), &self.skin)];
        for (file, mesh) in skin.into_iter().chain(bones).chain(organs) {
            let mut bytes = Vec::new();
            let written = mesh.write_ply(&mut bytes, None, None);
            written.map_err(|error| failed(&file)(error.to_string()))?;
            files.push((file, bytes));
        }
        Ok(files)
    }

    /// Whether a folder has the description of a patient.
    pub fn is_in(folder: impl AsRef<Path>) -> bool {
        folder.as_ref().join(PATIENT).is_file()
    }

    /// Reads the files of a patient.
    ///
    /// # Errors
    /// [`AnatomyError::File`] names the file and the field; also for another version.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self, AnatomyError> {
        let folder = folder.as_ref();
        let description = Description::read(&folder.join(PATIENT))?;
        let failed = |name: &str, problem: String| AnatomyError::File {
            file: folder.join(name).display().to_string(),
            problem,
        };
        let labels = Segmentation::read(folder.join(LABELS), None);
        let mut labels = labels.map_err(|error| failed(LABELS, error.to_string()))?;
        // A CT may have given all voxels of a class to another one.
        let is_kept = |name: &str| description.ct.is_none() || labels.value(name).is_some();
        let names: Vec<&str> = description.classes.iter().map(|own| &*own.name).collect();
        let kept = names.iter().copied().filter(|name| is_kept(name));
        let own = labels.classes().iter().map(|class| &*class.name);
        if !own.eq(kept) || !labels.set_classes(&names) {
            let problem = format!("its classes are not those of {PATIENT}");
            return Err(failed(LABELS, problem));
        }
        let bounds = check_size(&labels).map_err(|problem| failed(LABELS, problem))?;
        let mesh = |name: &str| {
            let read = TriangleMesh::read_closed(folder.join(name));
            let read = read.map_err(|error| failed(name, error.to_string()))?;
            check_near(&read, bounds).map_err(|problem| failed(name, problem))?;
            Ok::<TriangleMesh, AnatomyError>(read)
        };
        let with_surface = description.classes.iter().filter(|class| class.has_surface);
        let organs =
            with_surface.map(|class| Ok((class.name.clone(), mesh(&organ_file(&class.name))?)));
        let organs = organs.collect::<Result<_, AnatomyError>>()?;
        let bones = description.has_bones.then(|| mesh(BONES)).transpose()?;
        Ok(Self {
            skin: mesh(SKIN)?,
            bones,
            organs,
            labels,
            description,
        })
    }
}

impl Description {
    /// The class of a name; `None` if the patient does not have it.
    pub fn class(&self, name: &str) -> Option<&PatientClass> {
        self.classes.iter().find(|class| class.name == name)
    }

    fn read(path: &Path) -> Result<Self, AnatomyError> {
        let failed = |problem: String| AnatomyError::File {
            file: path.display().to_string(),
            problem,
        };
        let file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
        let mut text = String::new();
        let read = file.take(MAX_BYTES + 1).read_to_string(&mut text);
        read.map_err(|error| failed(error.to_string()))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(failed(format!("is longer than {MAX_BYTES} bytes")));
        }
        let table: toml::Table =
            toml::from_str(&text).map_err(|error| failed(error.to_string()))?;
        let version = table.get("version").and_then(toml::Value::as_integer);
        if version != Some(i64::from(VERSION)) {
            let version = version.map_or("missing".to_owned(), |own| own.to_string());
            return Err(failed(format!(
                "version is {version}; it must be {VERSION}: make the patient again"
            )));
        }
        let own: Self = table
            .try_into()
            .map_err(|error: toml::de::Error| failed(error.to_string()))?;
        for (name, place) in [
            ("table_m", own.table_m),
            ("bounds_m", own.bounds_m[0]),
            ("bounds_m", own.bounds_m[1]),
        ] {
            for x in place {
                check_range(name, x, [-10.0, 10.0], "m")
                    .map_err(|error| failed(error.to_string()))?;
            }
        }
        Ok(own)
    }
}

/// The classes of a patient.
fn described(
    findings: &Findings,
    tissues: &Tissues,
    skin: &TriangleMesh,
    organs: &[(String, TriangleMesh)],
) -> Vec<PatientClass> {
    let heights = HeightIndex::new(skin);
    let classes = findings.classes.iter().map(|class| {
        let tissue = tissues.of(&class.name);
        let [left, head, _] = class.centre;
        PatientClass {
            name: class.name.clone(),
            tissue: tissue.map_or("unknown", |own| &own.name).to_owned(),
            material: tissue.map_or("soft tissue", |own| &own.material).to_owned(),
            volume_ml: class.volume_ml,
            centre_m: class.centre,
            skin_m: heights.highest_at(left, head).map(|own| own.position),
            has_surface: organs.iter().any(|(name, _)| *name == class.name),
        }
    });
    classes.collect()
}

/// Lowest and highest coordinates of labels [m], which must be of the size of a person.
fn check_size(labels: &Segmentation) -> Result<[[f64; 3]; 2], String> {
    let bounds = labels.frame().bounds(labels.count());
    let size: [f64; 3] = (bounds[1] - bounds[0]).into();
    if size.iter().all(|side| *side <= LONGEST) {
        return Ok(bounds.map(Into::into));
    }
    Err(format!(
        "the labels measure {size:.2?} m (left, head, front); each side must be at most {LONGEST} m"
    ))
}

/// Checks that a surface is where the labels are: a vertex far away would make maps of the skin huge.
fn check_near(mesh: &TriangleMesh, [low, high]: [[f64; 3]; 2]) -> Result<(), String> {
    let is_far = |place: &&[f64; 3]| {
        let mut axes = 0..3;
        !axes.all(|axis| (low[axis] - STRAY..=high[axis] + STRAY).contains(&place[axis]))
    };
    mesh.positions.iter().find(is_far).map_or(Ok(()), |place| {
        Err(format!(
            "a vertex is at {place:.3?} m; it must be within {STRAY} m of {LABELS}, which reaches from {low:.3?} to {high:.3?} m"
        ))
    })
}

/// Warnings of surfaces with another volume than their voxels.
fn off_volume(labels: &Segmentation, organs: &[(String, TriangleMesh)]) -> Vec<String> {
    let share = |name: &str, mesh: &TriangleMesh| {
        let class = labels.classes().iter().find(|class| class.name == name)?;
        Some(mesh.volume() / (class.n_voxels as f64 * labels.voxel_volume()))
    };
    let all = organs.iter().filter_map(|(name, mesh)| {
        let share = share(name, mesh).filter(|share| (share - 1.0).abs() > VOLUME_ERROR)?;
        let percent = 100.0 * share;
        Some(format!(
            "the surface of {name} has {percent:.0} % of the volume of its voxels"
        ))
    });
    all.collect()
}

/// Name of the file of a class. Characters that are not letters, digits, `-` and `_` become their numbers.
fn organ_file(class: &str) -> String {
    let letter = |own: char| match own {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => own.to_string(),
        other => format!("%{:x}%", u32::from(other)),
    };
    format!(
        "organ_{}.ply",
        class.chars().map(letter).collect::<Vec<_>>().concat()
    )
}

/// The surface of all bones and cartilage together.
fn bones(
    labels: &Segmentation,
    tissues: &Tissues,
    settings: &SurfaceSettings,
) -> Result<Option<TriangleMesh>, AnatomyError> {
    let mut is_in = [false; 256];
    for (class, value) in labels.classes().iter().zip(1..) {
        let tissue = tissues.of(&class.name);
        is_in[value] = tissue.is_some_and(|own| own.kind == TissueKind::Rigid);
    }
    let settings = settings.for_voxels(labels);
    let shares = Shares::new(labels, &is_in, settings.edge(), settings.margin());
    let surface = shares.map(|shares| closed_surface(&shares, "bones", &settings));
    surface.transpose()
}
