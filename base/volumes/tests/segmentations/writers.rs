//! Writers of label files, byte by byte, which share no code with the readers.
//!
//! A scene is a function of right, front and head [mm], the frame of NIfTI.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

/// Voxels: count, and position of voxel (i, j, k) = origin + steps · (i, j, k), to the right, front and head [mm].
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) count: [usize; 3],
    pub(crate) steps: Matrix3<f64>,
    pub(crate) origin: Vector3<f64>,
}

impl Grid {
    /// A grid whose middle is the origin of the scene.
    pub(crate) fn around(count: [usize; 3], steps: Matrix3<f64>) -> Self {
        let half = Vector3::from(count.map(|n| 0.5 * (n as f64 - 1.0)));
        Self {
            count,
            steps,
            origin: -(steps * half),
        }
    }

    pub(crate) fn n(&self) -> usize {
        self.count.iter().product()
    }

    pub(crate) fn place(&self, index: [usize; 3]) -> Vector3<f64> {
        self.origin + self.steps * Vector3::from(index.map(|n| n as f64))
    }

    /// Labels of a scene, the first index fastest.
    pub(crate) fn sample(&self, scene: impl Fn(&Vector3<f64>) -> u8) -> Vec<u8> {
        let [nx, ny, _] = self.count;
        let index = |n: usize| [n % nx, n / nx % ny, n / nx / ny];
        (0..self.n())
            .map(|n| scene(&self.place(index(n))))
            .collect()
    }
}

/// Converts right, front, head [mm] to left, head, front [m].
pub(crate) fn patient([right, front, head]: [f64; 3]) -> Point3<f64> {
    Point3::new(-right * 1e-3, head * 1e-3, front * 1e-3)
}

/// Axes of voxels with an edge [mm], from the directions of the axes in letters "towards": `RAS`, `LPS`, `ASL`.
pub(crate) fn axes(letters: &str, edges: [f64; 3]) -> Matrix3<f64> {
    let of = |letter: char| match letter {
        'R' => Vector3::x(),
        'L' => -Vector3::x(),
        'A' => Vector3::y(),
        'P' => -Vector3::y(),
        'S' => Vector3::z(),
        _ => -Vector3::z(),
    };
    let columns: Vec<Vector3<f64>> = letters.chars().zip(edges).map(|(l, e)| of(l) * e).collect();
    Matrix3::from_columns(&columns)
}

/// Axes turned by 20° about an oblique axis.
pub(crate) fn oblique(edges: [f64; 3]) -> Matrix3<f64> {
    let axis = nalgebra::Unit::new_normalize(Vector3::new(1.0, 2.0, -1.0));
    let turn = Rotation3::from_axis_angle(&axis, 20f64.to_radians());
    turn.matrix() * Matrix3::from_diagonal(&Vector3::from(edges))
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

/// A NIfTI file to be written.
#[derive(Clone, Default)]
pub(crate) struct Nifti {
    pub(crate) is_big: bool,
    pub(crate) is_second: bool,
    /// Quaternion b, c, d and edges; `None` for an sform.
    pub(crate) qform: Option<([f64; 3], [f64; 4])>,
    /// Bytes after the header, from the flag of the extensions on.
    pub(crate) extension: Vec<u8>,
}

impl Nifti {
    fn put(&self, bytes: &mut [u8], at: usize, number: &[u8]) {
        let own = &mut bytes[at..at + number.len()];
        own.copy_from_slice(number);
        if self.is_big {
            own.reverse();
        }
    }

    fn real(&self, bytes: &mut [u8], first: usize, second: usize, index: usize, x: f64) {
        if self.is_second {
            self.put(bytes, second + 8 * index, &x.to_le_bytes());
        } else {
            self.put(bytes, first + 4 * index, &(x as f32).to_le_bytes());
        }
    }

    fn code(&self, bytes: &mut [u8], first: usize, second: usize, x: i16) {
        if self.is_second {
            self.put(bytes, second, &i32::from(x).to_le_bytes());
        } else {
            self.put(bytes, first, &x.to_le_bytes());
        }
    }

    /// The file of 8-bit labels. Offsets are those of nifti1.h and nifti2.h.
    pub(crate) fn file(&self, grid: &Grid, labels: &[u8]) -> Vec<u8> {
        let size = if self.is_second { 540 } else { 348 };
        let extension = if self.extension.is_empty() {
            vec![0; 4]
        } else {
            self.extension.clone()
        };
        let mut bytes = vec![0; size];
        self.put(&mut bytes, 0, &(size as u32).to_le_bytes());
        let dims = [3, grid.count[0], grid.count[1], grid.count[2], 1, 1, 1, 1];
        for (axis, n) in dims.into_iter().enumerate() {
            if self.is_second {
                self.put(&mut bytes, 16 + 8 * axis, &(n as i64).to_le_bytes());
            } else {
                self.put(&mut bytes, 40 + 2 * axis, &(n as i16).to_le_bytes());
            }
        }
        let datatype = if self.is_second { 12 } else { 70 };
        self.put(&mut bytes, datatype, &2i16.to_le_bytes());
        let offset = size + extension.len();
        if self.is_second {
            self.put(&mut bytes, 168, &(offset as i64).to_le_bytes());
            self.put(&mut bytes, 500, &2i32.to_le_bytes());
            bytes[4..12].copy_from_slice(b"n+2\0\r\n\x1a\n");
        } else {
            self.real(&mut bytes, 108, 0, 0, offset as f64);
            bytes[123] = 2;
            bytes[344..348].copy_from_slice(b"n+1\0");
        }
        match &self.qform {
            None => {
                self.code(&mut bytes, 254, 348, 2);
                for row in 0..3 {
                    let (first, second) = (280 + 16 * row, 400 + 32 * row);
                    for column in 0..3 {
                        let step = grid.steps[(row, column)];
                        self.real(&mut bytes, first, second, column, step);
                    }
                    self.real(&mut bytes, first, second, 3, grid.origin[row]);
                }
            }
            Some((b_c_d, pixdim)) => {
                self.code(&mut bytes, 252, 344, 1);
                for (index, edge) in pixdim.iter().enumerate() {
                    self.real(&mut bytes, 76, 104, index, *edge);
                }
                for (index, part) in b_c_d.iter().enumerate() {
                    self.real(&mut bytes, 256, 352, index, *part);
                    self.real(&mut bytes, 268, 376, index, grid.origin[index]);
                }
            }
        }
        [bytes, extension, labels.to_vec()].concat()
    }
}

/// The extension of TotalSegmentator's `--ml` files.
pub(crate) fn caret(names: &[(i64, &str)]) -> Vec<u8> {
    let labels: Vec<String> = names
        .iter()
        .map(|(key, name)| {
            format!(
                "<Label Key=\"{key}\" Red=\"0.5\" Green=\"0.1\" Blue=\"0\" Alpha=\"1\"><![CDATA[{name}]]></Label>"
            )
        })
        .collect();
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><CaretExtension><Date><![CDATA[2013-07-14]]></Date>\
         <VolumeInformation Index=\"0\"><LabelTable>{}</LabelTable><VolumeType><![CDATA[Label]]></VolumeType></VolumeInformation></CaretExtension>",
        labels.join("\n")
    );
    extension(xml.as_bytes())
}

/// Flag, size, code 0 and content, padded to a multiple of 16 bytes.
pub(crate) fn extension(content: &[u8]) -> Vec<u8> {
    let size = (content.len() + 8).div_ceil(16) * 16;
    let mut bytes = vec![1, 0, 0, 0];
    bytes.extend((size as i32).to_le_bytes());
    bytes.extend(0i32.to_le_bytes());
    bytes.extend(content);
    bytes.resize(4 + size, 0);
    bytes
}

/// The header of an NRRD file to the left, back and head, up to the custom keys. `axis` says where layers are, if there are any.
pub(crate) fn nrrd_header(grid: &Grid, layers: Option<(usize, bool)>, encoding: &str) -> String {
    let vector = |v: Vector3<f64>| format!("({},{},{})", -v.x, -v.y, v.z);
    let mut sizes: Vec<String> = grid.count.map(|n| n.to_string()).to_vec();
    let mut directions: Vec<String> = (0..3)
        .map(|axis| vector(grid.steps.column(axis).into_owned()))
        .collect();
    let mut kinds = vec!["domain"; 3];
    if let Some((n, is_last)) = layers {
        let at = if is_last { 3 } else { 0 };
        sizes.insert(at, n.to_string());
        directions.insert(at, "none".to_owned());
        kinds.insert(at, "list");
    }
    format!(
        "NRRD0004\n# Complete NRRD file format specification at:\n# http://teem.sourceforge.net/nrrd/format.html\ntype: unsigned char\n\
         dimension: {}\nspace: left-posterior-superior\nsizes: {}\nspace directions: {}\nkinds: {}\nencoding: {encoding}\nspace origin: {}\n",
        sizes.len(),
        sizes.join(" "),
        directions.join(" "),
        kinds.join(" "),
        vector(grid.origin)
    )
}

/// A MetaImage of 8-bit labels, compressed by zlib.
pub(crate) fn meta_image(grid: &Grid, labels: &[u8]) -> Vec<u8> {
    let text = |v: Vector3<f64>| format!("{} {} {}", -v.x, -v.y, v.z);
    let columns = (0..3).map(|axis| grid.steps.column(axis).into_owned());
    let columns: Vec<Vector3<f64>> = columns.collect();
    let turn: Vec<String> = columns.iter().map(|c| text(c.normalize())).collect();
    let edges: Vec<String> = columns.iter().map(|c| c.norm().to_string()).collect();
    let packed = zlib(labels);
    let header = format!(
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = True\nCompressedDataSize = {}\n\
         TransformMatrix = {}\nOffset = {}\nCenterOfRotation = 0 0 0\nAnatomicalOrientation = RAI\nElementSpacing = {}\nDimSize = {} {} {}\n\
         ElementType = MET_UCHAR\nElementDataFile = LOCAL\n",
        packed.len(),
        turn.join(" "),
        text(grid.origin),
        edges.join(" "),
        grid.count[0],
        grid.count[1],
        grid.count[2]
    );
    [header.into_bytes(), packed].concat()
}
