//! Distance functions of a patient's head, arms and legs: cones with round ends, blended into each other.

use nalgebra::Vector3;

use super::adult_trunk::AdultTrunk;
use super::physique::{Physique, Sex};

/// Height of the person to whom the numbers of this file apply [m] (ANSUR II, mean of men).
const HEIGHT: f64 = 1.756;

/// A cone with round ends, in the patient's frame. Bones of limbs are those on the left; the right side is the mirror image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bone {
    from: Vector3<f64>,
    to: Vector3<f64>,
    radius: [f64; 2],
}

impl Bone {
    fn distance(&self, point: &Vector3<f64>) -> f64 {
        let along = self.to - self.from;
        let share = ((point - self.from).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        let radius = self.radius[0] + share * (self.radius[1] - self.radius[0]);
        (point - self.from - along * share).norm() - radius
    }

    /// Ends and mean radius of a capsule for collision.
    pub(super) fn capsule(&self) -> ([Vector3<f64>; 2], f64) {
        let [first, last] = self.radius;
        ([self.from, self.to], 0.5 * (first + last))
    }
}

/// Limbs and head of a patient.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    pub(super) trunk: AdultTrunk,
    /// Scale factor of all lengths.
    scale: f64,
    /// Scale factor of the radii of limbs, relative to `scale`.
    stout: f64,
    /// Half of the distance between the tips of the shoulders [m].
    half_shoulders: f64,
    /// Selects face, neck and hair.
    sex: Sex,
}

impl Figure {
    pub(super) fn new(physique: &Physique) -> Self {
        let scale = physique.height / HEIGHT;
        // The radii grow with mass slightly less than those of a solid of constant density and given length.
        let stout = ((physique.mass / 73.0) / (physique.height / 1.76))
            .sqrt()
            .powf(0.8);
        Self {
            trunk: AdultTrunk::new(physique),
            scale,
            stout: stout / scale,
            half_shoulders: 0.5 * physique.girths().shoulders,
            sex: physique.sex,
        }
    }

    /// One of two values, for a woman and for a man.
    fn by_sex<T>(&self, female: T, male: T) -> T {
        match self.sex {
            Sex::Female => female,
            Sex::Male => male,
        }
    }

    /// Scales a length to the patient [m].
    pub(super) fn scaled(&self, length: f64) -> f64 {
        self.scale * length
    }

    /// A point with coordinates relative to the notch above the breastbone.
    pub(super) fn notch(&self, [x, y, z]: [f64; 3]) -> Vector3<f64> {
        let top = Vector3::new(0.0, self.trunk.half_length, 0.0);
        top + Vector3::new(x, y, z) * self.scale
    }

    /// A point with coordinates relative to the crotch.
    pub(super) fn crotch(&self, [x, y, z]: [f64; 3]) -> Vector3<f64> {
        let bottom = Vector3::new(0.0, -self.trunk.half_length, 0.0);
        bottom + Vector3::new(x, y, z) * self.scale
    }

    fn bone(&self, from: Vector3<f64>, to: Vector3<f64>, radius: [f64; 2], fat: f64) -> Bone {
        let grown = self.scale * (1.0 + fat * (self.stout - 1.0));
        Bone {
            from,
            to,
            radius: radius.map(|radius| radius * grown),
        }
    }

    /// A point on the left arm: x relative to the tip of the shoulder, y and z relative to the notch.
    fn arm(&self, [x, y, z]: [f64; 3]) -> Vector3<f64> {
        let mut place = self.notch([x, y, z]);
        place.x += self.half_shoulders;
        place
    }

    /// Half of the width of the patient including the arms [m].
    pub(super) fn arm_reach(&self) -> f64 {
        self.arm([0.15, 0.0, 0.0]).x
    }

    /// Left upper arm and forearm.
    pub(super) fn arm_bones(&self) -> [Bone; 4] {
        let shoulder = self.arm([-0.008, -0.055, 0.092]);
        let upper = self.arm([0.022, -0.17, 0.078]);
        let elbow = self.arm([0.062, -0.345, 0.062]);
        let belly = self.arm([0.070, -0.41, 0.060]);
        let wrist = self.arm([0.086, -0.60, 0.046]);
        [
            self.bone(shoulder, upper, [0.058, 0.05], 0.7),
            self.bone(upper, elbow, [0.05, 0.042], 0.9),
            self.bone(elbow, belly, [0.041, 0.044], 0.8),
            self.bone(belly, wrist, [0.044, 0.027], 0.6),
        ]
    }

    /// Left thigh and lower leg.
    pub(super) fn leg_bones(&self) -> [Bone; 4] {
        let hip = self.crotch([0.086, 0.035, 0.098]);
        let knee = self.crotch([0.112, -0.37, 0.078]);
        let calf = self.crotch([0.118, -0.475, 0.068]);
        let ankle = self.crotch([0.128, -0.765, 0.047]);
        [
            self.bone(hip, knee, [0.094, 0.057], 1.0),
            self.bone(
                knee,
                self.crotch([0.115, -0.42, 0.072]),
                [0.055, 0.054],
                0.6,
            ),
            self.bone(self.crotch([0.115, -0.42, 0.07]), calf, [0.053, 0.058], 0.8),
            self.bone(calf, ankle, [0.058, 0.036], 0.6),
        ]
    }

    /// Left foot: heel and instep, then three rays of the sole with toes.
    fn foot_bones(&self) -> [Bone; 8] {
        let heel = self.crotch([0.128, -0.80, 0.037]);
        let instep = self.crotch([0.134, -0.79, 0.105]);
        let ray = |ball: [f64; 3], toe: [f64; 3], radius: [f64; 2]| {
            let (ball, toe) = (self.crotch(ball), self.crotch(toe));
            [
                self.bone(heel, ball, [0.034, radius[0]], 0.0),
                self.bone(ball, toe, radius, 0.0),
            ]
        };
        let [a, b] = ray(
            [0.136, -0.855, 0.200],
            [0.143, -0.873, 0.258],
            [0.022, 0.0135],
        );
        let [c, d] = ray(
            [0.160, -0.850, 0.195],
            [0.165, -0.867, 0.246],
            [0.019, 0.011],
        );
        let [e, f] = ray(
            [0.184, -0.842, 0.178],
            [0.187, -0.857, 0.220],
            [0.018, 0.010],
        );
        let ankle = self.bone(heel, instep, [0.036, 0.036], 0.0);
        let back = self.bone(
            instep,
            self.crotch([0.15, -0.845, 0.185]),
            [0.036, 0.022],
            0.0,
        );
        [ankle, back, a, b, c, d, e, f]
    }

    /// Left hand, palm down: four fingers and the thumb, each starting at the wrist.
    fn hand_bones(&self) -> [Bone; 10] {
        let wrist = self.arm([0.086, -0.605, 0.044]);
        let finger = |index: usize| {
            let knuckle = [
                [0.058, 0.0],
                [0.079, -0.007],
                [0.099, -0.004],
                [0.117, 0.008],
            ][index];
            let length = [0.068, 0.078, 0.073, 0.056][index];
            let [x, y] = [knuckle[0], -0.705 + knuckle[1]];
            let spread = 0.16 * (knuckle[0] - 0.086);
            let from = self.arm([x, y, 0.030]);
            let to = self.arm([x + spread, y - length, 0.014]);
            [
                self.bone(wrist + (from - wrist) * 0.12, from, [0.019, 0.0125], 0.0),
                self.bone(from, to, [0.011, 0.0085], 0.0),
            ]
        };
        let thumb = [
            self.arm([0.060, -0.630, 0.038]),
            self.arm([0.036, -0.672, 0.026]),
            self.arm([0.030, -0.708, 0.018]),
        ];
        let [a, b] = finger(0);
        let [c, d] = finger(1);
        let [e, f] = finger(2);
        let [g, h] = finger(3);
        [
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
            self.bone(thumb[0], thumb[1], [0.016, 0.012], 0.0),
            self.bone(thumb[1], thumb[2], [0.012, 0.0095], 0.0),
        ]
    }

    /// Neck, and the muscles between neck and shoulders.
    fn neck(&self, point: &Vector3<f64>) -> f64 {
        let fat = 0.5;
        let radius = self.by_sex([0.062, 0.050], [0.067, 0.057]);
        // A deep chest raises the front of the neck.
        let front = 0.08 + radius[0];
        let raised = (self.trunk.notch_thickness() / self.scale - front).max(0.0);
        let column = self.bone(
            self.notch([0.0, -0.03, 0.08 + 0.8 * raised]),
            self.notch([0.0, 0.10, 0.10]),
            radius,
            fat,
        );
        let root = self.notch([0.03, 0.045, 0.07 + 0.5 * raised]);
        let tip = self.arm([-0.035, -0.028, 0.086]);
        let slope = self.bone(root, tip, [0.054, 0.05], fat);
        let slope = slope.distance(&mirrored(point));
        melt(column.distance(point), slope, 0.05 * self.scale)
    }

    /// A point on the head: relative to the notch, with a constant offset of the head.
    pub(super) fn skull(&self, [x, y, z]: [f64; 3]) -> Vector3<f64> {
        self.notch([x, y - 0.018, z - 0.012])
    }

    /// The head, face up.
    pub(super) fn head(&self, point: &Vector3<f64>) -> f64 {
        let egg = |center: [f64; 3], half: [f64; 3]| {
            let offset = point - self.skull(center);
            let half = Vector3::from(half) * self.scale;
            let inside = offset.component_div(&half).norm();
            (inside - 1.0) * half.min()
        };
        let ball = |from, to, radius| self.bone(from, to, radius, 0.0);
        let side = mirrored(point);
        let melted = |a, b, width: f64| melt(a, b, width * self.scale);
        let skull = egg([0.0, 0.225, 0.146], [0.077, 0.094, 0.099]);
        let face = egg([0.0, 0.168, 0.172], [0.062, 0.078, 0.066]);
        let jaw = ball(
            self.skull([self.by_sex(0.046, 0.052), 0.155, 0.15]),
            self.skull([0.004, self.by_sex(0.110, 0.106), 0.206]),
            self.by_sex([0.016, 0.0135], [0.018, 0.017]),
        );
        let cheek = ball(
            self.skull([0.038, 0.172, 0.212]),
            self.skull([0.05, 0.178, 0.195]),
            [0.016, 0.014],
        );
        let brow = ball(
            self.skull([0.008, 0.217, 0.236]),
            self.skull([0.036, 0.217, 0.226]),
            self.by_sex([0.005, 0.006], [0.009, 0.009]),
        );
        let nose = ball(
            self.skull([0.0, 0.207, 0.238]),
            self.skull([0.0, 0.170, self.by_sex(0.253, 0.258)]),
            self.by_sex([0.006, 0.0085], [0.008, 0.0105]),
        );
        let wing = ball(
            self.skull([0.004, 0.166, 0.246]),
            self.skull([self.by_sex(0.009, 0.011), 0.166, 0.243]),
            self.by_sex([0.0065, 0.006], [0.008, 0.0075]),
        );
        let lips = ball(
            self.skull([0.0, 0.140, 0.231]),
            self.skull([0.017, 0.141, 0.224]),
            self.by_sex([0.0088, 0.005], [0.0075, 0.004]),
        );
        let lid = ball(
            self.skull([0.031, 0.201, 0.2205]),
            self.skull([0.034, 0.201, 0.2205]),
            [0.0125, 0.0125],
        );
        let socket = ball(
            self.skull([0.027, 0.203, 0.238]),
            self.skull([0.038, 0.202, 0.233]),
            [0.011, 0.01],
        );
        let mut head = melted(skull, face, 0.03);
        head = melted(head, jaw.distance(&side), 0.03);
        head = melted(head, cheek.distance(&side), 0.03);
        head = melted(head, brow.distance(&side), 0.012);
        // Eye sockets are subtracted, lids are added.
        head = -melted(-head, socket.distance(&side), 0.012);
        head = melted(head, lid.distance(&side), 0.004);
        head = melted(head, nose.distance(point), 0.012);
        head = melted(head, wing.distance(&side), 0.006);
        head = melted(head, lips.distance(&side), 0.006);
        let ear = {
            let mut offset = side - self.skull([0.077, 0.185, 0.138]);
            offset.x *= 2.4;
            let half = Vector3::new(0.022, 0.031, 0.019) * self.scale;
            (offset.component_div(&half).norm() - 1.0) * 0.008 * self.scale
        };
        melted(head, ear, 0.008)
    }

    /// The trunk with its upper end rounded, so that the chest slopes to the neck without an edge.
    fn rounded_trunk(&self, point: &Vector3<f64>) -> f64 {
        let trunk = self.trunk.distance((*point).into());
        let end = point.y - self.trunk.half_length;
        -melt(-trunk, -end, 0.05 * self.scale)
    }

    /// Arms, legs, head and the ends of the trunk between them, as one distance.
    pub(super) fn body(&self, point: &Vector3<f64>) -> f64 {
        let side = mirrored(point);
        let chain = |bones: &[Bone], width: f64| {
            let distances = bones.iter().map(|bone| bone.distance(&side));
            let melted = distances.reduce(|a, b| melt(a, b, width * self.scale));
            melted.unwrap_or(f64::INFINITY)
        };
        let trunk = self.rounded_trunk(point);
        // Parts that are too far away along the body for blending are skipped.
        let [from_notch, from_crotch] = [
            (point.y - self.trunk.half_length) / self.scale,
            (point.y + self.trunk.half_length) / self.scale,
        ];
        let mut body = trunk;
        if from_crotch > -0.35 && from_notch < 0.15 {
            let mut arm = chain(&self.arm_bones(), 0.04);
            if from_notch < -0.45 {
                arm = melt(arm, chain(&self.hand_bones(), 0.005), 0.015 * self.scale);
            }
            let shoulders = if from_notch > -0.25 {
                melt(arm, self.neck(point), 0.05 * self.scale)
            } else {
                arm
            };
            body = melt(shoulders, trunk, 0.035 * self.scale);
        }
        if from_notch > -0.1 {
            let head = melt(self.head(point), self.neck(point), 0.025 * self.scale);
            body = body.min(head);
        }
        if from_crotch < 0.3 {
            let mut leg = chain(&self.leg_bones(), 0.05);
            if from_crotch < -0.5 {
                leg = melt(leg, chain(&self.foot_bones(), 0.018), 0.04 * self.scale);
            }
            body = body.min(melt(leg, trunk, 0.03 * self.scale));
        }
        body
    }

    /// Swimming trunks: hips and a hand's breadth of the thighs.
    pub(super) fn trunks(&self, point: &Vector3<f64>) -> f64 {
        let side = mirrored(point);
        let [thigh, ..] = self.leg_bones();
        let hips = melt(
            thigh.distance(&side),
            self.trunk.distance((*point).into()),
            0.04 * self.scale,
        );
        let cloth = hips - 0.005;
        let y = (point.y + self.trunk.half_length) / self.scale;
        let waistband = y - 0.075 - 0.02 * (side.x / self.scale / 0.16).powi(2);
        let hem = -0.155 - y;
        let cut = melt(-waistband, -hem, 0.01) * self.scale;
        -melt(-cloth, cut, 0.006)
    }

    /// Hair and eyebrows.
    pub(super) fn hair(&self, point: &Vector3<f64>) -> f64 {
        let offset = (point - self.skull([0.0, 0.227, 0.146])) / self.scale;
        let half = self.by_sex(
            Vector3::new(0.086, 0.104, 0.108),
            Vector3::new(0.082, 0.099, 0.104),
        );
        let cap = (offset.component_div(&half).norm() - 1.0) * half.min();
        // The hairline runs from above the forehead over the ears to the neck; it is higher at the temples.
        let temple = 0.02 * (-((offset.x.abs() - 0.055) / 0.022).powi(2)).exp();
        let line = 0.7 * (offset.z - offset.y - 0.03 + temple * f64::from(offset.z > 0.0));
        let brow = self.bone(
            self.skull([0.016, 0.2195, 0.243]),
            self.skull([0.047, 0.2195, 0.2285]),
            self.by_sex([0.0046, 0.0034], [0.0056, 0.0042]),
            0.0,
        );
        let mut hair = cap.max(line) * self.scale;
        if self.sex == Sex::Female {
            hair = melt(hair, self.long_hair(point), 0.02 * self.scale);
        }
        hair.min(brow.distance(&mirrored(point)))
    }

    /// Hair to the shoulders, spread over the pillow behind the head.
    fn long_hair(&self, point: &Vector3<f64>) -> f64 {
        let side = mirrored(point);
        let temple = self.skull([0.074, 0.235, 0.125]);
        let ear = self.skull([0.098, 0.145, 0.088]);
        let tip = self.notch([0.105, 0.045, 0.083]);
        let upper = self.bone(temple, ear, [0.018, 0.026], 0.0);
        let lower = self.bone(ear, tip, [0.026, 0.010], 0.0);
        let lock = melt(
            upper.distance(&side),
            lower.distance(&side),
            0.02 * self.scale,
        );
        let half = Vector3::new(0.118, 0.125, 0.03) * self.scale;
        let offset = point - self.skull([0.0, 0.21, 0.08]);
        let fan = (offset.component_div(&half).norm() - 1.0) * half.min();
        melt(lock, fan, 0.03 * self.scale)
    }

    /// Half of the width of the hair, and the y coordinate of its lower end relative to the notch.
    pub(super) fn hair_extent(&self) -> [f64; 2] {
        self.by_sex([0.15, 0.02], [0.12, 0.06])
    }
}

/// Mirrors a point to the patient's left side.
fn mirrored(point: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(point.x.abs(), point.y, point.z)
}

/// The smaller of two distances, rounded where they are within `width` of each other (a cubic polynomial blend).
fn melt(a: f64, b: f64, width: f64) -> f64 {
    let near = (1.0 - (a - b).abs() / width).max(0.0);
    a.min(b) - width * near.powi(3) / 6.0
}
