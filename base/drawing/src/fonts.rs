//! The font of plot labels. It is part of the program, so plots do not depend on system fonts.

use std::sync::Once;

use plotters::style::{FontStyle, register_font};

/// Registers DejaVu Sans for plots, once. Labels are measured with it even if an SVG viewer draws them.
pub fn register_fonts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (style, font) in [
            (FontStyle::Normal, dejavu::sans::regular()),
            (FontStyle::Bold, dejavu::sans::bold()),
        ] {
            // The built-in font is readable. If registration fails, drawing reports it.
            let _ = register_font("sans-serif", style, font);
        }
    });
}
