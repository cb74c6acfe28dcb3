//! A small scene with the project's names: an arm built from its DH table, a probe with sensors, and a compliant bed.

/// Bed under the probe.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bed {
    /// Stiffness of the spring under the plate [N/m].
    pub(crate) stiffness: f64,
    /// Damping of the spring [N·s/m].
    pub(crate) damping: f64,
    /// Radius of the capsule on the plate, along y [m]; 0 for a flat plate.
    pub(crate) radius: f64,
}

impl Default for Bed {
    fn default() -> Self {
        Self {
            stiffness: 1300.0,
            damping: 18.0,
            radius: 0.0,
        }
    }
}

/// Height of the bed's highest point above the floor [m].
pub(crate) const BED_TOP: f64 = 0.9;

/// A serial arm: each joint turns about z, followed by an offset `(x, y, z)` [m] and a rotation about x [rad].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    pub(crate) offsets: &'static [([f64; 3], f64)],
    pub(crate) masses: &'static [f64],
    pub(crate) torques: &'static [f64],
    pub(crate) home: &'static [f64],
    pub(crate) range: f64,
}

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// Franka's published (Craig) parameters; masses and torque limits of robosuite's Panda as listed in the thesis.
pub(crate) const PANDA: Chain = Chain {
    offsets: &[
        ([0.0, 0.0, 0.333], 0.0),
        ([0.0, 0.0, 0.0], -FRAC_PI_2),
        ([0.0, -0.316, 0.0], FRAC_PI_2),
        ([0.0825, 0.0, 0.0], FRAC_PI_2),
        ([-0.0825, 0.384, 0.0], -FRAC_PI_2),
        ([0.0, 0.0, 0.0], FRAC_PI_2),
        ([0.088, 0.0, 0.0], FRAC_PI_2),
        ([0.0, 0.0, 0.107], 0.0),
    ],
    masses: &[4.0, 3.0, 3.0, 2.0, 2.0, 2.0, 1.5],
    torques: &[80.0, 80.0, 80.0, 80.0, 80.0, 12.0, 12.0],
    home: &[
        0.0,
        PI / 16.0,
        0.0,
        -5.0 * PI / 6.0,
        0.0,
        PI - 0.2,
        FRAC_PI_4,
    ],
    range: 3.1,
};

/// Universal Robots' published (standard DH) parameters of the UR5e.
pub(crate) const UR5E: Chain = Chain {
    offsets: &[
        ([0.0, 0.0, 0.0], 0.0),
        ([0.0, 0.0, 0.1625], FRAC_PI_2),
        ([-0.425, 0.0, 0.0], 0.0),
        ([-0.3922, 0.0, 0.0], 0.0),
        ([0.0, 0.0, 0.1333], FRAC_PI_2),
        ([0.0, 0.0, 0.0997], -FRAC_PI_2),
        ([0.0, 0.0, 0.0996], 0.0),
    ],
    masses: &[3.7, 8.4, 2.3, 1.2, 1.2, 0.2],
    torques: &[150.0, 150.0, 150.0, 28.0, 28.0, 28.0],
    home: &[0.0, -1.735, 2.48, -2.275, -1.59, -0.42],
    range: 6.2,
};

/// MJCF text of the arm over the bed, with `home` as its keyframe.
pub(crate) fn xml(chain: &Chain, bed: Bed) -> String {
    let Bed {
        stiffness,
        damping,
        radius,
    } = bed;
    let shape = if radius > 0.0 {
        format!(
            "<geom name='bed' type='capsule' size='{radius} 0.2' quat='1 1 0 0' pos='0 0 -{radius}' friction='0.01'/>"
        )
    } else {
        "<geom name='bed' type='box' size='0.3 0.3 0.02' pos='0 0 -0.02' friction='0.01'/>"
            .to_owned()
    };
    let actuator = |(i, limit): (usize, &f64)| {
        let name = format!("robot/joint{}", i + 1);
        format!(
            "<motor name='{name}' joint='{name}' ctrlrange='-{limit} {limit}' ctrllimited='true'/>"
        )
    };
    let actuators: Vec<String> = chain.torques.iter().enumerate().map(actuator).collect();
    let actuators = actuators.join("\n");
    let home = chain
        .home
        .iter()
        .map(f64::to_string)
        .collect::<Vec<_>>()
        .join(" ");
    format!(
        "<mujoco>
<compiler angle='radian' autolimits='true'/>
<option timestep='0.002' integrator='implicitfast' cone='elliptic' impratio='20'/>
<worldbody>
<light pos='0 0 3'/>
<camera name='top' pos='0 0 1.9' xyaxes='1 0 0 0 1 0'/>
<geom name='table' type='box' size='0.4 0.4 0.025' pos='0 0 0.725' contype='0' conaffinity='0'/>
<body name='torso/B0' pos='0 0 {BED_TOP}' gravcomp='1'>
<joint name='torso/J0' type='slide' axis='0 0 1' stiffness='{stiffness}' damping='{damping}'/>
<inertial pos='0 0 0' mass='0.2' diaginertia='0.001 0.001 0.001'/>
{shape}
</body>
<body name='robot/base' pos='-0.56 0 0.8'>
{}
</body>
</worldbody>
<actuator>
{actuators}
</actuator>
<sensor>
<force name='probe/force' site='probe/ft'/>
<torque name='probe/torque' site='probe/ft'/>
</sensor>
<keyframe><key name='home' qpos='0 {home}'/></keyframe>
</mujoco>",
        links(chain, 0)
    )
}

fn links(chain: &Chain, index: usize) -> String {
    let ([x, y, z], turn) = chain.offsets[index];
    let Some(mass) = chain.masses.get(index) else {
        return format!(
            "<body name='robot/flange' pos='{x} {y} {z}' euler='{turn} 0 0'>{PROBE}</body>"
        );
    };
    let (inertia, range) = (0.01 * mass, chain.range);
    // The mass is half-way to the next joint.
    let [cx, cy, cz] = chain.offsets[index + 1].0.map(|next| next / 2.0);
    format!(
        "<body name='robot/link{n}' pos='{x} {y} {z}' euler='{turn} 0 0' gravcomp='1'>
<joint name='robot/joint{n}' axis='0 0 1' damping='0.1' armature='0.1' range='-{range} {range}'/>
<inertial pos='{cx} {cy} {cz}' mass='{mass}' diaginertia='{inertia} {inertia} {inertia}'/>
{}
</body>",
        links(chain, index + 1),
        n = index + 1,
    )
}

/// The probe has 1 kg, as in the thesis; its face is a curved array, 20 cm below the flange.
const PROBE: &str = "
<body name='probe/probe' gravcomp='1'>
<inertial pos='0.01 0 0.1' mass='1' diaginertia='0.003 0.003 0.001'/>
<geom name='probe/handle' type='capsule' fromto='0 0 0.02 0 0 0.1' size='0.02' contype='0' conaffinity='0'/>
<geom name='probe/face' type='ellipsoid' size='0.03 0.012 0.03' pos='0 0 0.17' friction='0.01'/>
<site name='probe/face_center' pos='0 0 0.2'/>
<site name='probe/ft' pos='0 0 0.2'/>
<camera name='probe/camera' pos='0.1 0 0' xyaxes='0 1 0 1 0 0'/>
</body>";
