//! The scene as MJCF: the wall twice, facing outwards and inwards, and mocap bodies for capsules, tip, mark and eye, in this order.

use std::fmt::Write as _;

use nalgebra::Vector3;

use super::{CLOSE, OVERVIEW, ROOM, RodSceneDescription, SCOPE, WallView};

/// Distance between the marks on an insertion tube [m], as on bronchoscopes.
const MARK: f64 = 0.05;

/// Site at which an arm is mounted.
pub(super) const MOUNT: &str = "mount";

/// The scene with `n_capsules` capsules.
pub(super) fn xml(description: &RodSceneDescription<'_>, n_capsules: usize) -> String {
    let [low, high] = description.wall.bounds().map(Vector3::from);
    let middle = (low + high) / 2.0;
    let size = (high - low).norm().max(1e-3);
    let mut xml = String::new();
    let (headlight, lights, outer) = match description.view {
        WallView::Outside => (
            r#"<headlight ambient="0.32 0.31 0.31" diffuse="0.30 0.30 0.30" specular="0.05 0.05 0.05"/>"#,
            r#"<light directional="true" pos="-0.5 -1 1" dir="0.45 0.65 -0.6" diffuse="0.55 0.53 0.51" specular="0.3 0.3 0.3" castshadow="false"/>
    <light directional="true" pos="1 0 1" dir="-0.8 0.2 0.1" diffuse="0.18 0.19 0.22" specular="0.1 0.1 0.1" castshadow="false"/>"#,
            "0.93 0.72 0.68 0.30",
        ),
        WallView::Inside => (
            r#"<headlight ambient="0.05 0.035 0.03" diffuse="0 0 0" specular="0 0 0"/>"#,
            "",
            "0 0 0 0",
        ),
    };
    let lamp = match description.view {
        WallView::Outside => "",
        WallView::Inside => {
            r#"<light pos="0.0008 0.0008 0" dir="0 0 -1" directional="false" cutoff="75" exponent="1.5" attenuation="0.75 18 900" diffuse="1.0 0.95 0.88" specular="0.55 0.55 0.5" castshadow="false"/>
      <light pos="-0.0008 -0.0008 0" dir="0 0 -1" directional="false" cutoff="75" exponent="1.5" attenuation="0.75 18 900" diffuse="0.55 0.5 0.45" specular="0.4 0.4 0.4" castshadow="false"/>"#
        }
    };
    let back = 1.25 * size;
    let _ = write!(
        xml,
        r#"<mujoco model="rod">
  <compiler angle="radian" autolimits="true"/>
  <option gravity="0 0 0"/>
  <statistic center="{} {} {}" extent="{size}"/>
  <visual>{headlight}<map znear="{}" zfar="{}"/><quality offsamples="8"/></visual>
  <asset>
    <texture name="room" type="skybox" builtin="gradient" rgb1="0.86 0.90 0.93" rgb2="0.55 0.62 0.68" width="64" height="64"/>
    <material name="outer" rgba="{outer}" specular="0.5" shininess="0.7"/>
    <material name="mucosa" rgba="0.86 0.50 0.46 1" specular="0.35" shininess="0.55"/>
    <material name="tube" rgba="0.11 0.12 0.14 1" specular="0.5" shininess="0.6"/>
    <material name="rubber" rgba="0.05 0.05 0.06 1" specular="0.25" shininess="0.3"/>
    <material name="ink" rgba="0.95 0.95 0.92 1" specular="0.3" shininess="0.3"/>
    <material name="steel" rgba="0.75 0.77 0.80 1" specular="0.9" shininess="0.8"/>
"#,
        middle.x,
        middle.y,
        middle.z,
        // From half a millimetre to the end of the room.
        5e-4 / size,
        20.0 / size,
    );
    mesh(&mut xml, "outer", description, false);
    mesh(&mut xml, "inner", description, true);
    let mount = description
        .carrier
        .as_ref()
        .map_or([0.0; 3], |(_, place)| *place);
    let _ = write!(
        xml,
        r#"  </asset>
  <worldbody>
    {lights}
    <camera name="{OVERVIEW}" pos="{} {} {}" xyaxes="1 0 0 0 0.12 0.993" fovy="42"/>
    <camera name="{ROOM}" pos="{} {} {}" xyaxes="0.94 -0.34 0 0.08 0.22 0.972" fovy="42"/>
    <site name="{MOUNT}" pos="{} {} {}" rgba="0 0 0 0"/>
    <geom type="mesh" mesh="inner" material="mucosa" contype="0" conaffinity="0"/>
    <geom type="mesh" mesh="outer" material="outer" contype="0" conaffinity="0"/>
"#,
        middle.x,
        middle.y - back,
        middle.z + 0.12 * back,
        middle.x - 0.35,
        middle.y - 1.15,
        middle.z + 0.62,
        mount[0],
        mount[1],
        mount[2],
    );
    if description.view == WallView::Outside {
        stand(&mut xml, description);
    }
    capsules(&mut xml, description, n_capsules);
    let radius = description.radius;
    let _ = write!(
        xml,
        r#"    <body name="tip" mocap="true"><camera name="{SCOPE}" fovy="95"/>
      {lamp}</body>
    <body name="mark" mocap="true" pos="0 0 -10"><geom type="sphere" size="{}" rgba="0.15 0.80 0.30 1" contype="0" conaffinity="0"/></body>
    <body name="eye" mocap="true"><camera name="{CLOSE}" pos="0 -0.11 0.02" xyaxes="1 0 0 0 0.18 0.984" fovy="42"/></body>
  </worldbody>
</mujoco>
"#,
        1.1 * radius.max(1e-3),
    );
    xml
}

/// A table, and a stand whose clamp holds the upper end of the wall. An arm stands on a block of the height that it needs.
fn stand(xml: &mut String, description: &RodSceneDescription<'_>) {
    let [low, high] = description.wall.bounds().map(Vector3::from);
    let size = (high - low).norm().max(1e-3);
    let clamp = high.z - 0.09 * size;
    let upper: Vec<Vector3<f64>> = description
        .wall
        .positions
        .iter()
        .map(|&position| Vector3::from(position))
        .filter(|position| (position.z - clamp).abs() < 0.05 * size)
        .collect();
    let middle = (low + high) / 2.0;
    let n_upper = upper.len().max(1) as f64;
    let held = upper.iter().sum::<Vector3<f64>>() / n_upper;
    let held = if upper.is_empty() { middle } else { held };
    let radius = upper
        .iter()
        .map(|position| (position - held).xy().norm())
        .fold(0.0, f64::max);
    let mount = description
        .carrier
        .as_ref()
        .map_or(f64::INFINITY, |(_, at)| at[2]);
    let top = mount.min(low.z - 0.04 * size);
    let back = high.y + 0.08 * size;
    let mut solid = |geom: &str, rgba: &str| {
        let _ = writeln!(
            xml,
            r#"    <geom {geom} rgba="{rgba}" contype="0" conaffinity="0"/>"#
        );
    };
    let [metal, white] = ["0.62 0.65 0.68 1", "0.80 0.83 0.85 1"];
    let mut table = [1.2 * size, 0.9 * size];
    if let Some((_, [x, y, z])) = &description.carrier {
        table = [0.9, 0.7];
        let half = 0.5 * (z - top);
        if half > 0.0 {
            let at = z - half;
            solid(
                &format!(r#"type="cylinder" size="0.1 {half}" pos="{x} {y} {at}""#),
                metal,
            );
        }
    }
    solid(
        &format!(
            r#"type="box" size="{} {} 0.02" pos="{} {} {}""#,
            table[0],
            table[1],
            middle.x,
            middle.y + 0.1,
            top - 0.02,
        ),
        white,
    );
    let thin = 0.012 * size;
    let x = held.x;
    solid(
        &format!(
            r#"type="cylinder" size="{thin}" fromto="{x} {back} {top} {x} {back} {}""#,
            clamp + 0.04 * size
        ),
        metal,
    );
    solid(
        &format!(
            r#"type="box" size="{} {} {}" pos="{x} {back} {}""#,
            0.12 * size,
            0.08 * size,
            thin,
            top + thin,
        ),
        metal,
    );
    solid(
        &format!(
            r#"type="capsule" size="{}" fromto="{x} {back} {clamp} {x} {} {clamp}""#,
            0.7 * thin,
            held.y + radius
        ),
        metal,
    );
    solid(
        &format!(
            r#"type="cylinder" size="{} {}" pos="{x} {} {clamp}""#,
            1.12 * radius.max(1e-3),
            0.8 * thin,
            held.y
        ),
        metal,
    );
}

fn capsules(xml: &mut String, description: &RodSceneDescription<'_>, n_capsules: usize) {
    let (radius, length) = (description.radius, description.length);
    let piece = length / n_capsules as f64;
    for capsule in 0..n_capsules {
        let from_tip = length - piece * (capsule as f64 + 0.5);
        let is_marked = (from_tip / MARK).fract() * MARK < piece && from_tip > MARK;
        let material = if capsule + 1 == n_capsules {
            "steel"
        } else if from_tip < description.tip_length {
            "rubber"
        } else if is_marked {
            "ink"
        } else {
            "tube"
        };
        let half = 0.5 * piece;
        let _ = writeln!(
            xml,
            r#"    <body mocap="true"><geom type="capsule" size="{radius} {half}" material="{material}" contype="0" conaffinity="0"/></body>"#
        );
    }
}

/// A mesh of the wall, or of the wall seen from inside.
fn mesh(xml: &mut String, name: &str, description: &RodSceneDescription<'_>, is_flipped: bool) {
    let wall = description.wall;
    // Its inertia is not used but must be computable; a shell's inertia needs no volume.
    let _ = write!(xml, r#"    <mesh name="{name}" inertia="shell" vertex=""#);
    for number in wall.positions.iter().flatten() {
        let _ = write!(xml, "{number:.6} ");
    }
    xml.push_str("\" normal=\"");
    let sign = if is_flipped { -1.0 } else { 1.0 };
    for number in description.normals.iter().flatten() {
        let _ = write!(xml, "{:.4} ", sign * number);
    }
    xml.push_str("\" face=\"");
    for &[a, b, c] in &wall.triangles {
        let [b, c] = if is_flipped { [c, b] } else { [b, c] };
        let _ = write!(xml, "{a} {b} {c} ");
    }
    xml.push_str("\"/>\n");
}
