//! Finds a start pose for an arm whose file has none: the flange is above the table in front of the arm and points down.
//!
//! Damped least squares (Wampler 1986, doi:10.1109/TSMC.1986.289285) starts from the middle of the ranges and from points of the Halton
//! sequence (Halton 1960, doi:10.1007/BF01386213). The best of the poses found is the one whose links keep distance from the table,
//! from each other and from the joint limits, and stay in the plane of the arm.

use nalgebra::{Matrix6, Vector3, Vector6};

use super::kinematics::{Chain, Posture};

/// Targets of the flange, in the frame of the mount [m]. The nearer targets are for short arms.
const TARGETS: [[f64; 3]; 4] = [
    [0.5, 0.0, 0.42],
    [0.4, 0.0, 0.38],
    [0.3, 0.0, 0.33],
    [0.2, 0.0, 0.28],
];

const N_STARTS: usize = 64;
const MAX_ITERATIONS: usize = 150;
/// Tolerance of a pose [m; rad].
const TOLERANCE: f64 = 1e-4;
/// Upper limit of the change of a joint per iteration [rad or m].
const MAX_CHANGE: f64 = 0.2;
/// Height above the mount below which links count as close to the table [m].
const LOW: f64 = 0.2;
/// Distance below which links count as close to each other [m].
const CLOSE: f64 = 0.15;
/// Bases of the Halton sequence.
const BASES: [usize; 8] = [2, 3, 5, 7, 11, 13, 17, 19];

/// Joint positions with the flange in front of the arm, pointing down; `None` if no pose is found.
pub(super) fn above_table(chain: &Chain) -> Option<Vec<f64>> {
    TARGETS
        .iter()
        .find_map(|&target| best_pose(chain, Vector3::from(target)))
}

fn best_pose(chain: &Chain, target: Vector3<f64>) -> Option<Vec<f64>> {
    (0..N_STARTS)
        .filter_map(|index| solve(chain, start(chain, index), target))
        .map(|positions| (cost(chain, &positions), positions))
        .min_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, positions)| positions)
}

/// Start `index`: first the middle of the ranges, then points of the Halton sequence.
fn start(chain: &Chain, index: usize) -> Vec<f64> {
    let share = |joint: usize| {
        if index == 0 {
            0.5
        } else {
            halton(index, BASES[joint % BASES.len()])
        }
    };
    let within = |(joint, &[low, high]): (usize, &[f64; 2])| low + (high - low) * share(joint);
    chain.ranges.iter().enumerate().map(within).collect()
}

fn halton(mut index: usize, base: usize) -> f64 {
    let (mut fraction, mut value) = (1.0, 0.0);
    while index > 0 {
        fraction /= base as f64;
        value += fraction * (index % base) as f64;
        index /= base;
    }
    value
}

/// Iterates from a start until the flange is at the target.
fn solve(chain: &Chain, mut positions: Vec<f64>, target: Vector3<f64>) -> Option<Vec<f64>> {
    for _ in 0..MAX_ITERATIONS {
        let posture = chain.posture(&positions);
        let error = error(&posture, target);
        if error.norm() < TOLERANCE {
            return Some(positions);
        }
        let jacobian = &posture.jacobian;
        let damping = 1e-6 + 0.1 * error.norm_squared();
        let gram = jacobian * jacobian.transpose() + Matrix6::identity() * damping;
        let change = jacobian.transpose() * gram.cholesky()?.solve(&error);
        let shrink = f64::min(1.0, MAX_CHANGE / change.amax().max(f64::MIN_POSITIVE));
        for ((position, change), [low, high]) in
            positions.iter_mut().zip(change.iter()).zip(&chain.ranges)
        {
            *position = (*position + change * shrink).clamp(*low, *high);
        }
    }
    None
}

/// Error to the target: position, and the rotation that makes the flange point down. The rotation about its own axis is free.
fn error(posture: &Posture, target: Vector3<f64>) -> Vector6<f64> {
    let pose = &posture.mount_from_flange;
    let position = target - pose.translation.vector;
    let pointing = pose.rotation * Vector3::z();
    let down = -Vector3::z();
    let turn = pointing.cross(&down);
    let sine = turn.norm();
    let turn = if sine > 1e-9 {
        turn * (sine.atan2(pointing.dot(&down)) / sine)
    } else if pointing.dot(&down) > 0.0 {
        Vector3::zeros()
    } else {
        Vector3::y() * std::f64::consts::PI // straight up: over the front
    };
    Vector6::new(position.x, position.y, position.z, turn.x, turn.y, turn.z)
}

/// Cost of a pose; smaller is better.
fn cost(chain: &Chain, positions: &[f64]) -> f64 {
    let off_centre: f64 = positions
        .iter()
        .zip(&chain.ranges)
        .map(|(position, [low, high])| {
            let half = (0.5 * (high - low)).max(f64::MIN_POSITIVE);
            let share = (position - 0.5 * (low + high)) / half;
            share.powi(2) + 10.0 * (share.abs() - 0.9).max(0.0)
        })
        .sum();
    let points = corners(&chain.posture(positions));
    let low: f64 = points.iter().map(|point| (LOW - point.z).max(0.0)).sum();
    let aside: f64 = points.iter().map(|point| point.y.abs()).sum();
    let mut close = 0.0;
    for (index, point) in points.iter().enumerate() {
        for other in points.iter().skip(index + 2) {
            close += (CLOSE - (point - other).norm()).max(0.0);
        }
    }
    0.1 * off_centre + 20.0 * low + aside + 10.0 * close
}

/// Distinct origins of links, except those at the base.
fn corners(posture: &Posture) -> Vec<Vector3<f64>> {
    const APART: f64 = 0.05;
    let mut corners: Vec<Vector3<f64>> = Vec::new();
    for point in &posture.points {
        let last = corners.last().copied().unwrap_or_default();
        if (point.coords - last).norm() > APART {
            corners.push(point.coords);
        }
    }
    let first = usize::from(corners.len() > 1); // the shoulder does not move
    corners.split_off(first)
}
