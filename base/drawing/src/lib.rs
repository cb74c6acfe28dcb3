//! Drawings for reports and experiments: plots, pictures with one value per pixel, and films.
//!
//! * [`Drawing`] and [`Picture`]: a drawing as SVG and as PNG, by the same code, with an embedded font.
//! * [`chart`], [`line`], [`dots`], [`band`], [`legend`]: parts of drawings in one style.
//! * [`StackedPlot`]: curves over time in stacked panels.
//! * [`grey_picture`], [`color_picture`], [`label_picture`]: PNG files of grey levels, of colours and of labels.
//! * [`Film`]: an animated GIF; [`CurveStrip`]: a curve below its frames that grows with it.
//! * [`SolidView`]: a shaded view of surfaces.
//! * [`ColorScale`]: colours of numbers, and their scale next to a picture.
//! * [`Ruler`]: depth ticks, a mark and a caption on a picture.
//!
//! The crate does not know what it draws.

mod canvas;
mod color_scale;
mod curve_strip;
mod error;
mod film;
mod fonts;
mod raster;
mod ruler;
mod solid_view;
mod stacked_plot;

pub use canvas::{
    Area, Axis, BLUE_LINE, Chart, Drawing, GREY_LINE, INK, ORANGE_LINE, Picture, WINDOW, band,
    central_range, chart, dots, every, legend, line, range_of, svg_of, thin, tick, titled,
};
pub use color_scale::ColorScale;
pub use curve_strip::CurveStrip;
pub use error::{DrawError, DrawResult, DrawingError};
pub use film::Film;
pub use fonts::register_fonts;
pub use raster::{color_picture, grey_picture, label_color, label_picture, legend_picture};
pub use ruler::Ruler;
pub use solid_view::SolidView;
pub use stacked_plot::{MAX_POINTS, Panel, Points, StackedPlot};
