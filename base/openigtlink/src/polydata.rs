//! POLYDATA: a surface of triangles.
//!
//! | bytes | field |
//! |---|---|
//! | 4 | number of points |
//! | 8 each | number and bytes of vertices, of lines, of polygons, of strips |
//! | 4 | number of attributes |
//! | 12 each | points [mm] |
//! | 16 each | polygons: the number 3, and three indices of points |

/// Triangles between points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolyData<'a> {
    /// Points [mm], shape `[n_points]`.
    pub points: &'a [[f32; 3]],
    /// Indices of points, counter-clockwise seen from outside, shape `[n_triangles]`.
    pub triangles: &'a [[u32; 3]],
}

/// Bytes of a triangle.
const TRIANGLE: usize = 16;

impl PolyData<'_> {
    /// Type of the message.
    pub const KIND: &'static str = "POLYDATA";

    /// The body.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let size = TRIANGLE * self.triangles.len();
        let mut body = Vec::with_capacity(40 + 12 * self.points.len() + size);
        let none = [0; 2];
        let polygons = [self.triangles.len(), size];
        body.extend((self.points.len() as u32).to_be_bytes());
        for [number, bytes] in [none, none, polygons, none] {
            body.extend((number as u32).to_be_bytes());
            body.extend((bytes as u32).to_be_bytes());
        }
        body.extend(0u32.to_be_bytes());
        body.extend(self.points.iter().flatten().flat_map(|x| x.to_be_bytes()));
        for triangle in self.triangles {
            body.extend(3u32.to_be_bytes());
            body.extend(triangle.iter().flat_map(|index| index.to_be_bytes()));
        }
        body
    }
}
