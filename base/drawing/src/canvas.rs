//! A drawing as SVG and as PNG. The same code draws both, with an embedded font.

use std::ops::Range;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use crate::error::{DrawError, DrawResult, DrawingError};
use crate::fonts::register_fonts;

/// Colour of text and axes.
pub const INK: RGBColor = RGBColor(40, 44, 52);
/// Colour of the first curve.
pub const BLUE_LINE: RGBColor = RGBColor(31, 105, 180);
/// Colour of targets and of models.
pub const ORANGE_LINE: RGBColor = RGBColor(224, 112, 26);
/// Colour of lines behind the curves.
pub const GREY_LINE: RGBColor = RGBColor(150, 155, 162);
/// Colour of bands behind the curves.
pub const WINDOW: RGBColor = RGBColor(214, 226, 240);

/// A drawing area.
pub type Area<B> = DrawingArea<B, Shift>;

/// A chart with two numerical axes.
pub type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A drawing that is independent of its backend.
pub trait Drawing {
    /// Width and height [pixels].
    const SIZE: (u32, u32);

    /// Draws.
    ///
    /// # Errors
    /// What the backend reports.
    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static;
}

/// A finished drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// File name without extension.
    pub name: String,
    /// Description of the picture in a sentence or two.
    pub caption: String,
    /// The picture as SVG text.
    pub svg: String,
    /// The picture as a PNG file.
    pub png: Vec<u8>,
}

impl Picture {
    /// Both files with their names.
    pub fn files(&self) -> [(String, Vec<u8>); 2] {
        [
            (format!("{}.svg", self.name), self.svg.clone().into_bytes()),
            (format!("{}.png", self.name), self.png.clone()),
        ]
    }

    /// Draws the picture as SVG and as PNG.
    ///
    /// # Errors
    /// [`DrawingError::Plot`].
    pub fn of(name: String, caption: String, drawing: &impl Drawing) -> Result<Self, DrawingError> {
        let svg = svg_of(&name, drawing)?;
        let png = to_png(drawing).map_err(|source| DrawingError::Plot {
            name: name.clone(),
            source,
        })?;
        Ok(Self {
            name,
            caption,
            svg,
            png,
        })
    }
}

/// Draws a picture as SVG text. `name` is part of the error.
///
/// # Errors
/// [`DrawingError::Plot`].
pub fn svg_of(name: &str, drawing: &impl Drawing) -> Result<String, DrawingError> {
    register_fonts();
    to_svg(drawing).map_err(|source| DrawingError::Plot {
        name: name.to_owned(),
        source,
    })
}

fn to_svg<D: Drawing>(drawing: &D) -> Result<String, DrawError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, D::SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        drawing.draw(&area)?;
        area.present()?;
    }
    Ok(svg)
}

fn to_png<D: Drawing>(drawing: &D) -> Result<Vec<u8>, DrawError> {
    let (width, height) = D::SIZE;
    let mut pixels = vec![0; 3 * width as usize * height as usize];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, D::SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        drawing.draw(&area)?;
        area.present()?;
    }
    let mut file = Vec::new();
    let (compression, filter) = (CompressionType::Default, FilterType::Adaptive);
    PngEncoder::new_with_quality(&mut file, compression, filter).write_image(
        &pixels,
        width,
        height,
        ExtendedColorType::Rgb8,
    )?;
    Ok(file)
}

/// An axis with its range and label.
#[derive(Clone, Debug)]
pub struct Axis<'a> {
    /// Range of the values.
    pub range: Range<f64>,
    /// Quantity with its unit.
    pub label: &'a str,
}

/// Draws the axes of a chart.
///
/// # Errors
/// What the backend reports.
pub fn chart<'a, B: DrawingBackend>(
    area: &'a Area<B>,
    title: &str,
    x: &Axis<'_>,
    y: &Axis<'_>,
) -> Result<Chart<'a, B>, DrawError>
where
    B::ErrorType: 'static,
{
    let mut builder = ChartBuilder::on(area);
    builder
        .margin(12)
        .margin_right(22)
        .x_label_area_size(42)
        .y_label_area_size(66);
    if !title.is_empty() {
        builder.caption(title, ("sans-serif", 19).into_font().color(&INK));
    }
    let mut chart = builder.build_cartesian_2d(x.range.clone(), y.range.clone())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(GREY_LINE.mix(0.25))
        .axis_style(INK)
        .x_desc(x.label)
        .y_desc(y.label)
        .x_labels(8)
        .y_labels(7)
        .x_label_formatter(&tick)
        .y_label_formatter(&tick)
        .label_style(("sans-serif", 14).into_font().color(&INK))
        .draw()?;
    Ok(chart)
}

/// Draws a series of points.
///
/// # Errors
/// What the backend reports.
pub fn dots<'a, B: DrawingBackend + 'a>(
    chart: &mut Chart<'a, B>,
    points: &[(f64, f64)],
    color: RGBColor,
    label: &str,
) -> DrawResult
where
    B::ErrorType: 'static,
{
    let style = color.mix(0.45).filled();
    let series = chart.draw_series(points.iter().map(|&point| Circle::new(point, 2, style)))?;
    if !label.is_empty() {
        series
            .label(label)
            .legend(move |(x, y)| Circle::new((x + 9, y), 3, style));
    }
    Ok(())
}

/// Draws a line.
///
/// # Errors
/// What the backend reports.
pub fn line<'a, B: DrawingBackend + 'a>(
    chart: &mut Chart<'a, B>,
    points: Vec<(f64, f64)>,
    style: ShapeStyle,
    label: &str,
) -> DrawResult
where
    B::ErrorType: 'static,
{
    let series = chart.draw_series(LineSeries::new(points, style))?;
    if !label.is_empty() {
        series
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    Ok(())
}

/// Draws the area between two lines.
///
/// # Errors
/// What the backend reports.
pub fn band<'a, B: DrawingBackend + 'a>(
    chart: &mut Chart<'a, B>,
    lower: &[(f64, f64)],
    upper: &[(f64, f64)],
    color: RGBColor,
    label: &str,
) -> DrawResult
where
    B::ErrorType: 'static,
{
    let style = color.mix(0.22).filled();
    let outline: Vec<(f64, f64)> = lower.iter().chain(upper.iter().rev()).copied().collect();
    let series = chart.draw_series([Polygon::new(outline, style)])?;
    if !label.is_empty() {
        series
            .label(label)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 18, y + 5)], style));
    }
    Ok(())
}

/// Draws the legend.
///
/// # Errors
/// What the backend reports.
pub fn legend<'a, B: DrawingBackend + 'a>(
    chart: &mut Chart<'a, B>,
    position: SeriesLabelPosition,
) -> DrawResult
where
    B::ErrorType: 'static,
{
    chart
        .configure_series_labels()
        .position(position)
        .margin(8)
        .background_style(WHITE.mix(0.85))
        .border_style(GREY_LINE)
        .label_font(("sans-serif", 14).into_font().color(&INK))
        .draw()?;
    Ok(())
}

/// A range that contains all finite values with a margin and is never empty.
pub fn range_of(values: impl Iterator<Item = f64>, room: f64) -> Range<f64> {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    if low > high {
        return 0.0..1.0;
    }
    let least = 1e-9_f64.max(1e-6 * low.abs().max(high.abs()));
    let width = (high - low).max(least);
    low - room * width..high + room * width
}

/// A range that contains all values except the outermost share on each side, with a margin. Outliers may be outside of the picture.
pub fn central_range(values: &[f64], outer: f64, room: f64) -> Range<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let cut = (outer * sorted.len() as f64) as usize;
    let kept = sorted.get(cut..sorted.len() - cut).unwrap_or_default();
    range_of(kept.iter().copied(), room)
}

/// Approximately `n` increasing indices below `len` at most, with one per section. Its position within the section follows the golden
/// ratio, so that a periodic motion is not sampled at the same phases repeatedly.
pub fn every(len: usize, n: usize) -> impl Iterator<Item = usize> {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let stretch = len.div_ceil(n).max(1);
    (0..len.div_ceil(stretch))
        .map(move |i| i * stretch + ((GOLDEN * i as f64).fract() * stretch as f64) as usize)
        .filter(move |&index| index < len)
}

/// Draws a title with space above it and returns the area below.
///
/// # Errors
/// What the backend reports.
pub fn titled<B: DrawingBackend>(area: &Area<B>, title: &str) -> Result<Area<B>, DrawError>
where
    B::ErrorType: 'static,
{
    let style = ("sans-serif", 19).into_font().color(&INK);
    let below = area.margin(10, 0, 0, 0).titled(title, style);
    Ok(below.map_err(|error| error.to_string())?)
}

/// Formats a number at an axis without trailing zeros.
pub fn tick(value: &f64) -> String {
    // Sums of axis steps miss zero because of rounding.
    if value.abs() < 1e-12 {
        return "0".to_owned();
    }
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(*value);
    // Avoid "−0".
    (rounded + 0.0).to_string()
}

/// Approximately `n` points of a curve at most. The smallest and largest value of each section are kept.
pub fn thin(points: &[(f64, f64)], n: usize) -> Vec<(f64, f64)> {
    if points.len() <= n {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(n / 2);
    points
        .chunks(stretch)
        .flat_map(|chunk| {
            let by = |a: &usize, b: &usize| chunk[*a].1.total_cmp(&chunk[*b].1);
            let low = (0..chunk.len()).min_by(by).unwrap_or(0);
            let high = (0..chunk.len()).max_by(by).unwrap_or(0);
            [chunk[low.min(high)], chunk[low.max(high)]]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_takes_one_of_each_section() {
        let taken: Vec<usize> = every(1000, 100).collect();
        assert!(taken.len() == 100 && taken.windows(2).all(|pair| pair[0] < pair[1]));
        assert!((0..10).all(|phase| taken.iter().any(|index| index % 10 == phase)));
        assert_eq!(every(3, 100).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(every(0, 100).count(), 0);
        assert_eq!(
            [tick(&0.1), tick(&-0.0), tick(&1e-17), tick(&1500.0)],
            ["0.1", "0", "0", "1500"]
        );
    }

    #[test]
    fn thinning_keeps_the_extremes_in_order() {
        let points: Vec<(f64, f64)> = (0..10_000)
            .map(|i| {
                (
                    f64::from(i),
                    if i == 4321 { 50.0 } else { f64::from(i % 7) },
                )
            })
            .collect();
        let thinned = thin(&points, 1000);
        assert!(thinned.len() <= 1002 && thinned.contains(&(4321.0, 50.0)));
        assert!(thinned.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }

    #[test]
    fn ranges_are_never_empty() {
        assert_eq!(range_of([].into_iter(), 0.1), 0.0..1.0);
        let point = range_of([5.0, f64::NAN].into_iter(), 0.1);
        assert!(point.start < 5.0 && point.end > 5.0);
        let mut values = vec![0.0; 99];
        values.push(1e9);
        assert!(central_range(&values, 0.01, 0.05).end < 1.0);
    }
}
