//! Inertia of a rigid body in barycentric form, in which the equations of motion are linear (Maes, Samin, Willems 1989).
//!
//! With mass m, centre of mass r and inertia about it I: first moment l = m r, inertia about the frame's origin L = I + m (r·r 1 - r rᵀ).
//! A physically feasible body has a positive definite pseudo-inertia [[½ tr(L) 1 - L, l], [lᵀ, m]] (Wensing, Kim, Slotine 2018, Eq. 9).

use nalgebra::{Matrix3, Matrix4, SVector, Vector3};

/// Inertia of a link in its own frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Mass [kg].
    pub mass: f64,
    /// Mass times centre of mass [kg m].
    pub first_moment: Vector3<f64>,
    /// Symmetric inertia about the frame's origin [kg m²].
    pub about_origin: Matrix3<f64>,
}

impl Inertia {
    /// Inertia of a massless body.
    pub const ZERO: Self = Self {
        mass: 0.0,
        first_moment: Vector3::new(0.0, 0.0, 0.0),
        about_origin: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// A body with mass `mass` [kg], centre of mass `centre` [m] and inertia `[xx, xy, xz, yy, yz, zz]` about that centre [kg m²].
    pub fn about_centre(mass: f64, centre: [f64; 3], inertia: [f64; 6]) -> Self {
        let centre = Vector3::from(centre);
        Self {
            mass,
            first_moment: mass * centre,
            about_origin: symmetric(inertia) + mass * steiner(&centre),
        }
    }

    /// The barycentric parameters `[Lxx, Lxy, Lxz, Lyy, Lyz, Lzz, lx, ly, lz, m]`, in SI units.
    pub fn to_parameters(&self) -> SVector<f64, 10> {
        let (l, s) = (&self.about_origin, &self.first_moment);
        let entries = [
            l[(0, 0)],
            l[(0, 1)],
            l[(0, 2)],
            l[(1, 1)],
            l[(1, 2)],
            l[(2, 2)],
        ];
        SVector::<f64, 10>::from_iterator(
            entries
                .into_iter()
                .chain(s.iter().copied())
                .chain([self.mass]),
        )
    }

    /// The inverse of [`Inertia::to_parameters`].
    pub fn from_parameters(p: &[f64; 10]) -> Self {
        Self {
            mass: p[9],
            first_moment: Vector3::new(p[6], p[7], p[8]),
            about_origin: symmetric([p[0], p[1], p[2], p[3], p[4], p[5]]),
        }
    }

    /// Centre of mass [m]; the origin for a body without mass.
    pub fn centre(&self) -> Vector3<f64> {
        if self.mass == 0.0 {
            Vector3::zeros()
        } else {
            self.first_moment / self.mass
        }
    }

    /// Inertia about the centre of mass, in axes parallel to the frame's [kg m²].
    pub fn about_its_centre(&self) -> Matrix3<f64> {
        self.about_origin - self.mass * steiner(&self.centre())
    }

    /// The pseudo-inertia, which is positive definite if the inertia is physically feasible.
    pub fn pseudo_inertia(&self) -> Matrix4<f64> {
        let second = Matrix3::identity() * (0.5 * self.about_origin.trace()) - self.about_origin;
        let mut pseudo = Matrix4::zeros();
        pseudo.fixed_view_mut::<3, 3>(0, 0).copy_from(&second);
        pseudo
            .fixed_view_mut::<3, 1>(0, 3)
            .copy_from(&self.first_moment);
        pseudo
            .fixed_view_mut::<1, 3>(3, 0)
            .copy_from(&self.first_moment.transpose());
        pseudo[(3, 3)] = self.mass;
        pseudo
    }

    /// Smallest eigenvalue of the pseudo-inertia, which is positive if the inertia is physically feasible.
    pub fn feasibility(&self) -> f64 {
        self.pseudo_inertia().symmetric_eigenvalues().min()
    }
}

impl std::ops::AddAssign for Inertia {
    fn add_assign(&mut self, other: Self) {
        self.mass += other.mass;
        self.first_moment += other.first_moment;
        self.about_origin += other.about_origin;
    }
}

/// r·r 1 - r rᵀ.
fn steiner(r: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::identity() * r.norm_squared() - r * r.transpose()
}

fn symmetric([xx, xy, xz, yy, yz, zz]: [f64; 6]) -> Matrix3<f64> {
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}
