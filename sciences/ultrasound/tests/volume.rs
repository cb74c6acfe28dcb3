//! Frames of sweeps, compounded into volumes.

use insonate_models::probes::l12_5;
use insonate_ultrasound::deformation::{Point, Rigid};
use insonate_ultrasound::phantom::Block;
use insonate_ultrasound::volume::Volume;
use insonate_ultrasound::{BMode, Settings, View};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

#[test]
fn a_point_is_bright_where_it_is() {
    let transducer = l12_5().transducer;
    let settings = Settings {
        n_lines: 64,
        n_samples: 256,
        depth: 0.04,
        gain: -56.0,
        ..Settings::bare(&transducer)
    };
    let mut b_mode = BMode::new(&transducer, &settings).expect("the settings are valid");
    // 20 mm below the origin of the probe's frame.
    let block = Block::points(&[0.02], settings.speed_of_sound as f32, 0.0);
    // The volume's frame is displaced by 0.1 m and turned by a quarter about the probe's axis.
    let turn =
        UnitQuaternion::from_axis_angle(&nalgebra::Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    let pose = Isometry3::from_parts(Translation3::new(0.1005, 0.0, 0.0), turn);
    let (low, high) = (Point::new(0.09, -0.02, 0.0), Point::new(0.11, 0.02, 0.04));
    let mut volume = Volume::new(&b_mode, low, high, 0.001).expect("the box is valid");
    let still = Rigid::default();
    let view = View::new(&block, &still, &Isometry3::identity()).expect("the pose is valid");
    let frame = b_mode.frame(&view, 0).clone();
    volume.add(&b_mode, &frame, &pose);

    let [nx, ny] = [20, 40];
    let grey = volume.grey();
    // Below the ring-down.
    let below: Vec<usize> = (0..grey.len()).filter(|at| at / (nx * ny) >= 5).collect();
    let most = below.iter().map(|&at| grey[at]).max().unwrap_or(0);
    assert!((20..255).contains(&most), "{most}");
    let bright: Vec<usize> = below
        .into_iter()
        .filter(|&at| grey[at] > most / 2)
        .collect();
    assert!((1..40).contains(&bright.len()), "{bright:?}");
    for (axis, wanted) in [0.1005, 0.0, 0.02].into_iter().enumerate() {
        let place = |at: &usize| [at % nx, at / nx % ny, at / (nx * ny)][axis] as f32 + 0.5;
        let mean = bright.iter().map(place).sum::<f32>() / bright.len() as f32;
        let found = low[axis] + 0.001 * mean;
        assert!((found - wanted).abs() < 0.0011, "{axis}: {found} {wanted}");
    }
    // The plane is one voxel thick; the array covers most of its length.
    let seen = grey.iter().filter(|level| **level > 0).count();
    assert!((1000..=40 * 40).contains(&seen), "{seen}");

    // The file holds the filled part.
    let file = volume.to_nrrd();
    let end = file.windows(2).position(|pair| pair == b"\n\n");
    let end = end.expect("a header ends");
    let header = String::from_utf8_lossy(&file[..end]);
    assert!(header.contains("sizes: 1 "), "{header}");
    assert!(header.contains("space origin: (100.500,0.500,"), "{header}");
    let voxels: Vec<u8> = grey.iter().copied().filter(|level| *level > 0).collect();
    let written = file[end + 2..].iter().copied().filter(|level| *level > 0);
    assert_eq!(written.collect::<Vec<u8>>(), voxels);
}

#[test]
fn gaps_between_frames_are_filled() {
    let transducer = l12_5().transducer;
    let settings = Settings {
        n_lines: 64,
        n_samples: 256,
        depth: 0.02,
        ..Settings::of(&transducer)
    };
    let mut b_mode = BMode::new(&transducer, &settings).expect("the settings are valid");
    let block = Block::uniform(insonate_ultrasound::material::SOFT_TISSUE);
    let (low, high) = (Point::new(-0.01, -0.01, 0.0), Point::new(0.01, 0.01, 0.02));
    let mut volume = Volume::new(&b_mode, low, high, 0.001).expect("the box is valid");
    for y in [-0.0045, -0.0025] {
        let still = Rigid::default();
        let pose = Isometry3::translation(0.0, y, 0.0);
        let view = View::new(&block, &still, &pose).expect("the pose is valid");
        let frame = b_mode.frame(&view, 0).clone();
        volume.add(&b_mode, &frame, &pose);
    }
    let row = |y: usize| 10 * 400 + 20 * y + 10;
    assert!(volume.grey()[row(5)] > 0 && volume.grey()[row(6)] == 0);
    volume.fill();
    let grey = volume.grey();
    let [before, filled, after] = [5, 6, 7].map(|y| grey[row(y)]);
    assert!(
        (before.min(after)..=before.max(after)).contains(&filled),
        "{before} {filled} {after}"
    );
    assert_eq!(grey[row(12)], 0, "nothing was seen nearby");
}

#[test]
fn invalid_boxes_are_refused() {
    let transducer = l12_5().transducer;
    let b_mode = BMode::new(&transducer, &Settings::bare(&transducer)).expect("settings are valid");
    let volume = |high: Point, width: f32| Volume::new(&b_mode, Point::origin(), high, width);
    assert!(volume(Point::new(0.1, 0.1, 0.1), 1e-6).is_err());
    assert!(volume(Point::new(-0.1, 0.1, 0.1), 1e-3).is_err());
    assert!(volume(Point::new(f32::NAN, 0.1, 0.1), 1e-3).is_err());
    assert!(volume(Point::new(1.0, 1.0, 1.0), 1e-3).is_err());
}
