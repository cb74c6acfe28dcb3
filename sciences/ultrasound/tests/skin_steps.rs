//! Contract: voxel steps in a skin that is smooth in reality leave no air within the contact; gaps of several voxels remain.

use insonate_ultrasound::deformation::{Indentation, Point, Rigid};
use insonate_ultrasound::material::{AIR, MUSCLE, SOFT_TISSUE};
use insonate_ultrasound::phantom::LabelVolume;
use insonate_ultrasound::phantom::labels::{LabelImage, MaterialTable, VoxelFrame};
use insonate_ultrasound::transducer::{Transducer, by_name};
use insonate_ultrasound::{BMode, Frame, Settings, View};
use nalgebra::{Matrix3, Vector3};

/// A trunk of cubes with an edge [m]: an ellipse of 140 by 100 mm, minus a cut.
fn trunk(edge: f64, is_cut: impl Fn(&Point) -> bool) -> LabelVolume {
    let size = Vector3::new(0.156, 0.08, 0.116);
    let count = [0, 1, 2].map(|axis| (size[axis] / edge).ceil() as usize);
    let n = Vector3::from(count.map(|n| n as f64 - 1.0));
    let frame = VoxelFrame {
        origin: -0.5 * edge * n,
        steps: Matrix3::from_diagonal_element(edge),
    };
    let labels = (0..count.iter().product()).map(|at: usize| {
        let index = [
            at % count[0],
            at / count[0] % count[1],
            at / count[0] / count[1],
        ];
        let middle = frame.origin + edge * Vector3::from(index.map(|n| n as f64));
        let is_body = (middle.x / 0.07).powi(2) + (middle.z / 0.05).powi(2) < 1.0;
        i64::from(is_body && !is_cut(&Point::from(middle.cast::<f32>())))
    });
    let image = LabelImage::new(count, frame, &labels.collect::<Vec<_>>());
    let table = MaterialTable {
        outside: AIR,
        body: SOFT_TISSUE,
        labels: [(0, AIR), (1, MUSCLE)].into(),
    };
    LabelVolume::new(&image.expect("the volume is valid"), &table).expect("labels are known")
}

fn curved() -> Transducer {
    by_name("c5-2").expect("it is known")
}

/// Labels of a frame with an indentation of 13 mm at a site, turned by an angle [°].
fn pressed(volume: &LabelVolume, probe: &Transducer, site: [f64; 2], turn: f64) -> Frame {
    let settings = Settings {
        n_samples: 256,
        depth: 0.1,
        ..Settings::of(probe)
    };
    let pose = volume.probe_pose(site, turn.to_radians(), 0.013);
    let pose = pose.expect("there is skin");
    let decay = Indentation::<Rigid>::DECAY;
    let pressed = Indentation::new(Rigid::default(), volume, probe, &pose, decay);
    let pressed = pressed.expect("the test is valid");
    let view = View::new(volume, &pressed, &pose).expect("the test is valid");
    let mut b_mode = BMode::new(probe, &settings).expect("the test is valid");
    b_mode.labels(&view).clone()
}

/// Number of runs of lines without contact between lines with contact.
fn stripes(frame: &Frame) -> usize {
    let runs = frame.coupled.chunk_by(|a, b| a == b);
    let gaps: Vec<bool> = runs.map(|run| !run[0]).collect();
    let inside = gaps.len().saturating_sub(2);
    gaps.iter().skip(1).take(inside).filter(|gap| **gap).count()
}

#[test]
fn steps_of_voxels_leave_no_air_within_the_contact() {
    let smooth = trunk(0.6e-3, |_| false);
    let stepped = [1.5e-3, 3e-3].map(|edge| (edge, trunk(edge, |_| false)));
    for name in ["c5-2", "l12-5"] {
        let probe = by_name(name).expect("it is known");
        for (site, turn) in [
            ([-0.0377, 0.0007], 0.0),
            ([0.0, 0.0], 30.0),
            ([0.021, 0.0052], 90.0),
            ([0.045, -0.01], 0.0),
        ] {
            let wanted = pressed(&smooth, &probe, site, turn).contact_share();
            for (edge, volume) in &stepped {
                let found = pressed(volume, &probe, site, turn);
                let case = format!("{edge} m, {name} at {site:?}, {turn}°");
                assert_eq!(stripes(&found), 0, "{case}");
                // The contact share equals that on the smooth skin, within some voxels at its ends.
                let found = found.contact_share();
                assert!((wanted - found).abs() < 0.12, "{case}: {wanted} {found}");
            }
        }
    }
}

/// A slit of five voxels, deeper than the indentation.
#[test]
fn gaps_of_several_voxels_stay_gaps() {
    for edge in [1.5e-3, 2e-3] {
        let half = 2.5 * edge as f32;
        let volume = trunk(edge, |point| {
            (point.x - 0.012).abs() < half && point.z > 0.02
        });
        let frame = pressed(&volume, &curved(), [0.0, 0.0], 0.0);
        assert_eq!(stripes(&frame), 1, "{edge}");
    }
}
