//! Several sites put together: mean, spread, ratio, and ranges for domain randomisation.

/// Mean and spread over the sites.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Standard deviation over sites, with n - 1; 0 for one site.
    pub sd: f64,
    /// Smallest and largest.
    pub range: [f64; 2],
    /// 95 % interval of the mean, from Student's t with n - 1 degrees of freedom; for one site the fit's own.
    pub ci95: [f64; 2],
    /// Where a new site is expected with 95 %: what domain randomisation draws from; clipped above 0.
    pub randomisation: [f64; 2],
}

/// Stiffness over damping [1/s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Mean stiffness over mean damping.
    pub value: f64,
    /// 95 % interval.
    pub ci95: [f64; 2],
}

/// The pooled softness of several sites.
#[derive(Clone, Debug, PartialEq)]
pub struct Pooled {
    /// Number of sites.
    pub n_sites: usize,
    /// Each parameter that every site has and identifies, in the order of the first site.
    pub parameters: Vec<(&'static str, Spread)>,
    /// Stiffness over damping, where both are there.
    pub ratio: Option<Ratio>,
}

/// Pools the fits of several sites; they must be of one model.
pub fn pool(_fits: &[&crate::Fit]) -> Pooled {
    unimplemented!()
}
