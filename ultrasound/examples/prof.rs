//! scratch
use insonate_ultrasound::deformation::*;
use insonate_ultrasound::phantom::*;
use insonate_ultrasound::transducer::*;
use insonate_ultrasound::*;
fn main() {
    for name in ["c5-2", "l12-5"] {
        let t = by_name(name).unwrap();
        let s = Settings {
            n_samples: 512,
            ..Settings::bare(&t)
        };
        let mut b = BMode::new(&t, &s).unwrap();
        for m in [
            Material {
                attenuation: 0.0,
                ..material::SOFT_TISSUE
            },
            material::URINE,
        ] {
            let block = Block::uniform(m);
            let rigid = Rigid::default();
            let pose = nalgebra::Isometry3::identity();
            let view = View::new(&block, &rigid, &pose).unwrap();
            let mut best = f64::MAX;
            for i in 0..20 {
                let now = std::time::Instant::now();
                b.frame(&view, i);
                best = best.min(now.elapsed().as_secs_f64());
            }
            println!("{name} frame {:.2} ms", best * 1e3);
        }
    }
}
