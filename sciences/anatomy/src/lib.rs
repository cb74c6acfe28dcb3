//! Anatomy of a segmented patient; pure Rust, without MuJoCo.
//!
//! * [`Tissues`]: which tissue a class is, by its name.
//! * [`Findings`]: what a segmentation holds, and whether a patient can be made of it.
//! * [`CtFindings`]: what a CT adds: the body, fat, muscle, gas, and the density of bones.
//! * [`class_surface`]: closed, smooth surfaces of classes that keep their volumes; [`skin`]: that of the body.
//! * [`Patient`]: all of it, as files.
//! * [`StiffnessMap`]: how stiff the skin feels, from the layers below it.
//! * [`WindowMap`]: from which places of the skin sound reaches an organ, and a path over them.
//!
//! The frame is the patient's: +x to the left, +y to the head, +z to the front [m].

mod blurred;
mod ct;
mod cut_planes;
mod error;
mod findings;
mod landmarks;
mod orientation;
mod patient;
mod samples;
mod skin;
mod slices;
mod stiffness;
mod surfaces;
mod tissues;
mod windows;

pub use ct::{CtFindings, density, sound_speed};
pub use error::AnatomyError;
pub use findings::{ClassFinding, CutClass, Findings, Verdict};
pub use landmarks::LongAxis;
pub use orientation::{Axis, Evidence};
pub use patient::{Description, Patient, PatientClass, PatientSettings};
pub use skin::{Skin, skin};
pub use stiffness::{StiffnessMap, face_stiffness};
pub use surfaces::{SurfaceSettings, class_surface};
pub use tissues::{Tissue, TissueKind, Tissues};
pub use windows::{PathSettings, Place, Sight, WindowMap, WindowPath, WindowSettings, organs};
