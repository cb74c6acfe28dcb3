//! Contract: behind gas there is haze: tissue in front of its surface appears again behind it, as in a rough mirror. Behind bone nothing appears again.

use insonate_ultrasound::deformation::Rigid;
use insonate_ultrasound::material::{BONE, LUNG, SOFT_TISSUE};
use insonate_ultrasound::phantom::Block;
use insonate_ultrasound::transducer::c5_2;
use insonate_ultrasound::{BMode, Material, Settings, View};
use nalgebra::Isometry3;

/// Depth of the surface [m].
const SURFACE: f32 = 0.05;
const FLUID: Material = Material {
    backscatter: f32::NEG_INFINITY,
    ..SOFT_TISSUE
};

/// Level of the speckle about depths [m] on the lines about the middle, which meet layers upright [dB].
fn levels(layers: &[(Material, f32)], depths: &[f64]) -> Vec<f64> {
    let transducer = c5_2();
    let mut powers = vec![0.0; depths.len()];
    for speckle_seed in 0..8 {
        let settings = Settings {
            n_lines: 65,
            n_samples: 1000,
            depth: 0.1,
            speckle_seed,
            ..Settings::bare(&transducer)
        };
        let mut b_mode = BMode::new(&transducer, &settings).expect("the settings are valid");
        let (block, rigid) = (Block::layers(layers), Rigid::default());
        let view = View::new(&block, &rigid, &Isometry3::identity()).expect("the pose is valid");
        let frame = b_mode.frame(&view, 0);
        for (power, depth) in powers.iter_mut().zip(depths) {
            let middle = (depth / frame.step) as usize;
            for line in 30..35 {
                let levels = frame.line(line)[middle - 20..middle + 20].iter();
                *power += levels
                    .map(|level| 10f64.powf(0.1 * f64::from(*level)))
                    .sum::<f64>();
            }
        }
    }
    powers.iter().map(|power| 10.0 * power.log10()).collect()
}

/// Without the surface, sound would go straight on: the same length in the same tissue.
#[test]
fn tissue_appears_again_behind_gas() {
    // Far from the surface's own repetitions, at 0.1 m.
    let depths = [0.058, 0.065, 0.072, 0.08];
    let straight = levels(&[(SOFT_TISSUE, 1.0)], &depths);
    let behind = levels(&[(SOFT_TISSUE, SURFACE), (LUNG, 1.0)], &depths);
    for ((depth, straight), behind) in depths.iter().zip(&straight).zip(&behind) {
        let found = behind - straight;
        eprintln!("{depth} m: {found:.1} dB");
        // The chosen −14 dB of a rough mirror.
        assert!((found + 14.0).abs() < 1.0, "{depth}: {found}");
    }
}

#[test]
fn fluid_in_front_of_gas_is_dark_behind_it_too() {
    // Fluid from 30 to 42 mm: mirrored at 50 mm to 58 to 70 mm.
    let layers = [
        (SOFT_TISSUE, 0.03),
        (FLUID, 0.042),
        (SOFT_TISSUE, SURFACE),
        (LUNG, 1.0),
    ];
    let found = levels(&layers, &[0.053, 0.064, 0.077]);
    eprintln!("{found:.1?}");
    assert!(
        found[1] < found[0] - 20.0 && found[1] < found[2] - 10.0,
        "{found:?}"
    );
}

#[test]
fn shadows_of_bone_are_clean() {
    let found = |material| levels(&[(SOFT_TISSUE, SURFACE), (material, 1.0)], &[0.065])[0];
    let (bone, gas) = (found(BONE), found(LUNG));
    assert!(bone < gas - 30.0, "{bone} {gas}");
}
