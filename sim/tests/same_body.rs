//! Contract: one body of one material, pressed by one ball, gives the same force with every solver: particles, compliant tetrahedra, and
//! MuJoCo's own finite elements.

mod pressed_box;

use pressed_box::forces;

/// Within 10 % of each other at a depth of 4 mm, 1/20 of the height. Coarse elements of `flex` are too stiff. Under pressure MuJoCo's
/// Saint Venant–Kirchhoff law softens, while the neo-Hookean law stiffens. Each effect is a few percent here.
#[test]
fn three_solvers_give_the_same_force() {
    // In parallel: each solver takes most of a minute.
    let found = std::thread::scope(|scope| {
        let solvers = [("mpm", 4), ("xpbd", 4), ("flex", 12)];
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
