//! Tissue from Hounsfield units.

/// Body instead of air from here on [HU].
pub(super) const BODY: i16 = -300;
/// Gas within a body below this [HU].
pub(super) const GAS: i16 = -400;
/// Fat and muscle [HU]: the ranges by which body composition is measured.
pub(super) const FAT: [i16; 2] = [-190, -30];
pub(super) const MUSCLE: [i16; 2] = [-29, 150];
/// Densities of cancellous and cortical bone [kg/m³] (IT'IS Foundation, tissue properties). Bone counts as the nearer of the two.
const BONES: [f64; 2] = [1178.0, 1908.0];
/// Lines of the density over HU + 1000: where each begins, slope and intercept [kg/m³]. Piecewise linear fit to the measurements of
/// Schneider 1996, doi:10.1088/0031-9155/41/1/009, as k-Wave's `hounsfield2density` gives it.
const LINES: [[f64; 3]; 4] = [
    [
        f64::NEG_INFINITY,
        1.025_793_065_681_423,
        -5.680_404_011_488_714,
    ],
    [930.0, 0.908_270_969_126_4, 103.615_145_784_713_9],
    [1098.0, 0.510_836_931_659_9, 539.997_718_922_870_4],
    [1260.0, 0.662_537_091_245_1, 348.855_517_845_529_4],
];

/// Density [kg/m³] of tissue with a mean value [HU].
pub fn density(hu: f64) -> f64 {
    let above_air = hu + 1000.0;
    let line = LINES.iter().rfind(|[start, ..]| above_air >= *start);
    let [_, slope, intercept] = *line.unwrap_or(&LINES[0]);
    (slope * above_air + intercept).max(0.0)
}

/// Speed of sound [m/s] in tissue of a density [kg/m³] (Mast 2000, doi:10.1121/1.1336896).
pub fn sound_speed(density: f64) -> f64 {
    (density + 349.0) / 0.893
}

/// Value up to which bone is cancellous [HU]: the density in the middle of both kinds.
pub(super) fn cancellous_limit() -> i16 {
    let middle = 0.5 * (BONES[0] + BONES[1]);
    let below = (0..i16::MAX).take_while(|hu| density(f64::from(*hu)) < middle);
    below.last().unwrap_or_default()
}
