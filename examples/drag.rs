//! Drags a C5-2 that is 10 mm deep along the patient and back, at 5 and 20 mm/s, on every kind of torso, and prints as JSON the force into
//! the skin and the drag: half the difference of the forces along the path there and back, over its middle.
//!
//! `cargo run --release --example drag -- [KIND…]`

#![expect(clippy::print_stdout, reason = "the JSON is the result")]

use std::ops::ControlFlow::Continue;

use anyhow::Context as _;
use insonate::experiments::follow_poses;
use insonate::models::SceneConfig;
use insonate::models::torsos::{self, TorsoKind};
use insonate::sim::Pose;
use nalgebra::{UnitQuaternion, Vector3};
use serde::Serialize;

const DEPTH: f64 = 0.01;
/// Speeds of the table [m/s].
const SPEEDS: [f64; 2] = [0.005, 0.02];
/// Ends of the path along the patient [m].
const ENDS: [f64; 2] = [-0.02, 0.02];
/// Time between samples [s].
const STEP: f64 = 0.01;

#[derive(Serialize)]
struct Row {
    torso: &'static str,
    /// Mean force into the skin at the higher speed [N].
    force_n: f64,
    /// Mean force against the motion at each of [`SPEEDS`] [N].
    drag_n: [f64; 2],
}

fn main() -> anyhow::Result<()> {
    let mut kinds = std::env::args()
        .skip(1)
        .map(|name| torsos::by_name(&name))
        .collect::<Result<Vec<&TorsoKind>, _>>()?;
    if kinds.is_empty() {
        kinds.extend(torsos::ALL);
    }
    let rows = kinds
        .into_iter()
        .map(drag)
        .collect::<anyhow::Result<Vec<Row>>>()?;
    println!("{}", serde_json::to_string_pretty(&rows)?);
    Ok(())
}

fn drag(kind: &TorsoKind) -> anyhow::Result<Row> {
    let config = SceneConfig {
        torso: kind.name.to_owned(),
        active_radius: kind.is_tissue().then_some(f64::INFINITY),
        ..SceneConfig::default()
    };
    let scene = config.build()?;
    let top = scene
        .surface_above(0.0, 0.0)
        .context("the torso has a top")?;
    let origin = scene.torso_position;
    // Face down, with its long side across the patient.
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let mut row = Row {
        torso: kind.name,
        force_n: 0.0,
        drag_n: [0.0; 2],
    };
    for (speed, drag) in SPEEDS.iter().zip(&mut row.drag_n) {
        let n_steps = ((ENDS[1] - ENDS[0]) / (speed * STEP)).round() as usize;
        let poses: Vec<Pose> = (0..=n_steps)
            .chain((0..n_steps).rev())
            .map(|step| {
                let along = ENDS[0] + speed * STEP * step as f64;
                Pose {
                    position: Vector3::new(origin[0], origin[1] + along, top.position[2] - DEPTH),
                    rotation,
                }
            })
            .collect();
        let time: Vec<f64> = (0..poses.len()).map(|row| STEP * row as f64).collect();
        let states = follow_poses(&scene, &time, &poses, &mut |_| Continue(()))?;
        // The same places both ways, after the tissue has adapted to the direction.
        let mean = |from: usize| {
            let part = &states[from..from + n_steps / 2];
            let forces = part
                .iter()
                .map(|state| state.world_from_probe.rotation * state.force);
            forces.sum::<Vector3<f64>>() / part.len() as f64
        };
        let [there, back] = [mean(n_steps / 4), mean(n_steps + n_steps / 4)];
        row.force_n = -0.5 * (there.z + back.z);
        *drag = 0.5 * (there.y - back.y);
        eprintln!(
            "{} at {speed} m/s: {:.2} N, drag {drag:.3} N",
            kind.name, row.force_n
        );
    }
    Ok(row)
}
