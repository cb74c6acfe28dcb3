//! A moment of a motion as MJCF, to be drawn: tissue as a mesh, instruments, an operating table.

use std::fmt::Write as _;

use insonate_tissue::tool::Shape;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::motions::{Stage, View};
use super::part::Look;
use super::world::Skin;

/// Name of the camera.
pub(super) const CAMERA: &str = "view";

/// Writes the moment.
pub(super) fn write(stage: &Stage, skin: Option<&Skin>, time: f64) -> String {
    let View {
        target,
        distance,
        table,
        color: [r, g, b],
        ..
    } = stage.view;
    let [x, y, z] = target;
    let mut xml = String::new();
    let _ = write!(
        xml,
        r#"<mujoco model="motion">
  <statistic center="{x} {y} {z}" extent="{distance}"/>
  <visual>
    <headlight ambient="0.30 0.30 0.31" diffuse="0.22 0.22 0.22" specular="0.08 0.08 0.08"/>
    <map znear="0.02" zfar="60" shadowclip="0.8"/>
  </visual>
  <asset>
    <texture name="room" type="skybox" builtin="gradient" rgb1="0.30 0.36 0.40" rgb2="0.08 0.10 0.12" width="256" height="256"/>
    <texture name="tissue" type="2d" builtin="flat" mark="random" random="0.06" rgb1="{r} {g} {b}" rgb2="{r} {g} {b}"
      markrgb="{} {} {}" width="96" height="96"/>
    <material name="tissue" texture="tissue" specular="0.55" shininess="0.75"/>
    <material name="steel" rgba="0.72 0.74 0.77 1" specular="0.9" shininess="0.8" reflectance="0"/>
    <material name="handle" rgba="0.90 0.90 0.88 1" specular="0.4" shininess="0.5"/>
    <material name="drape" rgba="0.13 0.35 0.36 1" specular="0.02" shininess="0.1"/>
"#,
        0.78 * r + 0.05,
        0.70 * g,
        0.70 * b,
    );
    if let Some(skin) = skin {
        mesh(&mut xml, skin);
    }
    let key =
        Vector3::new(-0.5 * distance, -0.6 * distance, 1.6 * distance) + Vector3::from(target);
    let _ = write!(
        xml,
        r#"  </asset>
  <worldbody>
    <light directional="true" pos="{} {} {}" dir="0.35 0.35 -0.87" diffuse="0.62 0.60 0.58" specular="0.45 0.45 0.45" castshadow="true"/>
    <light directional="true" pos="0 0 2" dir="-0.6 0.5 -0.6" diffuse="0.20 0.21 0.23" specular="0.1 0.1 0.1" castshadow="false"/>
    {}
    <geom type="box" size="1.5 1.5 0.05" pos="0 0 {}" material="drape" contype="0" conaffinity="0"/>
"#,
        key.x,
        key.y,
        key.z,
        camera(&stage.view),
        table - 0.0505,
    );
    if skin.is_some() {
        xml.push_str(
            "    <geom type=\"mesh\" mesh=\"tissue\" material=\"tissue\" contype=\"0\" conaffinity=\"0\"/>\n",
        );
    }
    for part in &stage.parts {
        let material = match part.look {
            Look::Steel => "steel",
            Look::Handle => "handle",
            Look::Hidden => continue,
        };
        geom(&mut xml, &part.shape, &(part.path)(time), material);
    }
    xml.push_str("  </worldbody>\n</mujoco>\n");
    xml
}

fn mesh(xml: &mut String, skin: &Skin) {
    let list = |xml: &mut String, name: &str, numbers: &mut dyn Iterator<Item = f64>| {
        let _ = write!(xml, " {name}=\"");
        for number in numbers {
            let _ = write!(xml, "{number:.5} ");
        }
        xml.push('"');
    };
    // Its inertia is of no use, but has to be found: that of a shell needs no volume.
    xml.push_str("    <mesh name=\"tissue\" inertia=\"shell\"");
    list(
        xml,
        "vertex",
        &mut skin.mesh.positions.iter().flatten().copied(),
    );
    list(xml, "normal", &mut skin.normals.iter().flatten().copied());
    list(xml, "texcoord", &mut skin.uvs.iter().flatten().copied());
    xml.push_str(" face=\"");
    for index in skin.mesh.triangles.iter().flatten() {
        let _ = write!(xml, "{index} ");
    }
    xml.push_str("\"/>\n");
}

fn camera(view: &View) -> String {
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

fn geom(xml: &mut String, shape: &Shape, pose: &Isometry3<f64>, material: &str) {
    let (kind, size) = match shape {
        Shape::Sphere { radius } => ("sphere", format!("{radius}")),
        Shape::Cuboid { half: [x, y, z] } => ("box", format!("{x} {y} {z}")),
        Shape::Capsule {
            radius,
            half_length,
        } => ("capsule", format!("{radius} {half_length}")),
        Shape::Cylinder {
            radius,
            half_length,
        } => ("cylinder", format!("{radius} {half_length}")),
        // A table is drawn by itself.
        Shape::HalfSpace | Shape::Field(_) => return,
    };
    let at = pose.translation.vector;
    let turn: UnitQuaternion<f64> = pose.rotation;
    let _ = writeln!(
        xml,
        "    <geom type=\"{kind}\" size=\"{size}\" pos=\"{} {} {}\" quat=\"{} {} {} {}\" material=\"{material}\" contype=\"0\" conaffinity=\"0\"/>",
        at.x, at.y, at.z, turn.w, turn.i, turn.j, turn.k
    );
}
