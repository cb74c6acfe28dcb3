//! NRRD (`.seq.nrrd`, Teem's format version 5), in the layout of 3D Slicer's sequences.

use super::Sequence;

impl Sequence {
    /// The file's bytes.
    pub fn to_nrrd(&self) -> Vec<u8> {
        let ([width, height], n) = (self.size, self.len());
        let mut header = format!(
            "NRRD0005\n\
             type: unsigned char\n\
             dimension: 3\n\
             space dimension: 3\n\
             sizes: {width} {height} {n}\n\
             space directions: (1,0,0) (0,1,0) none\n\
             kinds: domain domain list\n\
             encoding: raw\n\
             space origin: (0,0,0)\n\
             ultrasound_image_orientation:=MF\n\
             ultrasound_image_type:=BRIGHTNESS\n"
        );
        header += &self.fields(":=");
        // An empty line ends the header; pixels follow.
        header += "\n";
        let mut bytes = header.into_bytes();
        bytes.extend_from_slice(&self.pixels);
        bytes
    }
}
