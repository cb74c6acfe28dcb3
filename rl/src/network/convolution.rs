//! A convolution of 3 × 3 pixels with a step of 2 and a border of zeros (LeCun 1989, doi:10.1162/neco.1989.1.4.541), as patches for a dense
//! layer.

/// Side of a patch [pixels].
const SIDE: usize = 3;

/// Step between patches [pixels].
const STEP: usize = 2;

/// Pixels in a patch.
pub const PATCH: usize = SIDE * SIDE;

/// Sizes of an image whose patches are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convolution {
    /// Rows, columns and channels of the image, without gaps.
    pub shape: [usize; 3],
}

impl Convolution {
    /// Rows and columns of the result: one patch about every second pixel.
    pub fn positions(&self) -> [usize; 2] {
        let [rows, columns, _] = self.shape;
        [rows.div_ceil(STEP), columns.div_ceil(STEP)]
    }

    /// Number of patches.
    pub fn n_positions(&self) -> usize {
        self.positions().iter().product()
    }

    /// Length of a patch.
    pub fn patch_len(&self) -> usize {
        PATCH * self.shape[2]
    }

    /// Writes the patches of an image, shape `[n_positions, patch_len]`.
    pub(super) fn gather(&self, image: &[f32], patches: &mut [f32]) {
        let n_channels = self.shape[2];
        self.visit(|patch, pixel| {
            let to = &mut patches[patch * n_channels..][..n_channels];
            match pixel {
                Some(pixel) => to.copy_from_slice(&image[pixel * n_channels..][..n_channels]),
                None => to.fill(0.0),
            }
        });
    }

    /// Sums patches, rows of length `width`, into the pixels that they were taken from.
    pub(super) fn scatter(&self, patches: &[f32], width: usize, image: &mut [f32]) {
        image.fill(0.0);
        let n_channels = self.shape[2];
        self.visit(|patch, pixel| {
            if let Some(pixel) = pixel {
                let at = patch / PATCH * width + patch % PATCH * n_channels;
                let to = &mut image[pixel * n_channels..][..n_channels];
                for (sum, entry) in to.iter_mut().zip(&patches[at..][..n_channels]) {
                    *sum += entry;
                }
            }
        });
    }

    /// Visits each pixel of each patch with its number, and the number of the image's pixel there; `None` beyond the border.
    fn visit(&self, mut visit: impl FnMut(usize, Option<usize>)) {
        let [n_rows, n_columns, _] = self.shape;
        let [down, across] = self.positions();
        let mut number = 0;
        for at in (0..down).flat_map(|row| (0..across).map(move |column| [row, column])) {
            for offset in 0..PATCH {
                let row = STEP * at[0] + offset / SIDE;
                let column = STEP * at[1] + offset % SIDE;
                // The border is one pixel wide.
                let is_inside = (1..=n_rows).contains(&row) && (1..=n_columns).contains(&column);
                visit(
                    number,
                    is_inside.then(|| (row - 1) * n_columns + column - 1),
                );
                number += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three rows of four pixels with two channels.
    const IMAGE: Convolution = Convolution { shape: [3, 4, 2] };

    #[test]
    fn patches_lie_about_every_second_pixel() {
        assert_eq!(IMAGE.positions(), [2, 2]);
        let image: Vec<f32> = (1..=24).map(|number| number as f32).collect();
        let mut patches = vec![f32::NAN; 4 * 18];
        IMAGE.gather(&image, &mut patches);
        // About the pixel in row 0, column 2: rows −1 to 1, columns 1 to 3.
        let expected = [
            [0.0; 6],
            [3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
            [11.0, 12.0, 13.0, 14.0, 15.0, 16.0],
        ];
        assert_eq!(patches[18..36], expected.concat());
    }

    /// ⟨gather(x), y⟩ = ⟨x, scatter(y)⟩.
    #[test]
    fn scattering_is_the_transpose_of_gathering() {
        let number = |i: usize| (i as f32 * 12.9898).sin();
        let image: Vec<f32> = (0..24).map(number).collect();
        let others: Vec<f32> = (100..100 + 4 * 32).map(number).collect();
        let mut patches = vec![0.0; 4 * 18];
        IMAGE.gather(&image, &mut patches);
        let rows = patches.chunks(18).zip(others.chunks(32));
        let left: f32 = rows
            .flat_map(|(a, b)| a.iter().zip(b))
            .map(|(a, b)| a * b)
            .sum();
        let mut back = vec![f32::NAN; 24];
        IMAGE.scatter(&others, 32, &mut back);
        let right: f32 = image.iter().zip(&back).map(|(a, b)| a * b).sum();
        assert!((left - right).abs() < 1e-4, "{left} {right}");
    }
}
