//! Parameters of the da Vinci Research Kit's PSM: lengths, modified Denavit–Hartenberg rows, mass properties, friction.
//!
//! * Lengths, rows and identified parameters: Wang, Gondokaryono, Munawar, Fischer 2019, "A convex optimization-based dynamic model
//!   identification package for the da Vinci Research Kit", IEEE RA-L 4(4), doi:10.1109/LRA.2019.2927947, and the tables published
//!   with it (frames in Craig's convention, inertia about the centre of mass, in the link's frame).
//! * Limits of joints and motors: the kinematic files of the dVRK software for the classic PSM and its large needle driver.
//!
//! Deviations from the published numbers, with reasons:
//! * The published bodies are slightly unphysical, and bars 4 and 5, which translate and yaw, have 90 and 37 kg·m² that do not affect any
//!   torque. The bodies here are the nearest physical ones with the same identifiable combinations; `insonate-dvrk` computes
//!   them, and a test in `insonate-sim` compares the torques.
//! * The published rotor inertias of motors 4 to 7 are negative (−3.1e-6 to −6.2e-4 kg·m²); they are replaced by [`WRIST_ROTOR`].
//! * The identified model lumps the instrument into the carriage. The instrument's own links have 0.1 g each, because MuJoCo rejects
//!   moving bodies without mass.

use crate::shapes::MassProperties;

/// Height of the carriage above the remote centre at zero insertion [m].
pub const REMOTE_CENTER_TO_CARRIAGE: f64 = 0.4318;
/// Distance from the carriage's frame to the wrist [m].
pub const TOOL_LENGTH: f64 = 0.4162;
/// Distance from wrist pitch to the jaws' axis [m].
pub const PITCH_TO_YAW: f64 = 0.0091;
/// Distance from the jaws' axis to the point between their tips [m].
pub const YAW_TO_TIP: f64 = 0.0091;
/// Distance along the bars from the yaw joint's frame to the support link, and to the remote centre [m].
pub const SUPPORT_REACH: f64 = 0.096;
/// Distance from the pitch joint to the remote centre [m].
pub const BAR_LENGTH: f64 = 0.516;
/// Distance of the pitch link's pins behind its joint [m].
pub const PIN_OFFSET: f64 = 0.04009;
/// Height of the lower bar's pin above the pitch joint [m].
pub const LOWER_PIN: f64 = 0.14454;
/// Height of the upper bar's pin above the lower bar's pin [m].
pub const PIN_SPACING: f64 = 0.03808;

/// Inertia of a small rotor with its gear, for motors 4 to 7 [kg·m²]: the identified inertias are not physical.
pub const WRIST_ROTOR: f64 = 7e-6;
/// Stiffness of the torsion spring of the roll joint [N·m/rad].
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
/// Friction between the jaws, as a function of the angle of jaw b minus the angle of jaw a.
pub(super) const JAW_TO_JAW_FRICTION: Friction = friction(0.000_104_9, 0.003_445_1, -0.045_851_6);

/// Matrix from the angles of motors 5, 6 and 7 [rad] to the angles of wrist, jaw a and jaw b [rad]: dVRK user guide, large needle driver.
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
/// Limits of each jaw: yaw within ±80°, plus half of the opening of 80°.
pub(super) const JAW_RANGE: [f64; 2] = [-2.094_4, 2.094_4];
/// Limits of the angle from jaw a to jaw b [rad]: from closed to the widest opening of the identification.
pub(super) const JAWS_RANGE: [f64; 2] = [0.0, 3.0];

/// Limits of the torques and forces of motors 1 to 7 [N·m, motor 3: N].
pub const MOTOR_LIMITS: [f64; 7] = [4.97, 4.97, 14.81, 0.33, 0.25, 0.25, 0.25];

/// Converts `[Lxx, Lxy, Lxz, Lyy, Lyz, Lzz, lx, ly, lz, m]` to mass properties: inertia about the frame's origin [kg·m²], first
/// moment [kg·m], mass [kg].
const fn barycentric(parameters: [f64; 10]) -> MassProperties {
    let [xx, xy, xz, yy, yz, zz, l_x, l_y, l_z, mass] = parameters;
    MassProperties {
        mass,
        center_of_mass: [l_x / mass, l_y / mass, l_z / mass],
        inertia: [
            xx - (l_y * l_y + l_z * l_z) / mass,
            yy - (l_x * l_x + l_z * l_z) / mass,
            zz - (l_x * l_x + l_y * l_y) / mass,
            xy + l_x * l_y / mass,
            xz + l_x * l_z / mass,
            yz + l_y * l_z / mass,
        ],
    }
}

#[rustfmt::skip]
pub(super) const YAW_LINK: MassProperties = barycentric([1.3183925393352574, 4.465177281961489e-5, 0.0, 1.3192811849526285, 0.0, 0.0009286273732591441, 0.07350088759919, -0.0036851845478410032, 0.0, 6.066782313269466]);
#[rustfmt::skip]
pub(super) const PITCH_LINK: MassProperties = barycentric([0.07692728121985472, -0.01567657955289801, 0.006915119353188055, 0.03160596130879728, -0.003953384234547522, 0.06033889324521667, -0.19514302177424453, -0.7218698922074889, -0.11085669118461682, 10.000144077381991]);
#[rustfmt::skip]
pub(super) const LOWER_BAR: MassProperties = barycentric([0.002111480437384148, -0.010389346257723168, -0.009033336451660738, 0.15326524763029092, -0.0010279312319097093, 0.15355360881492588, 0.5180608077266854, 0.0591316875783, 0.05141998549487182, 2.956732710782068]);
#[rustfmt::skip]
pub(super) const UPPER_BAR: MassProperties = barycentric([0.0008991355820824885, 0.004287344032138242, -0.004286015378909936, 0.052982996938551886, 0.0004318161051108894, 0.05298324449504705, 0.14286670237857943, -0.014394156418399999, 0.014389915794217034, 0.4796582893627106]);
#[rustfmt::skip]
pub(super) const GUIDE: MassProperties = barycentric([0.00036290505047240345, 2.051957519896781e-5, 3.5127224545547654e-5, 0.00016780469845877288, 0.00013466380025215535, 0.0003193496037343894, 2.7327863012612128e-6, 0.0049982707172146635, -0.0029284734343075435, 0.10000452565533831]);
#[rustfmt::skip]
pub(super) const SUPPORT: MassProperties = barycentric([0.010027203634968914, -0.0031690551639444557, 0.0004204893093811796, 0.0013202707519889484, 0.001411378408321818, 0.010907813640479715, -0.02278434068291862, -0.06999927880195328, 0.009997485216426369, 0.5000232909120216]);
#[rustfmt::skip]
pub(super) const CARRIAGE: MassProperties = barycentric([0.0037661471647819507, -0.00017986628529330546, -0.0007015206267445488, 0.0038082795535358312, -0.0007102953890142275, 0.00037167019687166816, -0.007256327575227387, -0.007255107317520084, -0.0361215073844762, 0.3630268]);
#[rustfmt::skip]
pub(super) const COUNTERWEIGHT: MassProperties = barycentric([0.0036099114371429706, 0.0002029995890842877, 0.0009266809637614115, 0.0037698635781729358, -0.0006541294002509361, 0.00043797733626746584, 0.009104309978437381, -0.006455728040540085, -0.03481389371738385, 0.3499395]);
/// Mass properties of shaft, wrist and each jaw.
pub(super) const INSTRUMENT_LINK: MassProperties = MassProperties {
    mass: 1e-4,
    center_of_mass: [0.0; 3],
    inertia: [1e-9, 1e-9, 1e-9, 0.0, 0.0, 0.0],
};
