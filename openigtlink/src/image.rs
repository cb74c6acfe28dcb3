//! IMAGE: a picture of bytes with its place.

/// Which way the axes of a place point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoordinateSystem {
    /// Right, anterior, superior: 3D Slicer's.
    Ras,
    /// Left, posterior, superior: DICOM's.
    Lps,
}

/// A picture of one or more bytes a pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Image<'a> {
    /// Bytes of a pixel: 1 for grey, 3 for red, green and blue.
    pub n_components: u8,
    /// Width and height [pixels].
    pub size: [u16; 2],
    /// Size of a pixel [mm].
    pub spacing: [f64; 2],
    /// Which way the axes point.
    pub axes: CoordinateSystem,
    /// Rotation of the picture, row by row: columns of the matrix are the directions of a row, a column, and across.
    pub rotation: [[f64; 3]; 3],
    /// Centre of the picture [mm].
    pub center: [f64; 3],
    /// Rows from the first on, shape `[height, width, n_components]`.
    pub pixels: &'a [u8],
}

/// Unsigned bytes; their order does not matter, and is given as little-endian.
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
        // The part that is sent: all of it.
        body.extend([0; 6]);
        body.extend(size.iter().flat_map(|n| n.to_be_bytes()));
        body.extend_from_slice(self.pixels);
        body
    }
}
