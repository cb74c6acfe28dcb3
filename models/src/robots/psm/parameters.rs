//! The numbers of the da Vinci Research Kit's PSM: lengths, modified Denavit–Hartenberg rows, mass properties, friction.
//!
//! * Lengths, rows and identified parameters: Wang, Gondokaryono, Munawar, Fischer 2019, "A convex optimization-based dynamic model
//!   identification package for the da Vinci Research Kit", IEEE RA-L 4(4), doi:10.1109/LRA.2019.2927947, and the tables published
//!   with it (frames in Craig's convention, inertia about the centre of mass, in the link's frame).
//! * Limits of joints and motors: the kinematic files that the dVRK software reads for the classic PSM and its large needle driver.
//!
//! What is not the published number, and why:
//! * Bars 4 and 5 translate and yaw, so only `xx` of their inertia ever acts; the published `yy` and `zz` of 90 and 37 kg·m² are
//!   what the solver left in the null space. Here they are those of slender rods. Likewise `xx` and `yy` of link 1, which only yaws.
//! * The published rotor inertias of motors 4 to 7 are negative (−3.1e-6 to −6.2e-4 kg·m²); [`WRIST_ROTOR`] stands in their place.
//! * The identified model lumps the instrument into the carriage; its own links have 0.1 g each, because MuJoCo steps no body without mass.

use crate::shapes::MassProperties;

/// Height of the carriage above the remote centre at zero insertion [m].
pub const REMOTE_CENTER_TO_CARRIAGE: f64 = 0.4318;
/// From the carriage's frame to the wrist [m].
pub const TOOL_LENGTH: f64 = 0.4162;
/// From wrist pitch to the jaws' axis [m].
pub const PITCH_TO_YAW: f64 = 0.0091;
/// From the jaws' axis to the point between their tips [m].
pub const YAW_TO_TIP: f64 = 0.0091;
/// Along the bars, from the yaw joint's frame to the support link and to the remote centre [m].
pub const SUPPORT_REACH: f64 = 0.096;
/// From the pitch joint to the remote centre [m].
pub const BAR_LENGTH: f64 = 0.516;
/// The pitch link's pins stand so far behind its joint [m].
pub const PIN_OFFSET: f64 = 0.04009;
/// Height of the lower bar's pin over the pitch joint [m].
pub const LOWER_PIN: f64 = 0.14454;
/// Height of the upper bar's pin over the lower one [m].
pub const PIN_SPACING: f64 = 0.03808;

/// A small rotor behind its gear, for motors 4 to 7 [kg·m²]: the identified inertias are not physical.
pub const WRIST_ROTOR: f64 = 7e-6;
/// Torsion spring of the roll joint [N·m/rad].
pub const ROLL_SPRING: f64 = 0.001_873;

/// Friction of a joint or a motor: `coulomb sign(v) + viscous v + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Coulomb friction [N·m or N].
    pub coulomb: f64,
    /// Viscous friction [N·m·s/rad or N·s/m].
    pub viscous: f64,
    /// Offset [N·m or N].
    pub offset: f64,
}

const fn friction(coulomb: f64, viscous: f64, offset: f64) -> Friction {
    Friction {
        coulomb,
        viscous,
        offset,
    }
}

pub(super) const YAW_FRICTION: Friction = friction(0.050_003, 0.090_532_6, -0.300_002_7);
pub(super) const PITCH_FRICTION: Friction = friction(0.066_820_2, 0.218_061_7, 0.141_919_9);
pub(super) const INSERTION_FRICTION: Friction = friction(0.447_595_3, 1.203_564_5, 0.003_887_2);
pub(super) const ROLL_FRICTION: Friction = friction(0.002_465, 0.001_111_4, -0.004_890_4);
pub(super) const WRIST_FRICTION: Friction = friction(0.006_993_5, 0.012_171, 0.132_923_8);
pub(super) const JAW_A_FRICTION: Friction = friction(0.000_780_3, 0.002_015_3, 0.077_717_1);
pub(super) const JAW_B_FRICTION: Friction = friction(0.002_169_8, 0.002_246_5, 0.056_142_9);
pub(super) const MOTOR_6_FRICTION: Friction = friction(0.006_296_6, 0.006_165, -0.166_148_9);
pub(super) const MOTOR_7_FRICTION: Friction = friction(0.006_191_5, 0.007_388_4, -0.016_915_7);
/// Between the jaws: along jaw b's angle less jaw a's.
pub(super) const JAW_TO_JAW_FRICTION: Friction = friction(0.000_104_9, 0.003_445_1, -0.045_851_6);

/// Angles of wrist, jaw a and jaw b [rad] per angle of motors 5, 6 and 7 [rad]: dVRK user guide, large needle driver.
pub const WRIST_FROM_MOTORS: [[f64; 3]; 3] = [
    [1.0186, 0.0, 0.0],
    [-0.8306, 1.2178, 0.0],
    [-0.8306, 0.0, 1.2178],
];

/// Limits of yaw, pitch [rad], insertion [m] and roll [rad].
pub(super) const YAW_RANGE: [f64; 2] = [-1.605, 1.605];
pub(super) const PITCH_RANGE: [f64; 2] = [-0.925_025, 0.925_025];
pub(super) const INSERTION_RANGE: [f64; 2] = [0.0, 0.24];
pub(super) const ROLL_RANGE: [f64; 2] = [-4.537_86, 4.537_86];
pub(super) const WRIST_RANGE: [f64; 2] = [-1.396_26, 1.396_26];
/// Each jaw: yaw within ±80°, and half of the jaws' opening of 80°.
pub(super) const JAW_RANGE: [f64; 2] = [-2.094_4, 2.094_4];
/// Angle from jaw a to jaw b [rad]: closed to the widest that the identification opened them.
pub(super) const JAWS_RANGE: [f64; 2] = [0.0, 3.0];

/// Greatest torques and forces of motors 1 to 7 [N·m, motor 3: N].
pub const MOTOR_LIMITS: [f64; 7] = [4.97, 4.97, 14.81, 0.33, 0.25, 0.25, 0.25];

const fn mass(mass: f64, center_of_mass: [f64; 3], inertia: [f64; 6]) -> MassProperties {
    MassProperties {
        mass,
        center_of_mass,
        inertia,
    }
}

/// Slender rods of the bars' masses and [`BAR_LENGTH`]: `m l² / 12` [kg·m²].
const LOWER_BAR_ROD: f64 = 2.956_747 * BAR_LENGTH * BAR_LENGTH / 12.0;
const UPPER_BAR_ROD: f64 = 0.479_677_3 * BAR_LENGTH * BAR_LENGTH / 12.0;

/// The body with another mass, but the same first moment and inertia about its frame's origin: what a hinge there cannot tell apart.
const fn with_mass(body: MassProperties, new_mass: f64) -> MassProperties {
    let [x, y, z] = body.center_of_mass;
    let [l_x, l_y, l_z] = [body.mass * x, body.mass * y, body.mass * z];
    let gain = 1.0 / body.mass - 1.0 / new_mass;
    let [xx, yy, zz, xy, xz, yz] = body.inertia;
    mass(
        new_mass,
        [l_x / new_mass, l_y / new_mass, l_z / new_mass],
        [
            xx + gain * (l_y * l_y + l_z * l_z),
            yy + gain * (l_x * l_x + l_z * l_z),
            zz + gain * (l_x * l_x + l_y * l_y),
            xy - gain * l_x * l_y,
            xz - gain * l_x * l_z,
            yz - gain * l_y * l_z,
        ],
    )
}

/// The body with so much added to its moments of inertia [kg·m²].
const fn with_inertia(body: MassProperties, [xx, yy, zz]: [f64; 3]) -> MassProperties {
    let inertia = body.inertia;
    mass(
        body.mass,
        body.center_of_mass,
        [
            inertia[0] + xx,
            inertia[1] + yy,
            inertia[2] + zz,
            inertia[3],
            inertia[4],
            inertia[5],
        ],
    )
}

/// The published tensors of guide, support, carriage and counterweight, rounded for print, miss the triangle inequality by up to
/// 4e-6 kg·m². Each gets this much about every axis [kg·m²]; pitch and yaw link, which turn with them, give it back.
const SPARE: f64 = 5e-6;
const N_SPARED: f64 = 4.0;

/// Neither this mass nor the pitch link's acts on any joint; these leave room to give [`SPARE`] back.
const YAW_MASS: f64 = 8.0;
const PITCH_MASS: f64 = 10.5;

pub(super) const YAW_LINK: MassProperties = with_inertia(
    with_mass(
        mass(
            6.066_782_3,
            [0.012_115_3, -0.000_607_5, 0.0],
            [0.05, 0.05, 3.73e-5, 0.0, 0.0, 0.0],
        ),
        YAW_MASS,
    ),
    [0.0, 0.0, -N_SPARED * SPARE],
);
pub(super) const PITCH_LINK: MassProperties = with_inertia(
    with_mass(
        mass(
            10.000_137_1,
            [-0.019_514_1, -0.072_186_1, -0.011_085_6],
            [
                0.023_589_8,
                0.026_569_9,
                0.004_420_9,
                -0.001_589_9,
                0.009_081_7,
                0.004_048_4,
            ],
        ),
        PITCH_MASS,
    ),
    [0.0, 0.0, -N_SPARED * SPARE],
);
pub(super) const LOWER_BAR: MassProperties = mass(
    2.956_747,
    [0.175_213_1, 0.019_998_9, 0.017_390_5],
    [3.61e-5, LOWER_BAR_ROD, LOWER_BAR_ROD, 0.0, 0.0, 0.0],
);
pub(super) const UPPER_BAR: MassProperties = mass(
    0.479_677_3,
    [0.297_839_2, -0.030_008, 0.029_999_4],
    [3.69e-5, UPPER_BAR_ROD, UPPER_BAR_ROD, 0.0, 0.0, 0.0],
);
pub(super) const GUIDE: MassProperties = with_inertia(
    mass(
        0.100_001_4,
        [-7e-7, 0.050_001_8, -0.029_355_2],
        [2.56e-5, 8.04e-5, 6.94e-5, 2.07e-5, 3.59e-5, -1.2e-5],
    ),
    [SPARE; 3],
);
pub(super) const SUPPORT: MassProperties = with_inertia(
    mass(
        0.500_006_9,
        [-0.045_573_3, -0.140_000_1, 0.02],
        [2.61e-5, 8.04e-5, 6.96e-5, 2.06e-5, -3.58e-5, 1.19e-5],
    ),
    [SPARE; 3],
);
pub(super) const CARRIAGE: MassProperties = with_inertia(
    mass(
        0.363_026_8,
        [-0.019_988_3, -0.019_993_6, -0.099_503_7],
        [2.54e-5, 6.9e-5, 8.02e-5, -3.58e-5, 2.07e-5, 1.2e-5],
    ),
    [SPARE; 3],
);
pub(super) const COUNTERWEIGHT: MassProperties = with_inertia(
    mass(
        0.349_939_5,
        [0.026_016_7, -0.018_457, -0.099_482_6],
        [2.58e-5, 6.97e-5, 8.07e-5, 3.6e-5, 2.11e-5, -1.23e-5],
    ),
    [SPARE; 3],
);
pub(super) const INSTRUMENT_LINK: MassProperties =
    mass(1e-4, [0.0; 3], [1e-9, 1e-9, 1e-9, 0.0, 0.0, 0.0]);
