//! What tasks need of the organs of a made patient: windows, a view and surfaces, all from its labels.

use insonate_anatomy::{
    AnatomyError, PathSettings, PatientClass, Tissues, WindowMap, WindowSettings,
};
use insonate_settings::{SettingError, check_range};
use insonate_ultrasound::material;
use insonate_ultrasound::phantom::SurfacePoint;
use insonate_ultrasound::transducer::Transducer;
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Vector3};

use crate::{EnvError, OwnPatient};

/// Largest share of the face with a bone just below the skin.
const MOST_BONE: f64 = 0.5;
/// Step of the search for skin, and its largest distance from a kidney [m].
const STEP: f64 = 5e-4;
const FARTHEST: f64 = 0.4;
/// Distance of the places of a map from which starts are drawn [m].
const SPACING: f64 = 0.01;

impl OwnPatient {
    /// Windows to an organ for a transducer, in the frame of the patient's files.
    ///
    /// # Errors
    /// [`AnatomyError::Setting`]: a setting is outside of its range, or the patient does not have the organ.
    pub fn windows(
        &self,
        organ: &str,
        transducer: &Transducer,
        settings: &WindowSettings,
    ) -> Result<WindowMap, AnatomyError> {
        let frequency = transducer.center_frequency;
        let loss = |class: &PatientClass| {
            let found = material::by_name(&class.material).ok()?;
            let stops = found.is_bone() || found.is_gas();
            let decibels = 20.0 / std::f64::consts::LN_10;
            (!stops).then(|| decibels * f64::from(found.attenuation_at(frequency)))
        };
        WindowMap::of(self.patient(), &Tissues::standard()?, organ, loss, settings)
    }

    /// Where the face of a transducer may lie on a window: on the torso, off planes that cut the body off, and with at most half of it
    /// above bones.
    pub fn face(&self, transducer: &Transducer) -> PathSettings {
        let face_radius = 0.5 * transducer.footprint();
        let [left, head, _] = self.torso_origin();
        let [half_width, _, half_length] = self.half_size();
        let length = half_length - face_radius;
        PathSettings {
            face_radius,
            most_bone: MOST_BONE,
            bounds: [
                [left - half_width, head - length],
                [left + half_width, head + length],
            ],
            ..PathSettings::default()
        }
    }

    /// Places for the face of a transducer from which an organ is seen, in the torso's frame [m].
    ///
    /// # Errors
    /// [`EnvError::Anatomy`]: the patient does not have the organ, or no place sees it.
    pub fn places(&self, organ: &str, transducer: &Transducer) -> Result<Vec<[f64; 2]>, EnvError> {
        let face = self.face(transducer);
        let settings = WindowSettings {
            spacing: SPACING,
            tilt: face.most_tilt,
            ..WindowSettings::default()
        };
        let map = self.windows(organ, transducer, &settings)?;
        let is_free = map.free(&face)?;
        let places = map.places.iter().zip(is_free);
        let free = places.filter_map(|(place, is_free)| place.filter(|_| is_free));
        Ok(free
            .map(|place| self.in_torso([place.position[0], place.position[1]]))
            .collect())
    }

    /// Pose of the probe for the liver–kidney view, in the torso's frame at rest: the image plane contains the right kidney's long axis and
    /// leans towards the liver's centre, as [`insonate_ultrasound::phantom::Adult::liver_kidney_view`].
    ///
    /// # Errors
    /// [`EnvError::Config`]: the patient has no liver or no right kidney, the liver is not in front of it, or there is no skin above.
    pub fn liver_kidney_view(&self) -> Result<Isometry3<f64>, EnvError> {
        let patient = self.patient();
        let missing = |problem: &str| EnvError::Config {
            field: "scene.patients".to_owned(),
            problem: format!("the patient of {}: {problem}", patient.description.source),
        };
        let axis_of = |class: &str| {
            let found = patient.long_axis(class);
            found.ok_or_else(|| missing(&format!("has no {class}, which the view shows")))
        };
        let (kidney, liver) = (axis_of("kidney_right")?, axis_of("liver")?);
        let axis = kidney.direction;
        let way = liver.centre - kidney.centre;
        let out = (way - axis * axis.dot(&way)).try_normalize(1e-3);
        let out = out.filter(|out| out.z > 0.0);
        let out = out.ok_or_else(|| missing("has no liver in front of the right kidney"))?;
        let n_steps = (FARTHEST / STEP) as usize;
        let points = (0..n_steps).rev();
        // From outside to the first voxel of the body.
        let skin = points
            .map(|step| kidney.centre + out * (STEP * step as f64))
            .find(|point| patient.labels.class_at(point).is_some());
        let skin = skin.ok_or_else(|| missing("has no skin in front of the liver"))?;
        let turn = Matrix3::from_columns(&[axis, (-out).cross(&axis), -out]);
        let face = skin.coords - Vector3::from(self.torso_origin());
        let turn = Rotation3::from_matrix_unchecked(turn);
        Ok(Isometry3::from_parts(face.into(), turn.into()))
    }

    /// `n` points of the surface of a class, evenly distributed, in the torso's frame at rest.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`]: `n` is outside of 16 to 65536. [`EnvError::Config`]: the patient has no such surface.
    pub fn surface(&self, class: &str, n: usize) -> Result<Vec<SurfacePoint>, EnvError> {
        check_range("points of a surface", n as f64, [16.0, 65536.0], "")?;
        let mut organs = self.patient().organs.iter();
        let mesh = organs.find(|(name, _)| name == class).map(|(_, mesh)| mesh);
        let mesh = mesh.ok_or_else(|| {
            let organs = self.patient().organs.iter();
            let names: Vec<&str> = organs.map(|(name, _)| &**name).collect();
            SettingError::new("organ", class, format!("one of {}", names.join(", ")))
        })?;
        let areas = (0..mesh.triangles.len()).map(|triangle| {
            let [a, b, c] = mesh.corners(triangle);
            0.5 * (b - a).cross(&(c - a)).norm()
        });
        let areas: Vec<f64> = areas.collect();
        let whole: f64 = areas.iter().sum();
        let origin = Vector3::from(self.torso_origin());
        let (mut passed, mut triangle) = (0.0, 0);
        let points = (0..n).map(|k| {
            let target = whole * (k as f64 + 0.5) / n as f64;
            while passed + areas[triangle] < target && triangle + 1 < areas.len() {
                passed += areas[triangle];
                triangle += 1;
            }
            let [a, b, c] = mesh.corners(triangle);
            let middle = (a + b + c) / 3.0 - origin;
            SurfacePoint {
                rest: Point3::from(middle.cast::<f32>()),
                area: (whole / n as f64) as f32,
            }
        });
        Ok(points.collect())
    }
}
