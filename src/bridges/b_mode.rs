//! Computes and sends ultrasound pictures on a separate thread, each with the pose that the probe had.

use super::devices::DEVICES;
use super::newest::NewestSlot;
use super::outlets::Outlets;
use super::ras;
use crate::envs::EnvError;
use crate::envs::ultrasound::{PictureScanner, PictureSettings, TorsoView};
use crate::openigtlink::{CoordinateSystem, Image, Message, Text, encode};
use crate::sim::Pose;
use crate::ultrasound::b_mode::ScanConverter;

/// Millimetres per metre.
const MM: f64 = 1000.0;

/// Label outside of the field of view: air, as outside of the body.
const OUTSIDE: u8 = 0;

/// Interval at which the names of the labels are sent again [pictures], for clients that connect later.
const NAMES_EVERY: u64 = 30;

/// Settings of ultrasound pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct BModePlan {
    /// Settings of the scanner.
    pub settings: PictureSettings,
    /// Sends also the material of each pixel.
    pub with_labels: bool,
}

impl BModePlan {
    /// A scanner for the probe of a view.
    pub(super) fn scanner(&self, view: &TorsoView) -> Result<PictureScanner, EnvError> {
        PictureScanner::new(&view.transducer, &self.settings)
    }
}

/// A state that waits to be imaged, with its time since 1970 [s].
#[derive(Debug)]
pub(super) struct Tissue {
    pub(super) view: TorsoView,
    pub(super) time: f64,
}

impl NewestSlot<Tissue> {
    /// Computes and sends pictures until [`NewestSlot::end`] is called.
    pub(super) fn serve(
        &self,
        outlets: Outlets<'_>,
        mut scanner: PictureScanner,
        with_labels: bool,
    ) {
        let mut grey = Vec::new();
        let mut n_sent = 0;
        while let Some(tissue) = self.next() {
            let Tissue { view, time } = &tissue;
            if let Err(problem) = scanner.picture(view, &mut grey) {
                return self.fail(problem.to_string());
            }
            let watched = outlets.foxglove().map_or(Ok(()), |watchers| {
                watchers.show_b_mode(scanner.converter(), *time, &grey)
            });
            if let Err(problem) = watched {
                return self.fail(problem.to_string());
            }
            let place = Place::of(scanner.converter(), &view.world_from_probe);
            let mut bytes = place.message(DEVICES.b_mode, *time, &grey);
            if with_labels {
                let labels = scanner.labels(OUTSIDE);
                bytes.extend(place.message(DEVICES.labels, *time, &labels));
                if n_sent % NAMES_EVERY == 0 {
                    let names = label_names(view);
                    let text = Message::Text(Text(&names));
                    bytes.extend(encode(DEVICES.label_names, *time, &text));
                }
            }
            outlets.send(bytes);
            n_sent += 1;
            self.give_back(tissue);
        }
    }
}

/// Names of the materials in the order of their labels, separated by commas.
fn label_names(view: &TorsoView) -> String {
    let materials = view.patient.phantom().materials().iter();
    let names: Vec<&str> = materials.map(|material| material.name).collect();
    names.join(", ")
}

/// Where a picture lies in the patient: its rows along the array, its columns along the beam.
struct Place {
    size: [u16; 2],
    /// Size of a pixel [mm].
    pixel: f64,
    /// Columns: directions of a row, of a column, and of the normal, in RAS.
    rotation: [[f64; 3]; 3],
    /// Centre in RAS [mm].
    center: [f64; 3],
}

impl Place {
    fn of(converter: &ScanConverter, world_from_probe: &Pose) -> Self {
        let probe = ras::from_world(world_from_probe);
        // The picture lies in the x, z plane of the probe; with −y it is right-handed.
        let rotation = probe.rotation.map(|[x, y, z]| [x, z, -y]);
        let middle = |corner: f64, n: usize| MM * (corner + 0.5 * n as f64 * converter.pixel);
        let [along, down] = [0, 1].map(|axis| middle(converter.corner[axis], converter.size[axis]));
        let center = [0, 1, 2].map(|axis| {
            let [x, z, _] = rotation[axis];
            probe.translation[axis] + x * along + z * down
        });
        Self {
            size: converter.size.map(|n| n as u16),
            pixel: MM * converter.pixel,
            rotation,
            center,
        }
    }

    fn message(&self, device: &str, time: f64, pixels: &[u8]) -> Vec<u8> {
        let image = Image {
            n_components: 1,
            size: self.size,
            spacing: [self.pixel; 2],
            axes: CoordinateSystem::Ras,
            rotation: self.rotation,
            center: self.center,
            pixels,
        };
        encode(device, time, &Message::Image(image))
    }
}
