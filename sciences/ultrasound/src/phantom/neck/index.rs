//! Indices of the neck's materials.

pub(super) const AIR: u8 = 0;
pub(super) const SKIN: u8 = 1;
pub(super) const FAT: u8 = 2;
pub(super) const FASCIA: u8 = 3;
pub(super) const MUSCLE: u8 = 4;
pub(super) const THYROID: u8 = 5;
pub(super) const BLOOD: u8 = 6;
pub(super) const WALL: u8 = 7;
pub(super) const CARTILAGE: u8 = 8;
pub(super) const BONE: u8 = 9;
pub(super) const CONNECTIVE_TISSUE: u8 = 10;
