//! Builds a scene in Rust, modifies it, and reads the contact force.
//!
//! `cargo run --release --example own_scene`

use std::ops::ControlFlow::Continue;

use insonate::experiments::{Pictures, Scan, scan};
use insonate::models::torsos::{Breathing, Shape, Softness};
use insonate::models::{RobotChoice, SceneConfig, SoftnessChoice, mjcf::Geom};

fn main() -> anyhow::Result<()> {
    let config = SceneConfig {
        robot: RobotChoice::Named("ur5e".to_owned()),
        probe: "l12-5".to_owned(),
        shape: Shape::Human,
        softness: SoftnessChoice::Values(Softness {
            stiffness: 900.0,
            damping: 12.0,
        }),
        breathing: Some(Breathing {
            rate: 0.25,
            amplitude: 0.01,
        }),
        ..SceneConfig::default()
    };
    let mut scene = config.build()?;
    // Parts may be extended before they are assembled.
    scene.arena.mjcf.worldbody().add(
        Geom::cuboid([0.1, 0.1, 0.4])
            .name("cart")
            .pos([0.6, 0.9, 0.4]),
    );

    let path = Scan {
        from: [0.0, -0.05],
        to: [0.0, 0.05],
        force: 6.0,
        ..Scan::default()
    };
    let (record, summary) = scan(&scene, &path, &mut Pictures::none(), &mut |_| Continue(()))?;
    let deepest = record
        .samples
        .iter()
        .map(|sample| sample.indentation)
        .fold(0.0, f64::max);
    eprintln!(
        "force error {:.2} N, deepest dent {:.1} mm",
        summary.force_mae_n,
        1e3 * deepest
    );
    Ok(())
}
