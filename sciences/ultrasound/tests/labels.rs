//! Contract: a label volume gives the same picture as the phantom that it samples; clearances are safe; normals match the surface.

use insonate_ultrasound::deformation::{Point, Rigid, Vector};
use insonate_ultrasound::material::{AIR, FAT, GEL, LIVER, MUSCLE, SOFT_TISSUE, URINE};
use insonate_ultrasound::phantom::labels::{LabelImage, MaterialTable, VoxelFrame};
use insonate_ultrasound::phantom::{Block, LabelVolume, Phantom};
use insonate_ultrasound::transducer::l11_5v;
use insonate_ultrasound::{BMode, Frame, Material, Settings, View};
use nalgebra::{Isometry3, Matrix3, Rotation3, Vector3};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

fn image(count: [usize; 3], frame: VoxelFrame, label: impl Fn(&Point) -> i64) -> LabelImage {
    let mut labels = Vec::new();
    for z in 0..count[2] {
        for y in 0..count[1] {
            for x in 0..count[0] {
                let index = Vector3::new(x as f64, y as f64, z as f64);
                let middle = frame.origin + frame.steps * index;
                labels.push(label(&Point::from(middle.cast::<f32>())));
            }
        }
    }
    LabelImage::new(count, frame, &labels).expect("the test is valid")
}

fn table(outside: Material, labels: &[(i64, Material)]) -> MaterialTable {
    MaterialTable {
        outside,
        body: SOFT_TISSUE,
        labels: labels.iter().copied().collect(),
    }
}

fn imaged(phantom: &dyn Phantom) -> Frame {
    let settings = Settings {
        n_lines: 128,
        n_samples: 512,
        depth: 0.04,
        ..Settings::of(&l11_5v())
    };
    let mut b_mode = BMode::new(&l11_5v(), &settings).expect("the test is valid");
    let rigid = Rigid::default();
    let view = View::new(phantom, &rigid, &Isometry3::identity()).expect("the test is valid");
    b_mode.frame(&view, 0).clone()
}

/// Layers end between voxels, so that they are identical; the rod's wall has steps of a voxel, 0.1 mm, about half a wavelength.
#[test]
fn a_sampled_block_shows_what_the_block_shows() {
    let block = Block::layers(&[(GEL, 0.002), (FAT, 0.012), (MUSCLE, 1.0)]).with_rod(
        URINE,
        [0.003, 0.025],
        0.006,
    );
    let frame = VoxelFrame {
        origin: Vector3::new(-0.02195, -0.0195, 0.00005),
        steps: Matrix3::from_diagonal(&Vector3::new(1e-4, 3e-3, 1e-4)),
    };
    let image = image([440, 14, 410], frame, |point| {
        i64::from(block.place(point).material)
    });
    let labels: Vec<(i64, Material)> = (0..).zip(block.materials.iter().copied()).collect();
    let volume = LabelVolume::new(&image, &table(GEL, &labels)).expect("the test is valid");
    let (wanted, found) = (imaged(&block), imaged(&volume));
    let name = |phantom: &dyn Phantom, label: u8| phantom.materials()[usize::from(label)].name;
    let n = wanted.labels.len();
    let other = (0..n)
        .filter(|&at| name(&block, wanted.labels[at]) != name(&volume, found.labels[at]))
        .count();
    // A sample is 0.08 mm long, and each line crosses the rod's wall twice.
    assert!(other < n / 200, "{other} of {n} labels differ");
    let apart = |at: &usize| (wanted.envelope[*at] - found.envelope[*at]).abs();
    // Above the rod, boundaries lie between voxels, where both clearances are exact.
    let rod_starts = (0.0185 / wanted.step) as usize;
    let above: Vec<f32> = (0..n)
        .filter(|at| at % wanted.n_samples < rod_starts)
        .map(|at| apart(&at))
        .collect();
    let square = above.iter().map(|apart| apart * apart).sum::<f32>() / above.len() as f32;
    assert!(square.sqrt() < 0.01, "{} dB above the rod", square.sqrt());
    let mean = (0..n).map(|at| apart(&at)).sum::<f32>() / n as f32;
    assert!(mean < 0.5, "{mean} dB on average");
}

fn oblique(edges: [f64; 3]) -> VoxelFrame {
    let turn = Rotation3::from_euler_angles(0.3, -0.5, 1.1);
    let mut steps = turn.matrix() * Matrix3::from_diagonal(&Vector3::from(edges));
    // Also skewed by a fifth.
    let skew = 0.2 * steps.column(0);
    let mut third = steps.column_mut(2);
    third += skew;
    VoxelFrame {
        origin: Vector3::new(0.01, -0.02, 0.03),
        steps,
    }
}

#[test]
fn nothing_else_is_within_the_clearance() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for edges in [[1e-3; 3], [0.7e-3, 0.7e-3, 3e-3], [2e-3, 0.3e-3, 0.5e-3]] {
        let frame = oblique(edges);
        let count = [24, 20, 16];
        let size = frame.steps * Vector3::new(24.0, 20.0, 16.0);
        let seeds: Vec<(Vector, i64)> = (0..6)
            .map(|label| {
                let share = Vector3::from_fn(|_, _| rng.random_range(0.0..1.0));
                let place = frame.origin
                    + frame.steps * Vector3::new(24.0 * share.x, 20.0 * share.y, 16.0 * share.z);
                (place.cast(), label % 4)
            })
            .collect();
        let nearest = |point: &Point| {
            let square = |seed: &(Vector, i64)| (point.coords - seed.0).norm_squared();
            let best = seeds.iter().min_by(|a, b| square(a).total_cmp(&square(b)));
            best.expect("there are seeds").1
        };
        let image = image(count, frame, nearest);
        let known = [(0, AIR), (1, FAT), (2, LIVER), (3, MUSCLE)];
        let volume = LabelVolume::new(&image, &table(AIR, &known)).expect("the test is valid");
        let mut free = 0.0;
        for _ in 0..20_000 {
            // Includes points beyond the volume.
            let share = Vector3::from_fn(|_, _| rng.random_range(-0.2..1.2));
            let point = frame.origin + size.component_mul(&share);
            let point = Point::from(point.cast::<f32>());
            let place = volume.place(&point);
            let way = Vector::from_fn(|_, _| rng.random_range(-1.0..1.0f32)).normalize();
            let there = volume.place(&(point + 0.999 * place.clearance * way));
            assert_eq!(there.material, place.material, "{edges:?} {point} {way:?}");
            free += place.clearance;
        }
        // The clearance suffices for leaps: one edge on average.
        let least = edges.into_iter().fold(f64::MAX, f64::min) as f32;
        assert!(free / 20_000.0 > least, "{edges:?}: {free}");
    }
}

/// For a ball of ten voxels, the smoothed normal deviates from the true one by less than 3°, and by 1° on average.
#[test]
fn normals_match_the_smoothed_boundary() {
    let frame = oblique([0.5e-3, 0.6e-3, 0.7e-3]);
    let middle = frame.origin + frame.steps * Vector3::new(19.5, 19.5, 19.5);
    let (center, radius) = (Point::from(middle.cast::<f32>()), 0.006);
    let image = image([40; 3], frame, |point| {
        i64::from((point - center).norm() < radius)
    });
    let known = [(0, SOFT_TISSUE), (1, LIVER)];
    let volume = LabelVolume::new(&image, &table(SOFT_TISSUE, &known)).expect("the test is valid");
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let angles = (0..500).map(|_| {
        let way = Vector::from_fn(|_, _| rng.random_range(-1.0..1.0f32)).normalize();
        // At the boundary of voxels along a ray.
        let inside = |length: f32| volume.place(&(center + length * way)).material == 1;
        let found = (0..400)
            .map(|n| 0.004 + 1e-5 * n as f32)
            .find(|length| !inside(*length));
        let found = center + found.expect("the ball ends") * way;
        let normal = volume.normal(&found);
        assert!((normal.norm() - 1.0).abs() < 1e-4);
        normal.dot(&way).abs().min(1.0).acos().to_degrees()
    });
    let angles: Vec<f32> = angles.collect();
    let mean = angles.iter().sum::<f32>() / angles.len() as f32;
    let most = angles.iter().copied().fold(0.0, f32::max);
    assert!(
        mean < 2.5 && most < 8.0,
        "{mean}° on average, {most}° at most"
    );
}

#[test]
fn a_probe_stands_on_the_skin_below_the_site() {
    // A roof of 1 mm voxels that falls by 1 in 5 to the left.
    let frame = VoxelFrame {
        origin: Vector3::new(-0.05, -0.04, 0.0),
        steps: Matrix3::from_diagonal_element(1e-3),
    };
    let image = image([100, 80, 60], frame, |point| {
        i64::from(point.z < 0.04 - 0.2 * point.x)
    });
    let known = [(0, AIR), (1, SOFT_TISSUE)];
    let volume = LabelVolume::new(&image, &table(AIR, &known)).expect("the test is valid");
    let pose = volume
        .probe_pose([0.01, -0.005], 0.0, 0.0)
        .expect("there is skin");
    let place = pose.translation.vector;
    assert!(
        (place - Vector3::new(0.01, -0.005, 0.038)).norm() < 1e-3,
        "{place}"
    );
    let axis = pose.rotation * Vector3::z();
    let inward = -Vector3::new(0.2, 0.0, 1.0).normalize();
    // Tolerance: steps of 1 mm over 20 mm.
    assert!(axis.angle(&inward) < 0.03, "{axis}");
    let refused = |site: [f64; 2], indentation: f64| {
        let pose = volume.probe_pose(site, 0.0, indentation);
        pose.expect_err("no such place").to_string()
    };
    assert!(refused([0.2, 0.0], 0.0).contains("site"));
    assert!(refused([f64::NAN, 0.0], 0.0).contains("site"));
    assert!(refused([0.0, 0.0], 0.5).contains("indentation"));
    let wet = LabelVolume::new(&image, &table(GEL, &known)).expect("the test is valid");
    let refusal = wet
        .probe_pose([0.0, 0.0], 0.0, 0.0)
        .expect_err("no gas outside")
        .to_string();
    assert!(
        refusal.contains("outside") && refusal.contains("gel"),
        "{refusal}"
    );
}

#[test]
fn tables_name_materials_or_describe_them() {
    let table = MaterialTable::parse(
        "outside = \"gel\"\n[labels]\n0 = \"air\"\n-3 = \"kidney cortex\"\n\
         2 = { name = \"tumour\", like = \"liver\", backscatter = -6 }\n\
         7 = { speed_of_sound = 1500, density = 1000, attenuation = 0.1, backscatter = -inf }\n",
    )
    .expect("the table is valid");
    assert_eq!(table.outside, GEL);
    assert_eq!(table.body, SOFT_TISSUE);
    let fat = MaterialTable::parse("body = \"fat\"\n[labels]\n0 = \"air\"");
    assert_eq!(fat.expect("the table is valid").body, FAT);
    assert_eq!(table.labels[&0], AIR);
    assert_eq!(table.labels[&-3].name, "kidney cortex");
    let tumour = table.labels[&2];
    let wanted = Material {
        name: "tumour",
        backscatter: -6.0,
        ..LIVER
    };
    assert_eq!(tumour, wanted);
    let clear = table.labels[&7];
    assert_eq!(
        (clear.name, clear.backscatter),
        ("label 7", f32::NEG_INFINITY)
    );
    assert_eq!(clear.attenuation_power, 1.0);
}

#[test]
fn wrong_tables_are_refused_by_label_and_field() {
    for (text, named) in [
        ("", "labels"),
        ("[labels]\n1 = \"livver\"", "did you mean \"liver\""),
        ("[labels]\n1 = \"granite\"", "one of air, gel"),
        ("[labels]\none = \"liver\"", "labels.one"),
        ("[labels]\n1 = 5", "labels.1: is 5"),
        (
            "[labels]\n1 = { like = \"liver\", backscater = 1 }",
            "backscater",
        ),
        (
            "[labels]\n1 = { like = \"livr\" }",
            "did you mean \"liver\"",
        ),
        ("[labels]\n1 = { density = 1000 }", "labels.1"),
        (
            "[labels]\n1 = { like = \"liver\", density = -1 }",
            "density is -1",
        ),
        (
            "[labels]\n1 = { like = \"liver\", density = nan }",
            "density is NaN",
        ),
        (
            "[labels]\n1 = { like = \"liver\", backscatter = inf }",
            "backscatter is inf",
        ),
        ("[labels]\n1 = { like = \"liver\", name = \"\" }", "name"),
        ("outside = \"aire\"\n[labels]\n1 = \"liver\"", "outside"),
        ("body = \"fatt\"\n[labels]\n1 = \"liver\"", "body"),
        ("inside = \"air\"\n[labels]\n1 = \"liver\"", "inside"),
        ("[labels\n", "expected"),
    ] {
        let refusal = MaterialTable::parse(text).expect_err(text).to_string();
        assert!(refusal.contains(named), "{text}: {refusal}");
    }
    let many: Vec<String> = (0..300)
        .map(|label| format!("{label} = \"liver\""))
        .collect();
    let many = many.join("\n");
    let refusal = MaterialTable::parse(&format!("[labels]\n{many}")).expect_err("too many");
    assert!(refusal.to_string().contains("300 labels"), "{refusal}");
}

#[test]
fn labels_without_a_material_are_named_with_their_size() {
    let frame = VoxelFrame {
        origin: Vector3::zeros(),
        steps: Matrix3::from_diagonal_element(1e-3),
    };
    let image = image([10; 3], frame, |point| i64::from(point.x > 0.0065) * 5);
    let refusal = LabelVolume::new(&image, &table(AIR, &[(0, AIR)])).expect_err("5 has none");
    assert!(refusal.to_string().contains("5 (300 voxels)"), "{refusal}");
}

/// The same labels at the same positions, stored along other axes and with the labels in another order.
#[test]
fn numbers_of_materials_do_not_depend_on_storage() {
    let table =
        MaterialTable::parse("[labels]\n0 = \"air\"\n3 = \"bone\"\n1 = \"liver\"\n2 = \"spleen\"")
            .expect("the table is valid");
    let frame = |step: f64| VoxelFrame {
        origin: Vector3::new(0.0, 0.0, if step < 0.0 { 3e-3 } else { 0.0 }),
        steps: Matrix3::from_diagonal(&Vector3::new(1e-3, 1e-3, step)),
    };
    let volume = |labels: &[i64], step: f64| {
        let image = LabelImage::new([1, 1, labels.len()], frame(step), labels)
            .expect("the volume is valid");
        LabelVolume::new(&image, &table).expect("all labels have materials")
    };
    let names = |volume: &LabelVolume| {
        volume
            .materials()
            .iter()
            .map(|material| material.name)
            .collect::<Vec<_>>()
    };
    let (up, down) = (volume(&[0, 3, 1, 2], 1e-3), volume(&[2, 1, 3, 0], -1e-3));
    assert_eq!(names(&up), ["air", "liver", "spleen", "bone"]);
    assert_eq!(names(&up), names(&down));
    // A part of the volume has the same indices as the whole.
    assert_eq!(names(&volume(&[3], 1e-3)), names(&up));
    for z in [0.0, 1e-3, 2e-3, 3e-3] {
        let point = Point::new(0.0, 0.0, z);
        assert_eq!(up.place(&point).material, down.place(&point).material);
    }
}
