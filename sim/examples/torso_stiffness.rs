//! Prints the ratio of the secant stiffness of tissue torsos to the configured stiffness, at 1, 1.5 and 2 cm: the table to which
//! `models/src/torsos/tissue.rs` was fitted.
//!
//! `cargo run --release -p insonate-sim --example torso_stiffness` (minutes)

#![expect(clippy::print_stdout, reason = "the table is the result")]

#[path = "../tests/stand/mod.rs"]
mod stand;

use insonate_models::torsos::{Shape, TorsoConfig, elastic, mpm, xpbd};
use stand::stiffness_ratio;

/// The default torso with another lattice.
fn lattice(count: [usize; 3], spacing: f64) -> TorsoConfig {
    TorsoConfig {
        count,
        spacing,
        ..TorsoConfig::default()
    }
}

/// The default torso of another shape.
fn shape(shape: Shape) -> TorsoConfig {
    TorsoConfig {
        shape,
        ..TorsoConfig::default()
    }
}

fn main() {
    let configs = [
        ("default", TorsoConfig::default()),
        ("11 × 5 × 14 at 27 mm", lattice([11, 5, 14], 0.027)),
        ("7 × 3 × 8 at 47 mm", lattice([7, 3, 8], 0.047)),
        ("9 × 5 × 11 at 35 mm", lattice([9, 5, 11], 0.035)),
        ("9 × 3 × 11 at 35 mm", lattice([9, 3, 11], 0.035)),
        ("box", shape(Shape::Box)),
        ("ellipsoid", shape(Shape::Ellipsoid)),
    ];
    for (name, config) in &configs {
        for torso in [elastic(config), mpm(config), xpbd(config)] {
            let torso = torso.expect("the torso is possible");
            let solver = torso.name;
            let (mut physics, readings) = stand::compiled(&stand::stand(torso));
            let ratios = [0.01, 0.015, 0.02]
                .map(|depth| stiffness_ratio(&mut physics, &readings, config, depth));
            println!("{solver}, {name}: {ratios:.3?}");
        }
    }
}
