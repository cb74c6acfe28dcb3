//! MJCF for drawing moments of a motion: the tissue of each moment as a mesh, the instruments, and an operating table.

use std::fmt::Write as _;

use insonate_tissue::tool::Shape;
use nalgebra::Vector3;

use super::motions::{CameraView, MotionSetup};
use super::rigid_part::Appearance;
use super::simulation::TissueSurface;
use super::snapshot::Snapshot;

/// Rounds of smoothing of the drawn tissue. Tools fold the facets of coarse meshes over each other; the folds would be drawn as shards.
const SMOOTHING_ROUNDS: usize = 6;

/// Name of the camera.
pub(super) const CAMERA: &str = "view";

/// Writes the moments: one mocap body with the tissue of each moment that has one, then one for each visible part, in order.
pub(super) fn write(setup: &MotionSetup, snapshots: &[Snapshot]) -> String {
    let CameraView {
        target: [x, y, z],
        distance,
        color: [r, g, b],
        ..
    } = setup.view;
    let mut xml = String::new();
    let _ = write!(
        xml,
        r#"<mujoco model="motion">
  <statistic center="{x} {y} {z}" extent="{distance}"/>
  <visual>
    <headlight ambient="0.38 0.38 0.39" diffuse="0.36 0.36 0.36" specular="0.10 0.10 0.10"/>
    <map znear="0.02" zfar="60" shadowclip="2"/>
  </visual>
  <asset>
    <texture name="room" type="skybox" builtin="gradient" rgb1="0.80 0.86 0.89" rgb2="0.46 0.54 0.58" width="64" height="64"/>
    <material name="tissue" rgba="{r} {g} {b} 1" specular="0.6" shininess="0.8"/>
    <material name="steel" rgba="0.72 0.74 0.77 1" specular="0.9" shininess="0.8"/>
    <material name="handle" rgba="0.90 0.90 0.88 1" specular="0.4" shininess="0.5"/>
    <material name="drape" rgba="0.22 0.50 0.53 1" specular="0.02" shininess="0.1"/>
"#
    );
    let skins = || {
        snapshots
            .iter()
            .filter_map(|snapshot| snapshot.surface.as_ref())
            .enumerate()
    };
    for (index, surface) in skins() {
        mesh(&mut xml, index, surface);
    }
    let _ = write!(
        xml,
        r#"  </asset>
  <worldbody>
    <light directional="true" pos="{} {} {}" dir="0.30 0.50 -0.81" diffuse="0.55 0.54 0.52" specular="0.5 0.5 0.5" castshadow="true"/>
    <light directional="true" pos="0 0 2" dir="-0.7 0.3 -0.6" diffuse="0.16 0.17 0.19" specular="0.1 0.1 0.1" castshadow="false"/>
    {}
    <geom type="box" size="1.5 1.5 0.05" pos="0 0 -0.0505" material="drape" contype="0" conaffinity="0"/>
"#,
        x - 0.6 * distance,
        y - 1.0 * distance,
        z + 1.62 * distance,
        camera(&setup.view),
    );
    for (index, _) in skins() {
        let _ = writeln!(
            xml,
            "    <body mocap=\"true\"><geom type=\"mesh\" mesh=\"tissue{index}\" material=\"tissue\" contype=\"0\" conaffinity=\"0\"/></body>"
        );
    }
    for part in &setup.parts {
        let material = match part.appearance {
            Appearance::Steel => "steel",
            Appearance::Handle => "handle",
            Appearance::Hidden => continue,
        };
        let _ = writeln!(
            xml,
            "    <body mocap=\"true\"><geom {} material=\"{material}\" contype=\"0\" conaffinity=\"0\"/></body>",
            solid(&part.shape)
        );
    }
    xml.push_str("  </worldbody>\n</mujoco>\n");
    xml
}

fn mesh(xml: &mut String, index: usize, surface: &TissueSurface) {
    let list = |xml: &mut String, name: &str, numbers: &[[f64; 3]]| {
        let _ = write!(xml, " {name}=\"");
        for number in numbers.iter().flatten() {
            let _ = write!(xml, "{number:.5} ");
        }
        xml.push('"');
    };
    let mesh = surface.mesh.smoothed(SMOOTHING_ROUNDS);
    // The inertia is not used but must be valid: the inertia of a shell needs no volume.
    let _ = write!(xml, "    <mesh name=\"tissue{index}\" inertia=\"shell\"");
    list(xml, "vertex", &mesh.positions);
    list(xml, "normal", &mesh.vertex_normals());
    xml.push_str(" face=\"");
    for vertex in mesh.triangles.iter().flatten() {
        let _ = write!(xml, "{vertex} ");
    }
    xml.push_str("\"/>\n");
}

fn camera(view: &CameraView) -> String {
    let (azimuth, elevation) = (view.azimuth.to_radians(), view.elevation.to_radians());
    let back = Vector3::new(
        elevation.cos() * azimuth.cos(),
        elevation.cos() * azimuth.sin(),
        elevation.sin(),
    );
    let at = Vector3::from(view.target) + back * view.distance;
    let right = Vector3::z().cross(&back).normalize();
    let up = back.cross(&right);
    format!(
        "<camera name=\"{CAMERA}\" pos=\"{} {} {}\" xyaxes=\"{} {} {} {} {} {}\" fovy=\"38\"/>",
        at.x, at.y, at.z, right.x, right.y, right.z, up.x, up.y, up.z
    )
}

/// Attributes of a geom for a shape.
fn solid(shape: &Shape) -> String {
    match shape {
        Shape::Sphere { radius } => format!("type=\"sphere\" size=\"{radius}\""),
        Shape::Cuboid { half: [x, y, z] } => format!("type=\"box\" size=\"{x} {y} {z}\""),
        Shape::Capsule {
            radius,
            half_length,
        } => format!("type=\"capsule\" size=\"{radius} {half_length}\""),
        Shape::Cylinder {
            radius,
            half_length,
        } => format!("type=\"cylinder\" size=\"{radius} {half_length}\""),
        // Half-spaces and fields are hidden; a tiny sphere keeps the order of bodies.
        Shape::HalfSpace | Shape::Field(_) => "type=\"sphere\" size=\"1e-6\"".to_owned(),
    }
}
