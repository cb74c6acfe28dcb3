//! Shaded views of surfaces, without perspective and drawn on the processor.

/// Light from the viewer, above and to the left: right, up, towards the viewer.
const LIGHT: [f64; 3] = [-0.35, 0.45, 0.82];
/// Share of light that comes from everywhere.
const AMBIENT: f64 = 0.35;
const BACKGROUND: [u8; 3] = [255; 3];

/// A picture of surfaces seen along an axis.
#[derive(Clone, Debug)]
pub struct SolidView {
    /// Directions to the right, up and towards the viewer, of unit length.
    axes: [[f64; 3]; 3],
    /// Coordinates of the left and upper edge along the first two axes.
    corner: [f64; 2],
    /// Edge of a pixel, in the unit of the coordinates.
    pixel: f64,
    size: [usize; 2],
    /// Coordinate towards the viewer of what is seen in each pixel.
    heights: Vec<f64>,
    rgb: Vec<[u8; 3]>,
}

impl SolidView {
    /// An empty view of a box, between two corners. `right` and `up` are perpendicular and of unit length; `pixel` is the edge of a pixel.
    pub fn new(bounds: [[f64; 3]; 2], [right, up]: [[f64; 3]; 2], pixel: f64) -> Self {
        let corners = (0..8)
            .map(|corner: usize| std::array::from_fn(|axis| bounds[corner >> axis & 1][axis]));
        let corners: Vec<[f64; 3]> = corners.collect();
        let range = |way: [f64; 3]| {
            let along = corners.iter().map(|corner| dot(*corner, way));
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                [low.min(x), high.max(x)]
            })
        };
        let ([left, most], [lowest, top]) = (range(right), range(up));
        let pixels = |length: f64| ((length / pixel).ceil() as usize).clamp(1, 4096) + 2;
        let size = [pixels(most - left), pixels(top - lowest)];
        let n = size[0] * size[1];
        Self {
            axes: [right, up, cross(right, up)],
            corner: [left - pixel, top + pixel],
            pixel,
            size,
            heights: vec![f64::NEG_INFINITY; n],
            rgb: vec![BACKGROUND; n],
        }
    }

    /// Width and height [pixels].
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Colours, row by row from the top.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.rgb
    }

    /// Draws a surface: positions and outward normals of its vertices, triangles of vertices, and a colour. What is nearer to the viewer
    /// hides what is behind it.
    pub fn draw(
        &mut self,
        positions: &[[f64; 3]],
        normals: &[[f64; 3]],
        triangles: &[[u32; 3]],
        color: [u8; 3],
    ) {
        let light = |normal: &[f64; 3]| {
            let light = dot(self.axes.map(|axis| dot(*normal, axis)), LIGHT);
            [AMBIENT + (1.0 - AMBIENT) * light.max(0.0), 0.0]
        };
        let lights: Vec<[f64; 2]> = normals.iter().map(light).collect();
        self.draw_triangles(positions, &lights, triangles, |[light, _]| {
            color.map(|own| (f64::from(own) * light.min(1.0)) as u8)
        });
    }

    /// Draws a surface with a picture on it, without shading: positions of its vertices, their places in the picture (from the left and
    /// from the top, 0 to 1), triangles of vertices, and the picture's width and colours, row by row.
    pub fn draw_picture(
        &mut self,
        positions: &[[f64; 3]],
        places: &[[f64; 2]],
        triangles: &[[u32; 3]],
        (width, pixels): (usize, &[[u8; 3]]),
    ) {
        if width == 0 || pixels.len() < width {
            return;
        }
        let height = pixels.len() / width;
        let at = |share: f64, n: usize| ((share * n as f64) as usize).min(n - 1);
        self.draw_triangles(positions, places, triangles, |[right, down]| {
            pixels[at(down, height) * width + at(right, width)]
        });
    }

    /// Draws triangles whose colours depend on two values at their vertices.
    fn draw_triangles(
        &mut self,
        positions: &[[f64; 3]],
        values: &[[f64; 2]],
        triangles: &[[u32; 3]],
        color: impl Fn([f64; 2]) -> [u8; 3],
    ) {
        let placed = positions
            .iter()
            .zip(values)
            .map(|(position, [first, second])| {
                let [x, y, z] = self.axes.map(|axis| dot(*position, axis));
                let column = (x - self.corner[0]) / self.pixel;
                let row = (self.corner[1] - y) / self.pixel;
                [column, row, z, *first, *second]
            });
        let placed: Vec<[f64; 5]> = placed.collect();
        for triangle in triangles {
            let corners = triangle.map(|vertex| placed.get(vertex as usize).copied());
            if let [Some(a), Some(b), Some(c)] = corners {
                self.fill([a, b, c], &color);
            }
        }
    }

    /// Fills a triangle with corners: column, row, height, and two values that give the colour.
    fn fill(&mut self, [a, b, c]: [[f64; 5]; 3], color: impl Fn([f64; 2]) -> [u8; 3]) {
        let twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        if twice == 0.0 {
            return;
        }
        let span = |axis: usize| {
            let least = a[axis].min(b[axis]).min(c[axis]).ceil().max(0.0);
            let most = a[axis].max(b[axis]).max(c[axis]).floor();
            let end = (most + 1.0).clamp(0.0, self.size[axis] as f64);
            least as usize..end as usize
        };
        let (columns, rows) = (span(0), span(1));
        for row in rows {
            for column in columns.clone() {
                let [x, y] = [column as f64, row as f64];
                let second = ((x - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (y - a[1])) / twice;
                let third = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / twice;
                let first = 1.0 - second - third;
                if first < 0.0 || second < 0.0 || third < 0.0 {
                    continue;
                }
                let mix = |n: usize| first * a[n] + second * b[n] + third * c[n];
                let (height, place) = (mix(2), row * self.size[0] + column);
                if height > self.heights[place] {
                    self.heights[place] = height;
                    self.rgb[place] = color([mix(3), mix(4)]);
                }
            }
        }
    }

    /// Lays another view of the same box over this one, as glass of an opacity of 0 to 1, where it is nearer to the viewer.
    pub fn cover(&mut self, glass: &Self, opacity: f64) {
        let glass = glass.heights.iter().zip(&glass.rgb);
        for ((height, own), (above, color)) in self.heights.iter().zip(&mut self.rgb).zip(glass) {
            if above > height {
                for (own, color) in own.iter_mut().zip(color) {
                    let mixed = f64::from(*own) * (1.0 - opacity) + f64::from(*color) * opacity;
                    *own = mixed as u8;
                }
            }
        }
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of edge 2 at a height, which faces +z, moved along x.
    fn square(x: f64, height: f64) -> ([[f64; 3]; 4], [[f64; 3]; 4]) {
        let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        (
            corners.map(|[a, b]| [x + a, b, height]),
            [[0.0, 0.0, 1.0]; 4],
        )
    }

    const TRIANGLES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];
    const VIEW: [[f64; 3]; 2] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    fn empty() -> SolidView {
        SolidView::new([[0.0; 3], [4.0, 2.0, 1.0]], VIEW, 0.1)
    }

    fn color_at(view: &SolidView, x: f64, y: f64) -> [u8; 3] {
        let column = ((x + 0.1) / 0.1).round() as usize;
        let row = ((2.1 - y) / 0.1).round() as usize;
        view.pixels()[row * view.size()[0] + column]
    }

    #[test]
    fn the_nearer_surface_hides_the_other_in_any_order() {
        let surfaces = [(0.0, 0.2, [200, 0, 0]), (1.0, 0.8, [0, 200, 0])];
        for order in [[0, 1], [1, 0]] {
            let mut view = empty();
            for number in order {
                let (x, height, color) = surfaces[number];
                let (positions, normals) = square(x, height);
                view.draw(&positions, &normals, &TRIANGLES, color);
            }
            let shown = |x: f64| color_at(&view, x, 1.0).map(|own| own > 0);
            assert_eq!(shown(0.5), [true, false, false]);
            assert_eq!(shown(1.5), [false, true, false]);
            assert_eq!(shown(2.5), [false, true, false]);
            assert_eq!(color_at(&view, 3.5, 1.0), BACKGROUND);
        }
    }

    #[test]
    fn a_picture_is_as_large_as_its_box_with_an_edge() {
        assert_eq!(empty().size(), [42, 22]);
        // From the patient's left: 2 up, 1 across.
        let side = [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0]];
        let view = SolidView::new([[0.0; 3], [4.0, 2.0, 1.0]], side, 0.1);
        assert_eq!(view.size(), [12, 22]);
    }

    #[test]
    fn a_picture_lies_on_a_surface_as_its_places_say() {
        let mut view = empty();
        let (positions, _) = square(0.0, 0.5);
        // The square's left edge is the picture's left edge; its lower edge is the picture's lower edge.
        let places = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];
        let pixels = [[1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]];
        view.draw_picture(&positions, &places, &TRIANGLES, (2, &pixels));
        let at = |x: f64, y: f64| color_at(&view, x, y)[0];
        assert_eq!(
            [at(0.5, 1.5), at(1.5, 1.5), at(0.5, 0.5), at(1.5, 0.5)],
            [1, 2, 3, 4]
        );
    }

    #[test]
    fn glass_mixes_its_colour_with_what_is_behind_it() {
        let draw = |x: f64, height: f64, color: [u8; 3]| {
            let mut view = empty();
            let (positions, normals) = square(x, height);
            view.draw(&positions, &normals, &TRIANGLES, color);
            view
        };
        let mut view = draw(0.0, 0.5, [200, 0, 0]);
        let before = color_at(&view, 0.5, 1.0);
        view.cover(&draw(0.0, 0.2, [0, 0, 200]), 0.5);
        assert_eq!(color_at(&view, 0.5, 1.0), before, "it is behind");
        let glass = draw(0.0, 0.8, [0, 0, 200]);
        view.cover(&glass, 0.5);
        let [red, _, blue] = color_at(&view, 0.5, 1.0);
        assert_eq!(red, before[0] / 2);
        assert_eq!(blue, color_at(&glass, 0.5, 1.0)[2] / 2);
    }
}
