//! Prints the force of a pressed box on a ball, by solver, spacings over its height and depth: the table of `docs/why/tissue.md`.
//!
//! `cargo run --release -p insonate-sim --example same_body` (ten minutes)

#![expect(clippy::print_stdout, reason = "the table is the result")]

#[path = "../tests/pressed_box/mod.rs"]
mod pressed_box;

fn main() {
    for (solver, all_spacings) in [
        ("mpm", &[4, 6][..]),
        ("xpbd", &[4, 6, 8]),
        ("flex", &[4, 6, 8, 12]),
    ] {
        for &n_spacings in all_spacings {
            let forces = pressed_box::forces(n_spacings, solver, &[0.002, 0.004, 0.006]);
            println!("{solver}, {n_spacings} spacings: {forces:.2?} N");
        }
    }
}
