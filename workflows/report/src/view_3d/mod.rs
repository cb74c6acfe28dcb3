//! A view of probe, image plane, organs and robot together, as a picture and as a model for 3-D viewers.

mod image_plane;
mod picture;
mod surfaces;

use insonate_meshes::Part;

pub use image_plane::ImagePlane;
pub use surfaces::BodySurfaces;

/// Opacity of the skin in the model.
const GLASS: f32 = 0.2;

/// What a 3-D view shows, in the frame of the phantom: to the left, the head and the front [m].
#[derive(Clone, Debug)]
pub struct View3d {
    /// The deformed body.
    pub body: BodySurfaces,
    /// The image.
    pub image: ImagePlane,
    /// Robot, probe and table, where there are any.
    pub rigid: Vec<Part>,
}

impl View3d {
    /// All surfaces, with a translucent skin, moved by `origin` [m].
    pub fn parts(&self, origin: [f64; 3]) -> Vec<Part> {
        let mut skin = self.body.skin.clone();
        skin.color[3] = GLASS;
        let all = self.rigid.iter().chain(&self.body.organs);
        let all = all.chain([&self.image.part, &skin]);
        let moved = all.map(|part| Part {
            mesh: part
                .mesh
                .clone()
                .map(|[x, y, z]| [x + origin[0], y + origin[1], z + origin[2]]),
            ..part.clone()
        });
        moved.collect()
    }
}
