//! A map of windows as a table.

use std::fmt::Write as _;

use super::WindowMap;

/// Columns of the table.
const COLUMNS: &str = "left_m,head_m,front_m,normal_left,normal_head,normal_front,rays,open_rays,tilt_deg,loss_db,depth_m,direction_left,direction_head,direction_front,bone_depth_m,cut_distance_m";

impl WindowMap {
    /// The places as CSV, row by row from the feet to the head. A field is empty where there is nothing: no open ray, no bone within
    /// reach, no plane that cuts the body off.
    pub fn csv(&self) -> String {
        let mut text = format!("{COLUMNS}\n");
        let number = |x: f64| {
            if x.is_finite() {
                format!("{x:.4}")
            } else {
                String::new()
            }
        };
        for place in self.places.iter().flatten() {
            let [left, head, front] = place.position;
            let [a, b, c] = place.normal;
            let [rays, open] = place.n_rays;
            let sight = place.sight.map_or_else(
                || ",,,,,".to_owned(),
                |own| {
                    let (tilt, [x, y, z]) = (own.tilt.to_degrees(), own.direction);
                    let (loss, depth) = (own.loss, own.depth);
                    format!("{tilt:.1},{loss:.2},{depth:.4},{x:.4},{y:.4},{z:.4}")
                },
            );
            let (bone, cut) = (number(place.bone), number(place.cut));
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{left:.4},{head:.4},{front:.4},{a:.4},{b:.4},{c:.4},{rays},{open},{sight},{bone},{cut}"
            );
        }
        text
    }
}
