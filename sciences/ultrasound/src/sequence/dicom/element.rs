//! Data elements in explicit little-endian form (DICOM PS3.5, section 7.1).

/// Group and element.
pub(super) type Tag = [u16; 2];

/// Elements one after another, in the order of their tags.
#[derive(Default)]
pub(super) struct DataSet {
    pub(super) bytes: Vec<u8>,
}

impl DataSet {
    fn element(&mut self, [group, element]: Tag, representation: &str, value: &[u8], pad: u8) {
        self.bytes.extend(group.to_le_bytes());
        self.bytes.extend(element.to_le_bytes());
        self.bytes.extend(representation.as_bytes());
        let length = value.len().next_multiple_of(2);
        if matches!(representation, "OB" | "SQ") {
            self.bytes.extend([0; 2]);
            self.bytes.extend((length as u32).to_le_bytes());
        } else {
            self.bytes.extend((length as u16).to_le_bytes());
        }
        self.bytes.extend(value);
        self.bytes
            .resize(self.bytes.len() + length - value.len(), pad);
    }

    /// Text of at most 65534 bytes.
    pub(super) fn text(&mut self, tag: Tag, representation: &str, value: &str) {
        let pad = if representation == "UI" { 0 } else { b' ' };
        self.element(tag, representation, value.as_bytes(), pad);
    }

    /// Unsigned 16-bit number (US).
    pub(super) fn short(&mut self, tag: Tag, value: u16) {
        self.element(tag, "US", &value.to_le_bytes(), 0);
    }

    /// Unsigned 32-bit number (UL).
    pub(super) fn long(&mut self, tag: Tag, value: u32) {
        self.element(tag, "UL", &value.to_le_bytes(), 0);
    }

    /// Signed 32-bit number (SL).
    pub(super) fn signed(&mut self, tag: Tag, value: i32) {
        self.element(tag, "SL", &value.to_le_bytes(), 0);
    }

    /// 64-bit float (FD).
    pub(super) fn real(&mut self, tag: Tag, value: f64) {
        self.element(tag, "FD", &value.to_le_bytes(), 0);
    }

    /// Tag of another element (AT).
    pub(super) fn pointer(&mut self, tag: Tag, [group, element]: Tag) {
        let value = [group.to_le_bytes(), element.to_le_bytes()].concat();
        self.element(tag, "AT", &value, 0);
    }

    /// Bytes (OB), less than 4 GiB.
    pub(super) fn data(&mut self, tag: Tag, value: &[u8]) {
        self.element(tag, "OB", value, 0);
    }

    /// Sequence of one item (SQ).
    pub(super) fn sequence(&mut self, tag: Tag, item: &Self) {
        let mut bytes = vec![0xfe, 0xff, 0x00, 0xe0];
        bytes.extend((item.bytes.len() as u32).to_le_bytes());
        bytes.extend(&item.bytes);
        self.element(tag, "SQ", &bytes, 0);
    }
}

/// A number below 1e9 as a decimal string (DS) of at most 16 characters.
pub(super) fn decimal(value: f64) -> String {
    let texts = (0..12).rev().map(|digits| format!("{value:.digits$}"));
    let mut texts = texts.filter(|text| text.len() <= 16);
    let text = texts.next().unwrap_or_else(|| format!("{value:.0}"));
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}
