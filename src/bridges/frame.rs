//! What is sent at once: pose and force of the probe, and a picture.

use std::sync::Arc;

use super::ras;
use crate::openigtlink::{CoordinateSystem, Image, Message, Text, encode};
use crate::sim::readings::{ForceTorque, ProbeFrame};
use crate::sim::render::{RenderConfig, Renderer};
use crate::sim::{CompiledScene, Physics, SimError};

use super::serve::DEVICES;

/// Pictures lie flat in a plane of their own, a pixel a millimetre; they have no place in the patient.
const FLAT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Puts frames together.
#[derive(Debug)]
pub(super) struct Framer {
    camera: Option<String>,
    config: RenderConfig,
    /// Made for one compiled scene; a policy's episodes may have others.
    renderer: Option<(Arc<crate::sim::MjModel>, Renderer)>,
    /// Why there are no pictures.
    pub(super) problem: Option<SimError>,
}

impl Framer {
    pub(super) fn new(camera: Option<String>, config: RenderConfig) -> Self {
        Self {
            camera,
            config,
            renderer: None,
            problem: None,
        }
    }

    /// The messages of now, at a time since 1970 [s].
    pub(super) fn frame(&mut self, scene: &CompiledScene, physics: &Physics, time: f64) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Ok(probe) = ProbeFrame::new(physics.model()) {
            let pose = ras::from_world(&probe.world_from_probe(physics));
            bytes.extend(encode(DEVICES.probe, time, &Message::Transform(pose)));
        }
        if let Some(force) = force(physics) {
            let text = force.map(|number| format!("{number:.4}")).join(" ");
            bytes.extend(encode(DEVICES.force, time, &Message::Text(Text(&text))));
        }
        match self.picture(scene, physics) {
            Ok(Some(rgb)) => {
                let (width, height) = (self.config.width as u16, self.config.height as u16);
                let image = Image {
                    n_components: 3,
                    size: [width, height],
                    spacing: [1.0, 1.0],
                    axes: CoordinateSystem::Ras,
                    rotation: FLAT,
                    center: [0.0; 3],
                    pixels: &rgb,
                };
                bytes.extend(encode(DEVICES.image, time, &Message::Image(image)));
            }
            Ok(None) => {}
            Err(problem) => self.problem = Some(problem),
        }
        bytes
    }

    fn picture(
        &mut self,
        scene: &CompiledScene,
        physics: &Physics,
    ) -> Result<Option<Vec<u8>>, SimError> {
        let Some(camera) = self.camera.as_ref().filter(|_| self.problem.is_none()) else {
            return Ok(None);
        };
        let model = physics.model_arc();
        let is_same = self
            .renderer
            .as_ref()
            .is_some_and(|(of, _)| Arc::ptr_eq(of, &model));
        if !is_same {
            self.renderer = Some((model, Renderer::new(scene, self.config)?));
        }
        match &mut self.renderer {
            Some((_, renderer)) => Ok(Some(renderer.render(physics, camera)?.rgb)),
            None => Ok(None),
        }
    }
}

/// Force [N] and torque [N·m] of the probe on the tissue, in the sensor's frame; z is the beam.
fn force(physics: &Physics) -> Option<[f64; 6]> {
    let wrench = physics.force_torque().map(ForceTorque::wrench_in_sensor)?;
    let ([fx, fy, fz], [tx, ty, tz]): ([f64; 3], [f64; 3]) =
        ((-wrench.force).into(), (-wrench.torque).into());
    Some([fx, fy, fz, tx, ty, tz])
}
