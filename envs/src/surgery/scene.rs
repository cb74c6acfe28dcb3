//! The scene in which MuJoCo renders a surgery. Each vertex of the organ is a mocap body; so are the parts of the instrument and the marks.
//! Skins follow them (`look`). The organ's simulated surface is a hidden flex. The scene is never stepped.

use std::fmt::Write as _;

use insonate_models::mjcf::{Mjcf, ReadOptions};
use insonate_sim::CompiledScene;

use super::look::dress;
use super::organ::Organ;
use super::settings::{InstrumentSettings, SurgeryTimeSettings};
use crate::EnvError;

/// Lights, cameras and background. The marks follow.
const ROOM: &str = r#"
    <light pos="0 -0.3 0.8" dir="0 0.35 -0.9" cutoff="70" exponent="4" diffuse="0.85 0.84 0.82" specular="0.3 0.3 0.3"/>
    <light pos="-0.5 -0.4 0.5" dir="0.7 0.5 -0.5" diffuse="0.42 0.42 0.43" castshadow="false"/>
    <camera name="close" pos="0.02 -0.3 0.17" xyaxes="1 0 0 0 0.45 0.893"/>
    <camera name="front" pos="0 -0.45 0.05" xyaxes="1 0 0 0 0.1 0.995"/>
    <camera name="side" pos="0.42 -0.12 0.1" xyaxes="0.25 0.968 0 -0.2 0.05 0.978"/>
    <camera name="top" pos="0 -0.03 0.45" xyaxes="1 0 0 0 1 0"/>
    <camera name="endoscope" pos="0.01 -0.15 0.05" fovy="65" xyaxes="1 0 0 0 0.28 0.96"/>
    <geom name="drape" type="plane" size="0.6 0.6 0.01" pos="0 0 -0.13" rgba="0.18 0.40 0.42 1"/>
"#;

/// The scene of an organ at rest.
///
/// # Errors
/// [`EnvError::Sim`] if MuJoCo rejects it.
pub(super) fn compile(
    organ: &Organ,
    instrument: &InstrumentSettings,
    time: &SurgeryTimeSettings,
) -> Result<CompiledScene, EnvError> {
    let xml = xml(organ, time);
    let mut mjcf = Mjcf::read_str(&xml, "tissue", &ReadOptions::default())
        .map_err(insonate_sim::SimError::from)?;
    dress(&mut mjcf, organ, &instrument.geometry())?;
    Ok(CompiledScene::compile(&mjcf)?)
}

fn xml(organ: &Organ, time: &SurgeryTimeSettings) -> String {
    let mut bodies = String::new();
    let mut names = String::new();
    for (vertex, [x, y, z]) in organ.positions().iter().enumerate() {
        let _ = writeln!(
            bodies,
            r#"<body name="v{vertex}" mocap="true" pos="{x:.6} {y:.6} {z:.6}"/>"#
        );
        let _ = write!(names, "v{vertex} ");
    }
    let ball = |name: &str, colour: &str| {
        format!(
            r#"<body name="{name}" mocap="true" pos="0 0 -10"><geom name="{name}" type="sphere" size="0.002" contype="0" conaffinity="0" rgba="{colour}"/></body>"#
        )
    };
    let part = |name: &str| format!(r#"<body name="{name}" mocap="true"/>"#);
    let parts = [
        part("shaft"),
        part("clamp0"),
        part("clamp1"),
        ball("target", "0.2 0.85 0.3 0.9"),
        ball("goal", "0.25 0.5 1 0.6"),
    ]
    .join("\n");
    let triangles: Vec<String> = organ
        .triangles()
        .iter()
        .map(|[a, b, c]| format!("{a} {b} {c}"))
        .collect();
    let triangles = triangles.join("  ");
    let timestep = time.control_timestep;
    format!(
        r#"<mujoco model="tissue">
  <option timestep="{timestep}" gravity="0 0 0"/>
  <statistic center="0 0 0" extent="0.2"/>
  <visual><map znear="0.05" zfar="20"/><headlight ambient="0.38 0.38 0.39" diffuse="0.34 0.34 0.34" specular="0 0 0"/></visual>
  <asset>
    <texture name="room" type="skybox" builtin="gradient" rgb1="0.80 0.86 0.89" rgb2="0.46 0.54 0.58" width="64" height="64"/>
    <material name="liver" rgba="0.40 0.12 0.09 1" specular="0.9" shininess="0.85"/>
    <material name="gall_bladder" rgba="0.38 0.46 0.30 1" specular="0.9" shininess="0.9"/>
    <material name="ligament" rgba="0.66 0.52 0.40 1" specular="0.5" shininess="0.6"/>
    <material name="fat" rgba="0.90 0.76 0.38 1" specular="0.7" shininess="0.7"/>
    <material name="vein" rgba="0.24 0.28 0.48 1" specular="0.8" shininess="0.8"/>
    <material name="artery" rgba="0.70 0.12 0.12 1" specular="0.8" shininess="0.8"/>
    <material name="steel" rgba="0.75 0.77 0.8 1" specular="0.9" shininess="0.9"/>
    <material name="carbide" rgba="0.55 0.56 0.58 1" specular="0.6" shininess="0.6"/>
    <material name="shaft" rgba="0.12 0.12 0.14 1" specular="0.5" shininess="0.7"/>
    <material name="bile_duct" rgba="0.45 0.55 0.25 1" specular="0.8" shininess="0.8"/>
  </asset>
  <worldbody>{ROOM}{bodies}{parts}
  </worldbody>
  <deformable>
    <flex name="organ" dim="2" radius="0.0005" body="{names}" element="{triangles}" group="4">
      <contact contype="0" conaffinity="0" selfcollide="none"/>
    </flex>
  </deformable>
</mujoco>
"#
    )
}
