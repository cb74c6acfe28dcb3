//! The patient's skin at rest, as 3D Slicer's model.

use nalgebra::Vector3;

use super::devices::DEVICES;
use super::ras;
use crate::models::Scene;
use crate::openigtlink::{Message, PolyData, encode};

/// The message with the skin of a scene at rest, in RAS [mm]; `None` without a torso.
pub fn skin_message(scene: &Scene) -> Option<Vec<u8>> {
    let skin = &scene.torso.as_ref()?.surface;
    let origin = Vector3::from(scene.torso_position);
    let points = skin.positions.iter().map(|&point| {
        let point = ras::point(&(Vector3::from(point) + origin));
        [0, 1, 2].map(|axis| point[axis] as f32)
    });
    let points: Vec<[f32; 3]> = points.collect();
    let surface = PolyData {
        points: &points,
        triangles: &skin.triangles,
    };
    Some(encode(
        DEVICES.skin,
        super::serve::now(),
        &Message::PolyData(surface),
    ))
}
