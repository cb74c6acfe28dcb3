//! Scores over runs and tasks (Agarwal et al. 2021, *Deep reinforcement learning at the edge of the statistical precipice*,
//! arXiv 2108.13264).

/// Mean of the middle half of the scores of all tasks: a quarter of all, rounded down, is left out at either end. NaN without scores.
///
/// `scores` has the runs of each task. Scores of tasks must have one scale, such as success rates.
pub fn interquartile_mean(scores: &[Vec<f64>]) -> f64 {
    let mut all: Vec<f64> = scores.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    let cut = all.len() / 4;
    let middle = all.get(cut..all.len() - cut).unwrap_or_default();
    middle.iter().sum::<f64>() / middle.len() as f64
}

/// Probability that a run of one algorithm has a higher score than a run of another one, as the mean over tasks; ties count half. This is
/// the Mann–Whitney statistic over the product of the numbers of runs. NaN without tasks.
pub fn improvement_probability(scores: &[Vec<f64>], others: &[Vec<f64>]) -> f64 {
    let of_task = |(these, those): (&Vec<f64>, &Vec<f64>)| {
        let pairs = these
            .iter()
            .flat_map(|this| those.iter().map(move |that| (this, that)));
        let wins: f64 = pairs
            .map(|(this, that)| match this.total_cmp(that) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            })
            .sum();
        wins / (these.len() * those.len()) as f64
    };
    let n_tasks = scores.len().min(others.len()) as f64;
    scores.iter().zip(others).map(of_task).sum::<f64>() / n_tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `scipy.stats.trim_mean(x, 0.25)`, by hand.
    #[test]
    fn a_quarter_is_left_out_at_either_end() {
        let scores = [vec![1.0, 100.0, 3.0], vec![2.0, 4.0, 6.0, 5.0, 7.0]];
        // Of 1 to 7 and 100, the middle four are 3, 4, 5, 6.
        assert_eq!(interquartile_mean(&scores), 4.5);
        // Of five values one is left out at either end.
        assert_eq!(interquartile_mean(&[vec![0.0, 1.0, 2.0, 3.0, 10.0]]), 2.0);
        assert_eq!(interquartile_mean(&[vec![0.25]]), 0.25);
        assert!(interquartile_mean(&[]).is_nan());
    }

    #[test]
    fn improvement_is_the_share_of_won_pairs() {
        // 3 beats 1 and 2; 2 beats 1 and ties with 2: 3.5 of 4. In the second task no pair is won.
        let these = [vec![3.0, 2.0], vec![0.0]];
        let those = [vec![1.0, 2.0], vec![1.0, 1.0]];
        let expected = 0.5 * (3.5 / 4.0 + 0.0);
        assert_eq!(improvement_probability(&these, &those), expected);
        assert_eq!(improvement_probability(&those, &these), 1.0 - expected);
        assert!(improvement_probability(&[], &[]).is_nan());
    }
}
