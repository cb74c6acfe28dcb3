//! MetaImage (`.mha`), in the layout of PLUS sequences.

use super::Sequence;

impl Sequence {
    /// The file's bytes.
    pub fn to_meta_image(&self) -> Vec<u8> {
        let ([width, height], n) = (self.size, self.len());
        let mut header = format!(
            "ObjectType = Image\n\
             NDims = 3\n\
             BinaryData = True\n\
             BinaryDataByteOrderMSB = False\n\
             CompressedData = False\n\
             TransformMatrix = 1 0 0 0 1 0 0 0 1\n\
             Offset = 0 0 0\n\
             CenterOfRotation = 0 0 0\n\
             ElementSpacing = 1 1 1\n\
             DimSize = {width} {height} {n}\n\
             Kinds = domain domain list\n\
             ElementType = MET_UCHAR\n\
             UltrasoundImageOrientation = MF\n\
             UltrasoundImageType = BRIGHTNESS\n"
        );
        header += &self.fields(" = ");
        // The last field of the header; pixels follow.
        header += "ElementDataFile = LOCAL\n";
        let mut bytes = header.into_bytes();
        bytes.extend_from_slice(&self.pixels);
        bytes
    }
}
