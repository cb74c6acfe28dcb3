//! Indices of the adult's materials.

pub(super) const AIR: u8 = 0;
/// Fat and fascia follow.
pub(super) const SKIN: u8 = 1;
pub(super) const FASCIA: u8 = 3;
pub(super) const MUSCLE: u8 = 4;
pub(super) const BONE: u8 = 5;
pub(super) const CARTILAGE: u8 = 6;
pub(super) const LUNG: u8 = 7;
pub(super) const LIVER: u8 = 8;
pub(super) const BLOOD: u8 = 9;
pub(super) const WALL: u8 = 10;
pub(super) const BILE: u8 = 11;
pub(super) const CORTEX: u8 = 12;
pub(super) const PYRAMID: u8 = 13;
pub(super) const SINUS: u8 = 14;
pub(super) const SPLEEN: u8 = 15;
pub(super) const BOWEL: u8 = 16;
pub(super) const URINE: u8 = 17;
pub(super) const DEEP_FAT: u8 = 18;
