//! Contract: one body of one material, pressed by one ball, pushes back alike whoever steps it: particles, compliant tetrahedra, or
//! MuJoCo's own finite elements.

mod pressed_box;

use pressed_box::forces;

/// Within 10 % of each other, 4 mm deep, a twentieth of the height. Elements of four corners are too stiff while they are wide, and MuJoCo's law, Saint
/// Venant–Kirchhoff's, grows softer under pressure where the neo-Hookean one grows stiffer: each is some parts in a hundred here.
#[test]
fn the_three_push_back_alike() {
    // At the same time: each takes most of a minute.
    let found = std::thread::scope(|scope| {
        let solvers = [("mpm", 4), ("xpbd", 8), ("flex", 12)];
        let presses = solvers.map(|(word, n_spacings)| {
            (
                word,
                scope.spawn(move || forces(n_spacings, word, &[0.004])[0]),
            )
        });
        presses.map(|(word, press)| (word, press.join().expect("a press ends")))
    });
    eprintln!("4 mm deep: {found:.2?} N");
    for (word, force) in found {
        for (other, its) in found {
            assert!(
                force / its < 1.1,
                "{word} gives {force:.2} N, {other} {its:.2} N"
            );
        }
    }
}
