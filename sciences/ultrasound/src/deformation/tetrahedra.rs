//! Deformation of tetrahedra: affine in each of them.
//!
//! A regular grid over the world lists, for each cell, the tetrahedra whose boxes touch it.

use nalgebra::Matrix3;

use super::{Deformation, Point, Vector};
use crate::UltrasoundError;

/// Lower limit of barycentric coordinates inside, so that no gap opens between neighbours.
const TOLERANCE: f32 = 1e-4;

/// A body of tetrahedra.
#[derive(Clone, Debug)]
pub struct Tetrahedra {
    world: Side,
    rest: Side,
    max_compression: f32,
}

/// One of the two shapes: a map to the other shape for each tetrahedron, and a grid to find it.
#[derive(Clone, Debug)]
struct Side {
    cells: Grid,
    maps: Vec<Map>,
}

/// A tetrahedron: corner, map to barycentric coordinates, and the corner and edges in the other shape.
#[derive(Clone, Debug)]
struct Map {
    corner: Point,
    barycentric: Matrix3<f32>,
    other_corner: Point,
    other_edges: Matrix3<f32>,
}

/// A grid; the items of a cell are contiguous.
#[derive(Clone, Debug)]
struct Grid {
    origin: Point,
    inv_width: f32,
    count: [usize; 3],
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Tetrahedra {
    /// A body from vertices at rest and in the world [m], and four vertices per tetrahedron. Flat and inverted tetrahedra are left out, as
    /// sound does not pass a fold.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: coordinates are not finite, vertex numbers differ, indices are out of range, or no tetrahedron is left.
    pub fn new(
        rest: &[Point],
        world: &[Point],
        tets: &[[u32; 4]],
    ) -> Result<Self, UltrasoundError> {
        let wrong = |field, value: String, allowed: &str| {
            Err(UltrasoundError::setting(field, value, allowed))
        };
        if rest.len() != world.len() {
            return wrong(
                "vertices in the world",
                world.len().to_string(),
                "as many as at rest",
            );
        }
        let finite = |point: &Point| point.iter().all(|x| x.abs() < 1e6);
        if let Some(index) = (0..rest.len()).find(|&i| !finite(&rest[i]) || !finite(&world[i])) {
            return wrong(
                "vertex",
                index.to_string(),
                "finite and within 1e6 m of the origin",
            );
        }
        if let Some(tet) = tets
            .iter()
            .find(|tet| tet.iter().any(|&i| i as usize >= rest.len()))
        {
            return wrong("tetrahedron", format!("{tet:?}"), "of vertices that exist");
        }
        let corners = |points: &[Point], tet: &[u32; 4]| tet.map(|index| points[index as usize]);
        let edges = |[a, b, c, d]: [Point; 4]| Matrix3::from_columns(&[b - a, c - a, d - a]);
        let upright = |tet: &&[u32; 4]| {
            let [at_rest, now] =
                [rest, world].map(|points| edges(corners(points, tet)).determinant());
            at_rest * now > 0.0
        };
        let tets: Vec<[u32; 4]> = tets.iter().filter(upright).copied().collect();
        if tets.is_empty() {
            return wrong(
                "tetrahedra",
                "none".to_owned(),
                "at least one that is neither flat nor inverted",
            );
        }
        let compression = |tet: &[u32; 4]| {
            let now = edges(corners(world, tet)).try_inverse()?;
            Some((edges(corners(rest, tet)) * now).singular_values().max())
        };
        let most = tets.iter().filter_map(compression).fold(1.0, f32::max);
        Ok(Self {
            world: Side::new(world, rest, &tets),
            rest: Side::new(rest, world, &tets),
            max_compression: most,
        })
    }
}

impl Side {
    fn new(points: &[Point], others: &[Point], tets: &[[u32; 4]]) -> Self {
        let map = |tet: &[u32; 4]| {
            let [a, b, c, d] = tet.map(|index| points[index as usize]);
            let [e, f, g, h] = tet.map(|index| others[index as usize]);
            let inverse = Matrix3::from_columns(&[b - a, c - a, d - a]).try_inverse();
            Map {
                corner: a,
                // A tetrahedron too flat to invert contains no point.
                barycentric: inverse.unwrap_or_else(|| Matrix3::from_element(f32::NAN)),
                other_corner: e,
                other_edges: Matrix3::from_columns(&[f - e, g - e, h - e]),
            }
        };
        Self {
            cells: Grid::new(points, tets),
            maps: tets.iter().map(map).collect(),
        }
    }

    fn other(&self, point: &Point) -> Option<Point> {
        self.cells.at(point)?.iter().find_map(|&tet| {
            let map = &self.maps[tet as usize];
            let shares: Vector = map.barycentric * (point - map.corner);
            let is_inside = shares.min() >= -TOLERANCE && shares.sum() <= 1.0 + TOLERANCE;
            is_inside.then(|| map.other_corner + map.other_edges * shares)
        })
    }
}

impl Grid {
    fn new(points: &[Point], tets: &[[u32; 4]]) -> Self {
        const MAX_SIDE: f32 = 128.0;
        let bounds = |tet: &[u32; 4]| {
            let corners = tet.map(|index| points[index as usize]);
            let [a, b, c, d] = corners.map(|corner| corner.coords);
            (a.inf(&b).inf(&c.inf(&d)), a.sup(&b).sup(&c.sup(&d)))
        };
        let all = tets
            .iter()
            .map(bounds)
            .reduce(|(low, high), (l, h)| (low.inf(&l), high.sup(&h)));
        let (low, high) = all.unwrap_or_default();
        let size = high - low;
        // About one tetrahedron per cell, with a limit on memory.
        let volume = size.iter().map(|x| x.max(1e-6)).product::<f32>();
        let width = (volume / tets.len() as f32)
            .cbrt()
            .max(size.max() / MAX_SIDE)
            .max(1e-6);
        let count = [0, 1, 2].map(|axis| (size[axis] / width) as usize + 1);
        let mut grid = Self {
            origin: Point::from(low),
            inv_width: width.recip(),
            count,
            starts: vec![0; count.iter().product::<usize>() + 1],
            items: Vec::new(),
        };
        let ranges: Vec<[[usize; 2]; 3]> = tets
            .iter()
            .map(|tet| {
                let (low, high) = bounds(tet);
                [0, 1, 2].map(|axis| {
                    let cell = |x: f32| ((x - grid.origin[axis]) * grid.inv_width) as usize;
                    [cell(low[axis]), cell(high[axis]).min(count[axis] - 1)]
                })
            })
            .collect();
        for range in &ranges {
            cells(count, range).for_each(|cell| grid.starts[cell + 1] += 1);
        }
        for cell in 1..grid.starts.len() {
            grid.starts[cell] += grid.starts[cell - 1];
        }
        let mut next = grid.starts.clone();
        grid.items = vec![0; *next.last().unwrap_or(&0) as usize];
        for (tet, range) in ranges.iter().enumerate() {
            for cell in cells(count, range) {
                grid.items[next[cell] as usize] = tet as u32;
                next[cell] += 1;
            }
        }
        grid
    }

    fn at(&self, point: &Point) -> Option<&[u32]> {
        let place = (point - self.origin) * self.inv_width;
        let inside = (0..3).all(|axis| place[axis] >= 0.0 && place[axis] < self.count[axis] as f32);
        let [x, y, z] = [0, 1, 2].map(|axis| place[axis] as usize);
        let cell = (z * self.count[1] + y) * self.count[0] + x;
        inside.then(|| &self.items[self.starts[cell] as usize..self.starts[cell + 1] as usize])
    }
}

fn cells(count: [usize; 3], [x, y, z]: &[[usize; 2]; 3]) -> impl Iterator<Item = usize> {
    let ([x0, x1], [y0, y1], [z0, z1]) = (*x, *y, *z);
    (z0..=z1).flat_map(move |z| {
        (y0..=y1).flat_map(move |y| (x0..=x1).map(move |x| (z * count[1] + y) * count[0] + x))
    })
}

impl Deformation for Tetrahedra {
    fn rest_from_world(&self, world: &Point) -> Option<Point> {
        self.world.other(world)
    }

    fn world_from_rest(&self, rest: &Point) -> Option<Point> {
        self.rest.other(rest)
    }

    fn max_compression(&self, _: &Point) -> f32 {
        self.max_compression
    }
}
