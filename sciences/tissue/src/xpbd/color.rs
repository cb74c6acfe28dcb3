//! Graph colouring. Constraints of one colour share no point, so they may be solved in parallel.

/// Greedy colouring of constraints given by their points. Returns the indices of the constraints per colour, in
/// ascending order.
pub(crate) fn color<'a>(
    constraints: impl Iterator<Item = &'a [u32]>,
    n_points: usize,
) -> Vec<Vec<u32>> {
    // Colours in use at each point, as bits.
    let mut taken: Vec<Vec<u64>> = vec![Vec::new(); n_points];
    let mut colors: Vec<Vec<u32>> = Vec::new();
    for (index, points) in constraints.enumerate() {
        let mut word = 0;
        let color = loop {
            let used = points.iter().fold(0, |bits, point| {
                bits | taken[*point as usize].get(word).copied().unwrap_or(0)
            });
            if used != u64::MAX {
                break 64 * word + used.trailing_ones() as usize;
            }
            word += 1;
        };
        for point in points {
            let words = &mut taken[*point as usize];
            words.resize(words.len().max(color / 64 + 1), 0);
            words[color / 64] |= 1 << (color % 64);
        }
        if color == colors.len() {
            colors.push(Vec::new());
        }
        colors[color].push(index as u32);
    }
    colors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_of_one_color_share_no_point() {
        // A fan of 100 pairs around point 0, and a chain.
        let mut pairs: Vec<[u32; 2]> = (1..=100).map(|i| [0, i]).collect();
        pairs.extend((1..100).map(|i| [i, i + 1]));
        let colors = color(pairs.iter().map(<[u32; 2]>::as_slice), 101);
        assert_eq!(colors.iter().map(Vec::len).sum::<usize>(), pairs.len());
        assert!(colors.len() >= 100, "{}", colors.len());
        for same in &colors {
            let mut seen = std::collections::BTreeSet::new();
            for index in same {
                for vertex in pairs[*index as usize] {
                    assert!(seen.insert(vertex));
                }
            }
        }
    }
}
