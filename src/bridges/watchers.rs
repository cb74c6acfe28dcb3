//! Messages for Foxglove, in the form of MCAP logs; times are those of the clock, as in the other messages.

use serde_json::{Map, Value, json};

use super::frame::force;
use crate::datasets::mcap::{LogError, LogPose, MessageSink, MessageWriter, Schema};
use crate::experiments::psm::PsmReading;
use crate::foxglove::{Channel, Server};
use crate::learning::LearningError;
use crate::learning::mcap::{write_b_mode, write_camera, write_probe};
use crate::sim::readings::{Joints, ProbeFrame};
use crate::sim::render::RenderConfig;
use crate::sim::{Physics, Pose};
use crate::ultrasound::b_mode::ScanConverter;

/// Clients that watch; nobody waits for them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watchers<'a>(pub(super) &'a Server);

impl MessageSink for Watchers<'_> {
    /// Never occurs.
    type Error = LogError;

    fn is_wanted(&self, topic: &str) -> bool {
        self.0.is_wanted(topic)
    }

    fn take(
        &mut self,
        topic: &str,
        schema: Schema,
        nanoseconds: u64,
        message: &[u8],
    ) -> Result<(), LogError> {
        self.0.publish(topic, nanoseconds, message, || Channel {
            topic: topic.to_owned(),
            encoding: "json".to_owned(),
            schema_name: schema.name.to_owned(),
            schema_encoding: schema.encoding.to_owned(),
            schema: schema.text.to_owned(),
        });
        Ok(())
    }
}

impl Watchers<'_> {
    fn writer(self) -> MessageWriter<Self> {
        MessageWriter::foxglove(self)
    }

    /// Pose and wrench of the probe, the robot's joints, and other values.
    pub(super) fn show_scene(
        self,
        physics: &Physics,
        time: f64,
        values: Map<String, Value>,
    ) -> Result<(), LogError> {
        let mut writer = self.writer();
        if let Ok(probe) = ProbeFrame::new(physics.model()) {
            let pose = log_pose(&probe.world_from_probe(physics));
            let [fx, fy, fz, tx, ty, tz] = force(physics).unwrap_or_default();
            write_probe(&mut writer, time, &pose, [[fx, fy, fz], [tx, ty, tz]])?;
        }
        let joints = Joints::new(physics.model());
        let positions: Vec<f64> = joints.positions(physics).collect();
        let velocities: Vec<f64> = joints.velocities(physics).collect();
        writer.joints(time, &joints.names, &positions, &velocities)?;
        writer.sample("/sample", time, values)
    }

    /// A picture of ultrasound with its place at the probe.
    pub(super) fn show_b_mode(
        self,
        converter: &ScanConverter,
        time: f64,
        grey: &[u8],
    ) -> Result<(), LearningError> {
        let size = converter.size.map(|n| n as u32);
        write_b_mode(&mut self.writer(), time, converter.corner, size, grey)
    }

    /// A picture of the camera.
    pub(super) fn show_camera(
        self,
        config: RenderConfig,
        time: f64,
        rgb: &[u8],
    ) -> Result<(), LearningError> {
        let size = [config.width, config.height];
        write_camera(&mut self.writer(), time, size, rgb)
    }

    /// Joints, pose and force of a PSM with its instrument, in the arm's base.
    pub(super) fn show_psm(
        self,
        reading: &PsmReading,
        names: &[String],
        base: &str,
        time: f64,
        real_time_factor: f64,
    ) -> Result<(), LogError> {
        let mut writer = self.writer();
        let pose = log_pose(&Pose {
            position: reading.base_from_tool.translation.vector,
            rotation: nalgebra::UnitQuaternion::from_rotation_matrix(
                &reading.base_from_tool.rotation,
            ),
        });
        writer.transform(time, base, "tool", &pose)?;
        writer.pose("/tool/pose", time, base, &pose)?;
        writer.wrench("/tool/wrench", time, base, reading.force.into(), [0.0; 3])?;
        let [positions, velocities] = [&reading.position, &reading.velocity];
        writer.joints(time, names, positions.as_slice(), velocities.as_slice())?;
        let values = Map::from_iter([
            ("simulated_s".to_owned(), json!(reading.time)),
            ("real_time_factor".to_owned(), json!(real_time_factor)),
        ]);
        writer.sample("/sample", time, values)
    }
}

fn log_pose(pose: &Pose) -> LogPose {
    let [x, y, z, w] = pose.rotation.coords.into();
    LogPose {
        position: pose.position.into(),
        rotation: [w, x, y, z],
    }
}
