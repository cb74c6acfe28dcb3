//! Ultrasound observations of a policy, drawn next to the frames of a film: scanlines from left to right, depth from top to bottom.

/// Readings that are drawn, with their colours.
const COLOURS: [(&str, [f32; 3]); 4] = [
    ("b_mode", [255.0, 255.0, 255.0]),
    ("confidence", [255.0, 255.0, 255.0]),
    ("liver", [176.0, 98.0, 70.0]),
    ("kidney", [92.0, 168.0, 214.0]),
];

/// Width over height.
const ASPECT: f32 = 0.45;

/// Positions of the ultrasound readings in an observation.
#[derive(Debug, Clone)]
pub(super) struct FilmLines {
    readings: Vec<FilmReading>,
}

/// A reading in beam space.
#[derive(Debug, Clone)]
struct FilmReading {
    first: usize,
    n_lines: usize,
    n_samples: usize,
    colour: [f32; 3],
}

impl FilmLines {
    /// Finds the readings by the names of an observation's entries; `None` without ultrasound.
    pub(super) fn of(names: &[String]) -> Option<Self> {
        let readings: Vec<FilmReading> = COLOURS
            .iter()
            .filter_map(|(reading, colour)| FilmReading::of(reading, *colour, names))
            .collect();
        (!readings.is_empty()).then_some(Self { readings })
    }

    /// Width of the picture next to frames of a given height [pixels].
    pub(super) fn width(height: u32) -> u32 {
        (ASPECT * height as f32).round() as u32
    }

    /// A row of the picture, as red, green and blue.
    pub(super) fn row(&self, observation: &[f32], y: u32, height: u32) -> Vec<u8> {
        let width = Self::width(height);
        let at = |place: u32, size: u32, n: usize| place as usize * n / size as usize;
        let pixel = |x: u32| {
            let mut sum = [0.0; 3];
            for reading in &self.readings {
                let (line, sample) = (
                    at(x, width, reading.n_lines),
                    at(y, height, reading.n_samples),
                );
                let value = observation[reading.first + line * reading.n_samples + sample];
                for (sum, colour) in sum.iter_mut().zip(reading.colour) {
                    *sum += value * colour;
                }
            }
            sum.map(|level: f32| level.clamp(0.0, 255.0) as u8)
        };
        (0..width).flat_map(pixel).collect()
    }
}

impl FilmReading {
    fn of(reading: &str, colour: [f32; 3], names: &[String]) -> Option<Self> {
        let own = |name: &String| -> Option<[usize; 2]> {
            let place = name.strip_prefix(reading)?.strip_prefix('_')?;
            let (line, sample) = place.strip_suffix(" [1]")?.split_once('_')?;
            Some([line.parse().ok()?, sample.parse().ok()?])
        };
        let first = names.iter().position(|name| own(name).is_some())?;
        let places: Vec<[usize; 2]> = names[first..].iter().map_while(own).collect();
        let [line, sample] = *places.last()?;
        let (n_lines, n_samples) = (line + 1, sample + 1);
        (places.len() == n_lines * n_samples).then_some(Self {
            first,
            n_lines,
            n_samples,
            colour,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_are_found_by_name_and_drawn_in_their_colours() {
        let mut names = vec!["breath [m]".to_owned()];
        for reading in ["liver", "kidney"] {
            let places = (0..2).flat_map(|line| (0..3).map(move |sample| (line, sample)));
            names.extend(places.map(|(line, sample)| format!("{reading}_{line}_{sample} [1]")));
        }
        let lines = FilmLines::of(&names).unwrap();
        let mut observation = vec![0.0; names.len()];
        // Liver in the second scanline, at its last sample.
        observation[6] = 1.0;
        let (height, width) = (60, FilmLines::width(60));
        let row = lines.row(&observation, 59, height);
        assert_eq!(row.len(), 3 * width as usize);
        assert_eq!(row[..3], [0, 0, 0]);
        assert_eq!(row[row.len() - 3..], [176, 98, 70]);
        assert!(lines.row(&observation, 0, height).iter().all(|x| *x == 0));
        assert!(FilmLines::of(&names[..1]).is_none());
    }
}
