//! A picture of a 3-D view.

use insonate_drawing::{DrawingError, SolidView, color_picture};
use insonate_meshes::{Part, TriangleMesh};
use nalgebra::Vector3;

use super::View3d;

/// Longest side of the picture [pixels].
const MOST_PIXELS: f64 = 1000.0;
/// Space around the body [m], and most of the height above it that is shown for the probe.
const AROUND: f64 = 0.02;
const ABOVE: f64 = 0.22;
/// Shares of the view's direction: across the image plane, along the array, upwards.
const DIRECTION: [f64; 3] = [1.0, 0.35, 0.55];
/// Distance from the image plane beyond which the robot may hide it [m].
const HIDING: f64 = 0.15;
/// Opacity of organs before the image plane, and of the skin.
const BEFORE: f64 = 0.2;
const SKIN: f64 = 0.12;

impl View3d {
    /// A PNG file: the image plane from the side that the robot leaves free, from above. Organs before the plane and the skin are translucent.
    ///
    /// # Errors
    /// [`DrawingError::Png`].
    pub fn picture(&self) -> Result<Vec<u8>, DrawingError> {
        let facing = self.facing();
        let axes = self.axes(&facing);
        let bounds = self.bounds();
        let longest = (0..3).map(|axis| bounds[1][axis] - bounds[0][axis]);
        let pixel = longest.fold(0.0, f64::max) / MOST_PIXELS;
        let empty = || SolidView::new(bounds, axes, pixel);
        let (mut view, mut before, mut skin) = (empty(), empty(), empty());
        for part in &self.rigid {
            draw(&mut view, part);
        }
        for organ in &self.body.organs {
            let [near, far] = self.split(organ, &facing);
            draw(&mut before, &near);
            draw(&mut view, &far);
        }
        self.draw_image(&mut view);
        draw(&mut skin, &self.body.skin);
        view.cover(&before, BEFORE);
        view.cover(&skin, SKIN);
        color_picture(view.size()[0], view.pixels().as_flattened())
    }

    /// Corners of what is shown: skin and image with some space around, and the robot up to some height.
    fn bounds(&self) -> [[f64; 3]; 2] {
        let [body, image] = [&self.body.skin.mesh, &self.image.part.mesh].map(TriangleMesh::bounds);
        let rigid = self.rigid.iter().map(|part| part.mesh.bounds()[1][2]);
        let top = rigid.fold(f64::NEG_INFINITY, f64::max);
        let mut most: [f64; 3] = std::array::from_fn(|axis| body[1][axis].max(image[1][axis]));
        most[2] = most[2].max(top.min(body[1][2] + ABOVE));
        [
            std::array::from_fn(|axis| body[0][axis].min(image[0][axis]) - AROUND),
            most.map(|most| most + AROUND),
        ]
    }

    /// Normal of the image plane on the side from which it is seen: where less of the robot is; without a robot towards the feet, or towards
    /// the patient's right if the plane is along the body.
    fn facing(&self) -> Vector3<f64> {
        let normal = self.image.pose * Vector3::y();
        let origin = self.image.pose.translation.vector;
        let positions = self.rigid.iter().flat_map(|part| &part.mesh.positions);
        let sides = positions.map(|at| (Vector3::from(*at) - origin).dot(&normal));
        let mut counts = [0, 0];
        for side in sides.filter(|side| side.abs() > HIDING) {
            counts[usize::from(side > 0.0)] += 1;
        }
        let is_turned = if counts[0] == counts[1] {
            normal.dot(&Vector3::new(-0.5, -1.0, 0.0)) < 0.0
        } else {
            counts[1] > counts[0]
        };
        if is_turned { -normal } else { normal }
    }

    /// Directions to the right and up.
    fn axes(&self, facing: &Vector3<f64>) -> [[f64; 3]; 2] {
        let array = self.image.pose * Vector3::x();
        let aside = if array.dot(&Vector3::new(-1.0, -1.0, 0.0)) < 0.0 {
            -array
        } else {
            array
        };
        let [across, along, up] = DIRECTION;
        let towards = facing * across + aside * along + Vector3::z() * up;
        let right = Vector3::z().cross(&towards);
        let right = right.try_normalize(1e-6).unwrap_or_else(Vector3::x);
        let up = towards.cross(&right).normalize();
        [right.into(), up.into()]
    }

    /// The parts of an organ on the side of the viewer and behind the image plane.
    fn split(&self, organ: &Part, facing: &Vector3<f64>) -> [Part; 2] {
        let origin = self.image.pose.translation.vector;
        let is_near = |index: usize| {
            let [a, b, c] = organ.mesh.corners(index);
            ((a + b + c) / 3.0 - origin).dot(facing) > 0.0
        };
        [true, false].map(|side| {
            let mut half = organ.clone();
            let triangles = organ.mesh.triangles.iter().enumerate();
            let own = triangles.filter(|(index, _)| is_near(*index) == side);
            half.mesh.triangles = own.map(|(_, triangle)| *triangle).collect();
            half
        })
    }

    fn draw_image(&self, view: &mut SolidView) {
        let part = &self.image.part;
        let uvs = part.picture.iter().flat_map(|picture| &picture.uvs);
        let places: Vec<[f64; 2]> = uvs.map(|uv| uv.map(f64::from)).collect();
        let pixels: Vec<[u8; 3]> = self.image.grey.iter().map(|level| [*level; 3]).collect();
        let picture = (self.image.width, &pixels[..]);
        view.draw_picture(&part.mesh.positions, &places, &part.mesh.triangles, picture);
    }
}

fn draw(view: &mut SolidView, part: &Part) {
    let shaded = part.shaded();
    let [red, green, blue, _] = part.color;
    let color = [red, green, blue].map(|own| (255.0 * own) as u8);
    view.draw(&shaded.positions, &shaded.normals, &shaded.triangles, color);
}
