//! IMAGE: a picture of bytes with its pose.

/// Directions of the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoordinateSystem {
    /// Right, anterior, superior: used by 3D Slicer.
    Ras,
    /// Left, posterior, superior: used by DICOM.
    Lps,
}

/// A picture with one or more bytes per pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Image<'a> {
    /// Bytes of a pixel: 1 for grey, 3 for red, green and blue.
    pub n_components: u8,
    /// Width and height [pixels].
    pub size: [u16; 2],
    /// Size of a pixel [mm].
    pub spacing: [f64; 2],
    /// Directions of the axes.
    pub axes: CoordinateSystem,
    /// Rotation of the picture, stored row by row. The columns are the directions of a row, of a column, and of the normal.
    pub rotation: [[f64; 3]; 3],
    /// Centre of the picture [mm].
    pub center: [f64; 3],
    /// Pixels row by row, shape `[height, width, n_components]`.
    pub pixels: &'a [u8],
}

/// Code of unsigned bytes; the byte order has no effect and is given as little-endian.
const UINT8: u8 = 3;
const LITTLE_ENDIAN: u8 = 2;

impl Image<'_> {
    /// Type of the message.
    pub const KIND: &'static str = "IMAGE";

    /// The body: 72 bytes and the pixels.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(72 + self.pixels.len());
        let system = match self.axes {
            CoordinateSystem::Ras => 1,
            CoordinateSystem::Lps => 2,
        };
        body.extend(1u16.to_be_bytes());
        body.extend([self.n_components, UINT8, LITTLE_ENDIAN, system]);
        let size = [self.size[0], self.size[1], 1];
        body.extend(size.iter().flat_map(|n| n.to_be_bytes()));
        let spacing = [self.spacing[0], self.spacing[1], 1.0];
        for (column, step) in spacing.iter().enumerate() {
            let direction = self.rotation.map(|row| row[column] * step);
            body.extend(direction.iter().flat_map(|x| (*x as f32).to_be_bytes()));
        }
        body.extend(self.center.iter().flat_map(|x| (*x as f32).to_be_bytes()));
        // The sent part: the whole picture.
        body.extend([0; 6]);
        body.extend(size.iter().flat_map(|n| n.to_be_bytes()));
        body.extend_from_slice(self.pixels);
        body
    }
}
