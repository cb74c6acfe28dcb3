//! An order of unknowns that keeps the rows of a Cholesky factor short.

/// Breadth-first order of the matrix's graph from an outermost unknown (Cuthill and McKee 1969). Unknowns with very many
/// neighbours, compared with the others, come last, where a long row occurs only once.
pub(super) fn cuthill_mckee(n: usize, entries: &[(usize, usize, f64)]) -> Vec<usize> {
    const MANY: usize = 32;
    const MANY_TIMES_MEDIAN: usize = 4;
    let mut neighbours = vec![Vec::new(); n];
    for &(row, column, _) in entries {
        if row != column {
            neighbours[row].push(column);
            neighbours[column].push(row);
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let mut degrees: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    degrees.sort_unstable();
    let median = degrees.get(n / 2).copied().unwrap_or_default();
    let many = MANY.max(MANY_TIMES_MEDIAN * median);
    let hub: Vec<bool> = neighbours.iter().map(|list| list.len() > many).collect();
    for list in &mut neighbours {
        list.retain(|&other| !hub[other]);
    }
    let mut visited = hub.clone();
    let mut order = Vec::with_capacity(n);
    for seed in 0..n {
        if visited[seed] {
            continue;
        }
        // Two sweeps find an unknown at the far end of the component.
        let far = sweep(seed, &neighbours, &mut visited.clone())
            .pop()
            .unwrap_or(seed);
        order.extend(sweep(far, &neighbours, &mut visited));
    }
    order.extend((0..n).filter(|&unknown| hub[unknown]));
    order
}

fn sweep(seed: usize, neighbours: &[Vec<usize>], visited: &mut [bool]) -> Vec<usize> {
    let mut order = vec![seed];
    visited[seed] = true;
    let mut next = 0;
    while let Some(&unknown) = order.get(next) {
        next += 1;
        let mut fresh: Vec<usize> = neighbours[unknown]
            .iter()
            .copied()
            .filter(|&other| !visited[other])
            .collect();
        fresh.sort_by_key(|&other| (neighbours[other].len(), other));
        for other in fresh {
            visited[other] = true;
            order.push(other);
        }
    }
    order
}
