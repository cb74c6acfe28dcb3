//! Distances to the solids of organs.

use crate::deformation::{Point, Vector};

/// Safe share of an ellipsoid's first-order distance.
const SAFE: f32 = 0.45;
/// Safe share of a tube's distance, as its radius may grow.
const TAPERED: f32 = 0.95;

/// A solid.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Half axes along x, y, z [m], turned about z by an angle's cosine and sine.
    Ellipsoid {
        center: Point,
        half: Vector,
        turn: [f32; 2],
    },
    /// A tube between two points, with a radius at each [m].
    Tube { ends: [Point; 2], radii: [f32; 2] },
}

impl Shape {
    /// Distance to the surface [m], negative inside, of first order for an ellipsoid; and a lower bound of the distance.
    #[inline]
    pub(super) fn distance(&self, point: &Point) -> [f32; 2] {
        match self {
            Self::Ellipsoid { center, half, turn } => {
                let p = into_axes(&(point - center), *turn);
                let inverse = Vector::new(1.0 / half.x, 1.0 / half.y, 1.0 / half.z);
                let scaled = p.component_mul(&inverse);
                let gauge = scaled.norm();
                let slope = scaled.component_mul(&inverse).norm();
                // The distance along the shortest axis is a lower bound.
                let least = (gauge - 1.0).abs() * half.min();
                if slope < 1e-6 {
                    [-half.min(), least]
                } else {
                    let distance = gauge * (gauge - 1.0) / slope;
                    [distance, least.max(SAFE * distance.abs())]
                }
            }
            Self::Tube {
                ends: [start, end],
                radii,
            } => {
                let (along, from) = (end - start, point - start);
                let share = (from.dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
                let radius = radii[0] + share * (radii[1] - radii[0]);
                let distance = (from - share * along).norm() - radius;
                [distance, TAPERED * distance.abs()]
            }
        }
    }

    /// Interval of a straight segment's line that lies inside, in shares of the segment, possibly beyond its ends; `None` if the line misses.
    #[inline]
    pub(super) fn chord(&self, start: &Point, way: &Vector) -> Option<[f32; 2]> {
        match self {
            Self::Ellipsoid { center, half, turn } => {
                // |p + t w| = 1 after scaling the ellipsoid to a ball of radius 1.
                let scaled = |v: &Vector| into_axes(v, *turn).component_div(half);
                let (p, w) = (scaled(&(start - center)), scaled(way));
                roots(w.norm_squared(), p.dot(&w), p.norm_squared() - 1.0)
            }
            Self::Tube { ends, radii } => tube_chord(ends, *radii, start, way),
        }
    }

    /// Outward normal of the surface near a point [not normalised].
    pub(super) fn outward(&self, point: &Point) -> Vector {
        match self {
            Self::Ellipsoid { center, half, turn } => {
                let p = into_axes(&(point - center), *turn);
                out_of_axes(&p.component_div(half).component_div(half), *turn)
            }
            Self::Tube {
                ends: [start, end],
                radii,
            } => {
                let (along, from) = (end - start, point - start);
                let share = from.dot(&along) / along.norm_squared();
                let away = from - share.clamp(0.0, 1.0) * along;
                if !(0.0..=1.0).contains(&share) {
                    return away;
                }
                // The wall is inclined by the growth of the radius.
                let growth = (radii[1] - radii[0]) / along.norm_squared();
                away - growth * away.norm() * along
            }
        }
    }

    /// Upper bound of the ratio of computed and true distance outside.
    pub(super) fn slack(&self) -> f32 {
        match self {
            // First-order distances are too large by up to the slenderness.
            Self::Ellipsoid { .. } => 1.6,
            Self::Tube { .. } => 1.0 / TAPERED,
        }
    }

    /// A point of the surface in a direction of unit length from the centre (the image of a stretched ball), and the area per area on
    /// the ball of radius 1 [m²]; `None` for a tube.
    pub(super) fn surface(&self, direction: &Vector) -> Option<(Point, f32)> {
        match self {
            Self::Ellipsoid { center, half, turn } => {
                let point = center + out_of_axes(&direction.component_mul(half), *turn);
                Some((point, half.product() * direction.component_div(half).norm()))
            }
            Self::Tube { .. } => None,
        }
    }

    /// Bounding ball: centre and radius [m].
    pub(super) fn ball(&self) -> (Point, f32) {
        match self {
            Self::Ellipsoid { center, half, .. } => (*center, half.max()),
            Self::Tube {
                ends: [start, end],
                radii,
            } => {
                let along = end - start;
                (
                    start + 0.5 * along,
                    0.5 * along.norm() + radii[0].max(radii[1]),
                )
            }
        }
    }

    /// The shape, larger by a length on all sides [m].
    pub(super) fn grown(&self, by: f32) -> Self {
        match *self {
            Self::Ellipsoid { center, half, turn } => Self::Ellipsoid {
                center,
                half: half.add_scalar(by),
                turn,
            },
            Self::Tube { ends, radii } => Self::Tube {
                ends,
                radii: radii.map(|radius| radius + by),
            },
        }
    }
}

/// Components of a vector along an ellipsoid's axes, which are turned about z by an angle's cosine and sine.
#[inline]
fn into_axes(v: &Vector, [cos, sin]: [f32; 2]) -> Vector {
    Vector::new(cos * v.x + sin * v.y, cos * v.y - sin * v.x, v.z)
}

/// Inverse of [`into_axes`].
fn out_of_axes(v: &Vector, [cos, sin]: [f32; 2]) -> Vector {
    into_axes(v, [cos, -sin])
}

/// Interval in which a t² + 2 b t + c is below 0, for a > 0.
#[inline]
fn roots(a: f32, b: f32, c: f32) -> Option<[f32; 2]> {
    let square = b * b - a * c;
    if square <= 0.0 {
        return None;
    }
    // Each root can be written in two ways; this one avoids cancellation.
    let far = -(b + square.sqrt().copysign(b));
    let both = [far / a, c / far];
    Some([both[0].min(both[1]), both[0].max(both[1])])
}

/// Interval inside a tube, which consists of a ball at either end and, between them, the points nearer to the axis than the radius there.
fn tube_chord(
    [start, end]: &[Point; 2],
    [first, last]: [f32; 2],
    from: &Point,
    way: &Vector,
) -> Option<[f32; 2]> {
    const FAR: f32 = 1e9;
    let (along, offset) = (end - start, from - start);
    let scale = along.norm_squared().recip();
    // Position along the axis, and squared distance from it, as functions of the share t of the segment.
    let [s, ds] = [offset.dot(&along) * scale, way.dot(&along) * scale];
    let (aside, drift) = (offset - s * along, way - ds * along);
    let slope = last - first;
    let [radius, growth] = [first + s * slope, ds * slope];
    let a = drift.norm_squared() - growth * growth;
    let b = aside.dot(&drift) - radius * growth;
    let c = aside.norm_squared() - radius * radius;
    let mut inside: Option<[f32; 2]> = None;
    let mut join = |part: Option<[f32; 2]>, [from, to]: [f32; 2]| {
        if let Some([enter, leave]) = part {
            let [enter, leave] = [enter.max(from), leave.min(to)];
            if enter < leave {
                let [low, high] = inside.unwrap_or([enter, leave]);
                inside = Some([low.min(enter), high.max(leave)]);
            }
        }
    };
    // Parts of the segment before the first end, between both, and behind the second.
    let windows = if ds.abs() > 1e-9 {
        let [at_start, at_end] = [-s / ds, (1.0 - s) / ds];
        if ds > 0.0 {
            [[-FAR, at_start], [at_start, at_end], [at_end, FAR]]
        } else {
            [[at_start, FAR], [at_end, at_start], [-FAR, at_end]]
        }
    } else {
        let (all, none) = ([-FAR, FAR], [FAR, -FAR]);
        let is_here = [s < 0.0, (0.0..=1.0).contains(&s), s > 1.0];
        is_here.map(|is_here| if is_here { all } else { none })
    };
    let ball = |center: &Point, radius: f32| {
        let offset = from - center;
        let c = offset.norm_squared() - radius * radius;
        roots(way.norm_squared(), offset.dot(way), c)
    };
    join(ball(start, first), windows[0]);
    let is_steep = a > 1e-6 * way.norm_squared();
    let middle = if is_steep {
        roots(a, b, c)
    } else {
        leaning([a, b, c], windows[1])
    };
    join(middle, windows[1]);
    join(ball(end, last), windows[2]);
    inside
}

/// Like [`roots`], between two shares and for a near 0 or below, with at most one root between them.
fn leaning([a, b, c]: [f32; 3], [from, to]: [f32; 2]) -> Option<[f32; 2]> {
    let is_inside = |t: f32| (a * t + 2.0 * b) * t + c < 0.0;
    let far = -(b + (b * b - a * c).max(0.0).sqrt().copysign(b));
    let (near, other) = (c / far, far / a);
    let root = if (from..=to).contains(&near) {
        near
    } else {
        other
    };
    match [from, to].map(is_inside) {
        [true, true] => Some([from, to]),
        [true, false] => Some([from, root.max(from).min(to)]),
        [false, true] => Some([root.max(from).min(to), to]),
        [false, false] => None,
    }
}
