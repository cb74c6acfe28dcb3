//! Colours of classes.

use insonate_drawing::label_color;

/// Colours of tissues, as in anatomy books.
const TISSUES: [(&str, [u8; 3]); 21] = [
    ("body", [226, 196, 176]),
    ("liver", [146, 64, 50]),
    ("kidney", [180, 90, 60]),
    ("spleen", [122, 56, 92]),
    ("gland", [222, 176, 110]),
    ("thyroid", [200, 120, 100]),
    ("nerve", [240, 230, 160]),
    ("bile", [70, 150, 70]),
    ("urine", [225, 205, 60]),
    ("blood", [196, 40, 48]),
    ("heart", [170, 46, 60]),
    ("bowel", [214, 150, 140]),
    ("muscle", [168, 88, 84]),
    ("muscle layer", [182, 104, 98]),
    ("fat", [242, 220, 140]),
    ("bone", [234, 228, 206]),
    ("cancellous bone", [214, 186, 150]),
    ("cartilage", [190, 212, 222]),
    ("lung", [188, 200, 226]),
    ("airway", [210, 230, 240]),
    ("gas", [80, 90, 110]),
];
/// Colour of the skin.
pub(crate) const SKIN: [u8; 3] = [230, 196, 172];
/// Colour of all bones together.
pub(crate) const BONES: [u8; 3] = [234, 228, 206];

/// Colour of a class by its tissue, or that of the tissue's first word; if it is unknown, by its place in the list.
pub(crate) fn color(tissue: &str, place: usize) -> [u8; 3] {
    let find = |wanted: &str| TISSUES.iter().find(|(name, _)| *name == wanted);
    let known = find(tissue).or_else(|| find(tissue.split(' ').next()?));
    known.map_or_else(|| label_color(place), |(_, color)| *color)
}
