//! Derives the parameters of `classic()` from those of `identified()`: physically feasible bodies with the same torques.
//!
//! `cargo run --release -p insonate-dvrk --example physical_parameters` prints the table of `src/parameters/classic.rs`.

#![expect(clippy::print_stdout, reason = "it prints a table")]

use insonate_dvrk::{Inertia, identified};

fn main() {
    let mut psm = identified();
    // Links 4 and 5 only translate and yaw about x: their inertia about y and z is set to that of bars.
    for (link, moment) in [(4, 0.0616), (5, 0.01)] {
        let old = psm.links[link].inertia;
        let about = old.about_its_centre();
        let entries = [
            about[(0, 0)],
            about[(0, 1)],
            about[(0, 2)],
            moment,
            about[(1, 2)],
            moment,
        ];
        psm.links[link].inertia = Inertia::about_centre(old.mass, old.centre().into(), entries);
    }
    let physical = psm.with_physical_links().expect("there are such bodies");
    for link in [1, 2, 4, 5, 6, 7, 8, 9] {
        let inertia = physical.links[link].inertia;
        println!("    ({link}, {:?}),", inertia.to_parameters().as_slice());
        eprintln!(
            "link {link}: {:.4} kg at {:.4?} m, smallest pseudo-inertia {:.2e}",
            inertia.mass,
            inertia.centre().as_slice(),
            inertia.feasibility()
        );
    }
}
