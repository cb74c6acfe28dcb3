//! The benchmark scene agrees with other programs.

use insonate_tissue::SoftTissue as _;
use insonate_tissue::xpbd::BenchScene;

/// Mean position after 60 frames [m] in Warp 1.19, with the same method in f32.
const MEANS: [(usize, [f64; 3]); 2] = [
    (1170, [8.5962e-4, 6.9220e-4, 2.87167e-2]),
    (2880, [3.52973e-3, 7.7295e-4, 5.35940e-2]),
];

/// Mean position within 20 µm.
#[test]
fn the_scene_of_the_benchmarks_agrees_with_warp() {
    for (n_tets, wanted) in MEANS {
        let scene = BenchScene::new(n_tets, 10).unwrap();
        let mut world = scene.world(1).unwrap();
        for frame in 0..60 {
            scene.step(&mut world, frame).unwrap();
        }
        let positions = world.positions();
        for axis in 0..3 {
            let sum: f64 = positions.iter().map(|p| p[axis]).sum();
            let mean = sum / positions.len() as f64;
            // 600 substeps in f32, with sums in another order.
            assert!(
                (mean - wanted[axis]).abs() < 2e-5,
                "{n_tets}, axis {axis}: {mean} {}",
                wanted[axis]
            );
        }
    }
}
