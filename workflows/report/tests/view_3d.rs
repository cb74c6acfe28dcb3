//! A 3-D view of a phantom that the test builds: a ball in a box.

use insonate_report::{BodySurfaces, ImagePlane, View3d};
use insonate_ultrasound::deformation::{Deformation, Point, Vector};
use insonate_ultrasound::material::{self, Material};
use insonate_ultrasound::phantom::{Phantom, PointMaterial};
use insonate_ultrasound::{BMode, Settings, View, transducer};
use nalgebra::{Isometry3, Vector3};

/// Half of the box, centre and radius of the ball [m].
const HALF: [f32; 3] = [0.10, 0.12, 0.08];
const CENTRE: [f32; 3] = [0.03, -0.02, 0.01];
const RADIUS: f32 = 0.03;

struct BallInBox([Material; 3]);

impl BallInBox {
    fn new() -> Self {
        Self([material::AIR, material::FAT, material::LIVER])
    }
}

impl Phantom for BallInBox {
    fn materials(&self) -> &[Material] {
        &self.0
    }

    fn place(&self, rest: &Point) -> PointMaterial {
        let outside = (0..3).map(|axis| rest[axis].abs() - HALF[axis]);
        let outside = outside.fold(f32::NEG_INFINITY, f32::max);
        let ball = (rest.coords - Vector::from(CENTRE)).norm() - RADIUS;
        let material = match (outside > 0.0, ball < 0.0) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 1,
        };
        PointMaterial {
            material,
            clearance: outside.abs().min(ball.abs()),
        }
    }

    fn normal(&self, _: &Point) -> Vector {
        Vector::z()
    }

    fn bounds(&self) -> Option<[Point; 2]> {
        Some([Point::from(HALF.map(|x| -x)), Point::from(HALF)])
    }
}

/// Points of the half below y = 0 move by 10 mm to the left; of the others nothing is known.
struct Shift;

impl Deformation for Shift {
    fn rest_from_world(&self, world: &Point) -> Option<Point> {
        Some(*world)
    }

    fn world_from_rest(&self, rest: &Point) -> Option<Point> {
        (rest.y < 0.0).then(|| rest + Vector::new(0.01, 0.0, 0.0))
    }

    fn max_compression(&self, _: &Point) -> f32 {
        1.0
    }
}

#[test]
fn boundaries_of_materials_are_surfaces_that_move_with_the_body() {
    let body = BodySurfaces::of_phantom(&BallInBox::new()).unwrap();
    // Fat is a layer.
    assert_eq!(body.organs.len(), 1);
    let ball = &body.organs[0];
    assert_eq!(ball.name, "liver");
    let volume = 4.0 / 3.0 * std::f64::consts::PI * f64::from(RADIUS).powi(3);
    assert!((ball.mesh.volume() / volume - 1.0).abs() < 0.02);
    let whole: f64 = HALF.iter().map(|half| 2.0 * f64::from(*half)).product();
    assert!((body.skin.mesh.volume() / whole - 1.0).abs() < 0.02);

    let before = ball.mesh.bounds();
    let moved = body.clone().deformed(&Shift);
    let after = moved.organs[0].mesh.bounds();
    // The ball's extreme points to both sides are below y = 0.
    for end in 0..2 {
        assert!((after[end][0] - before[end][0] - 0.01).abs() < 1e-6);
    }
    // Next to what is known the rest follows, so that the surface has no step; far from it nothing moves.
    let shift = |at: usize| moved.skin.mesh.positions[at][0] - body.skin.mesh.positions[at][0];
    for (at, [_, y, _]) in body.skin.mesh.positions.iter().enumerate() {
        let expected = match y {
            y if *y < 0.012 => 0.01,
            y if *y > 0.03 => 0.0,
            _ => continue,
        };
        assert!((shift(at) - expected).abs() < 1e-6, "{y}: {}", shift(at));
    }
}

#[test]
fn the_view_has_the_image_where_the_probe_sees_it() {
    let phantom = BallInBox::new();
    let probe = transducer::l12_5();
    let settings = Settings {
        n_lines: 64,
        n_samples: 256,
        depth: 0.05,
        ..Settings::of(&probe)
    };
    let mut b_mode = BMode::new(&probe, &settings).unwrap();
    // On the front face, +z into the body.
    let turn = nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let pose = Isometry3::from_parts(Vector3::new(0.03, -0.02, 0.08).into(), turn);
    let rigid = insonate_ultrasound::deformation::Rigid::default();
    let view = View::new(&phantom, &rigid, &pose).unwrap();
    b_mode.frame(&view, 0);
    let converter = b_mode.scan_converter(128).unwrap();
    let image = ImagePlane::new(&b_mode, &converter, &pose, "b_mode.png").unwrap();
    let bounds = image.part.mesh.bounds();
    // A linear probe sees a rectangle that is as deep as set, in the plane of its array.
    assert!((bounds[1][2] - 0.08).abs() < 1e-6 && (bounds[0][2] - 0.03).abs() < 1e-3);
    assert!((bounds[0][1] + 0.02).abs() < 1e-6 && (bounds[1][1] + 0.02).abs() < 1e-6);
    assert!((bounds[0][0] + bounds[1][0] - 0.06).abs() < 1e-3);
    // Places in the picture are proportional to places in the plane.
    let picture = image.part.picture.as_ref().unwrap();
    let pixels = |length: f64| length / (converter.pixel * 128.0);
    for (position, [right, down]) in image.part.mesh.positions.iter().zip(&picture.uvs) {
        let [x, _, z] = *position;
        assert!((f64::from(*right) - 0.5 - pixels(x - 0.03)).abs() < 0.01);
        assert!((f64::from(*down) - pixels(0.08 - z)).abs() < 0.01);
    }

    let body = BodySurfaces::of_phantom(&phantom).unwrap();
    let view = View3d {
        body,
        image,
        rigid: Vec::new(),
    };
    let parts = view.parts([1.0, 2.0, 3.0]);
    let names: Vec<&str> = parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["liver", "image", "skin"]);
    assert!(parts[2].color[3] < 1.0, "one sees through the skin");
    assert!((parts[1].mesh.bounds()[1][2] - 3.08).abs() < 1e-6);
    assert_eq!(&view.picture().unwrap()[1..4], b"PNG");
}
