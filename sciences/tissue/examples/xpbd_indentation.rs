//! Prints the errors of the force on a ball and on a flat punch for increasingly fine tetrahedra, for
//! `docs/trust/tissue.md`.

#![expect(clippy::print_stdout, reason = "it prints a table")]
#![expect(clippy::unwrap_used, reason = "shared with tests")]

#[path = "../tests/finite_elements/mod.rs"]
#[expect(clippy::pedantic, reason = "shared with tests")]
mod finite_elements;
#[path = "../tests/xpbd_blocks/mod.rs"]
#[expect(clippy::pedantic, reason = "shared with tests")]
mod xpbd_blocks;
#[path = "../tests/xpbd_indentation/mod.rs"]
mod xpbd_indentation;

use xpbd_indentation::{ball, other_ball, other_punch, punch};

/// Widths of the cells below the tool [m].
const CELLS: [f64; 6] = [0.01, 0.0055, 0.005, 0.0045, 0.003, 0.0018];

fn main() {
    println!("cells [mm]     ball [%]    punch [%]   another layer: ball [%]    punch [%]");
    for cell in CELLS {
        let errors = [ball, punch, other_ball, other_punch].map(|error| 1e2 * error(cell));
        let [ball, punch, other_ball, other_punch] = errors;
        println!(
            "{:10.1} {ball:+12.1} {punch:+12.1} {other_ball:+25.1} {other_punch:+12.1}",
            1e3 * cell
        );
    }
}
