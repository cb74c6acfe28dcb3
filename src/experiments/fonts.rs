//! The font that plots are labelled in; it comes with the program, so plots need none of the system's.

use std::sync::Once;

use plotters::style::{FontStyle, register_font};

/// Makes DejaVu Sans known to the plots, once; labels are measured with it even where SVG leaves the drawing to the viewer.
pub(crate) fn register_fonts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (style, font) in [
            (FontStyle::Normal, dejavu::sans::regular()),
            (FontStyle::Bold, dejavu::sans::bold()),
        ] {
            // A font that came with the program is readable; without it, drawing says so.
            let _ = register_font("sans-serif", style, font);
        }
    });
}
