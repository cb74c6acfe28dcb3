//! A model as OBJ with a table of materials.

use std::fmt::Write as _;

use super::Part;

impl Part {
    /// A model as an OBJ file, and the file of its materials of the name `materials`. Coordinates are to the left, backwards and to the
    /// head in millimetres (LPS, as 3D Slicer reads them), where those of the meshes are to the left, to the head and to the front in metres.
    /// Names are without white space.
    pub fn to_lps_obj(parts: &[Self], materials: &str) -> [String; 2] {
        let mut obj = format!("# SPACE=LPS\nmtllib {materials}\n");
        let mut mtl = String::new();
        let (mut first, mut first_uv) = (1, 1);
        // Writing into a string does not fail.
        for (number, part) in parts.iter().enumerate() {
            let name: Vec<&str> = part.name.split_whitespace().collect();
            let name = name.join("_");
            let _ = write!(obj, "o {name}\nusemtl {number}_{name}\n");
            for [left, head, front] in &part.mesh.positions {
                let [x, y, z] = [left, &-front, head].map(|x| 1000.0 * x);
                let _ = writeln!(obj, "v {x:.4} {y:.4} {z:.4}");
            }
            let uvs = part
                .picture
                .as_ref()
                .map_or(&[][..], |picture| &picture.uvs);
            for [right, down] in uvs {
                let _ = writeln!(obj, "vt {right:.6} {:.6}", 1.0 - down);
            }
            let corner = |vertex: u32| {
                let vertex = vertex as usize;
                match uvs.len() {
                    0 => format!("{}", first + vertex),
                    _ => format!("{}/{}", first + vertex, first_uv + vertex),
                }
            };
            for triangle in &part.mesh.triangles {
                let [a, b, c] = triangle.map(corner);
                let _ = writeln!(obj, "f {a} {b} {c}");
            }
            first += part.mesh.positions.len();
            first_uv += uvs.len();
            let [red, green, blue, opacity] = part.color;
            let _ = write!(
                mtl,
                "newmtl {number}_{name}\nKd {red:.4} {green:.4} {blue:.4}\nd {opacity:.4}\n"
            );
            if let Some(picture) = &part.picture {
                let _ = writeln!(mtl, "map_Kd {}", picture.file);
            }
        }
        [obj, mtl]
    }
}
