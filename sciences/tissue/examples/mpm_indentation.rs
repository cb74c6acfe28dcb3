//! Prints the relative error of the particles' force on a ball and a flat punch against finite elements, for several
//! cell widths.
//!
//! `cargo run --release -p insonate-tissue --example mpm_indentation` (minutes)

#![expect(clippy::print_stdout, reason = "the table is the result")]

#[path = "../tests/finite_elements/mod.rs"]
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod finite_elements;
#[path = "../tests/mpm_indentation/mod.rs"]
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod mpm_indentation;
#[path = "../tests/physics_blocks/mod.rs"]
#[expect(clippy::pedantic, dead_code, reason = "shared by several tests")]
mod physics_blocks;

use insonate_tissue::mpm::Formulation;
use mpm_indentation::{ball, punch};

fn main() {
    let cells = [0.014, 0.01, 0.007, 0.005, 0.0035];
    for formulation in [Formulation::UpdatedLagrangian, Formulation::TotalLagrangian] {
        let errors = [
            ("ball", ball(formulation, &cells)),
            ("punch", punch(formulation, &cells)),
        ];
        for (name, (errors, order)) in errors {
            println!(
                "{name}, {formulation:?}, cells of {cells:?} m: {errors:+.4?}, order {order:.2}"
            );
        }
    }
}
