//! scratch
use insonate_ultrasound::deformation::*;
use insonate_ultrasound::measure::*;
use insonate_ultrasound::phantom::*;
use insonate_ultrasound::transducer::*;
use insonate_ultrasound::*;
fn main() {
    for (name, depths) in [
        ("l11-5v", [0.015, 0.03, 0.045]),
        ("c5-2", [0.04, 0.08, 0.12]),
    ] {
        let t = by_name(name).unwrap();
        for transmit in [
            None,
            Some(beam::TransmitFocus {
                depth: depths[1],
                f_number: 2.0,
            }),
        ] {
            let s = Settings {
                n_lines: 1023,
                focusing: beam::Focusing {
                    transmit,
                    receive_f_number: 1.5,
                },
                ..Settings::bare(&t)
            };
            for p in point_targets(&t, &s, &depths).unwrap() {
                println!("{name} {p:?}");
            }
        }
    }
    for name in ["c5-2", "l12-5"] {
        let t = by_name(name).unwrap();
        let s = Settings {
            n_samples: 512,
            ..Settings::bare(&t)
        };
        let now = std::time::Instant::now();
        let mut b = BMode::new(&t, &s).unwrap();
        println!("new {:?}", now.elapsed());
        let block = Block::uniform(Material {
            attenuation: 0.0,
            ..material::SOFT_TISSUE
        });
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
        let f = b.frame(&view, 0).clone();
        for k in 0..8 {
            let (a, z) = (
                f.n_samples * k / 8 + if k == 0 { 40 } else { 0 },
                f.n_samples * (k + 1) / 8,
            );
            let st = speckle_statistics(
                (20..f.n_lines - 20).flat_map(|l| f.line(l)[a..z].iter().copied()),
            );
            println!("{k} {st:?}");
        }
        println!("{:?}", attenuation_slope(&t, &s, 0.5));
    }
}
