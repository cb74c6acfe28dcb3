//! A solid bounded by several shells: closed surfaces that share no edge. Each shell is turned outwards separately.
//!
//! Shells that cut each other bound the union of their volumes. A shell within another bounds a cavity of it, and a shell within
//! a cavity is solid again.

use std::fmt;

use nalgebra::Vector3;

use crate::check::check_count;
use crate::{MeshError, MeshFault, SurfaceTree, TriangleMesh};

/// Maximum number of shells of a mesh.
pub const MAX_SHELLS: usize = 1000;

/// Maximum number of vertices of a shell that are tested for lying within another shell.
const N_ASKED: usize = 64;

/// Distance from the bounding box of a shell beyond which the distance to the box is used instead of the triangles [m].
const FAR: f64 = 0.003;

/// Maximum number of shells that an error names.
const N_NAMED: usize = 4;

/// A solid bounded by shells.
#[derive(Debug, Clone)]
pub struct ShellSolid {
    shells: Vec<Shell>,
    groups: Vec<Group>,
}

#[derive(Debug, Clone)]
struct Shell {
    tree: SurfaceTree,
    low: Vector3<f64>,
    high: Vector3<f64>,
    is_turned: bool,
}

/// A group of shells that cut each other.
#[derive(Debug, Clone, Default)]
struct Group {
    shells: Vec<usize>,
    /// Number of groups around this one: the group is solid if it is even.
    depth: usize,
    /// Indices of the groups that are cavities of this one.
    cavities: Vec<usize>,
}

/// Reason why a shell is not a closed surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShellFault {
    /// Index of the shell, from 0, in the order of the first triangles.
    pub shell: usize,
    /// Number of triangles of the shell.
    pub n_triangles: usize,
    /// Centre of its bounding box [m].
    pub center: [f64; 3],
    /// The fault, with indices of the whole mesh.
    pub fault: MeshFault,
}

impl ShellSolid {
    /// Builds the solid that a mesh encloses.
    ///
    /// # Errors
    /// [`MeshError::Fault`] if the mesh has invalid triangles, a single shell that is not closed, or more than [`MAX_SHELLS`] shells;
    /// [`MeshError::Shells`] if some of several shells are not closed, naming them.
    pub fn new(mesh: &TriangleMesh) -> Result<Self, MeshError> {
        let parts = parts(mesh)?;
        let shells = parts.into_iter().map(Shell::of);
        let shells = shells.collect::<Result<Vec<_>, _>>()?;
        let groups = groups(&shells);
        Ok(Self { shells, groups })
    }

    /// Number of shells.
    pub fn n_shells(&self) -> usize {
        self.shells.len()
    }

    /// Number of shells that bound cavities.
    pub fn n_cavities(&self) -> usize {
        let hollow = self.groups.iter().filter(|group| !group.is_solid());
        hollow.map(|group| group.shells.len()).sum()
    }

    /// Number of shells of solids that faced inwards and were flipped.
    pub fn n_turned(&self) -> usize {
        let solid = self.groups.iter().filter(|group| group.is_solid());
        let shells = solid.flat_map(|group| &group.shells);
        shells
            .filter(|&&shell| self.shells[shell].is_turned)
            .count()
    }

    /// Signed distance to the surface, negative inside [m].
    ///
    /// The magnitude is a lower bound of the true distance, and exact near the surface of a single shell.
    pub fn distance(&self, point: &Vector3<f64>) -> f64 {
        self.nearest(point).0
    }

    /// Unit normal of the surface nearest to a point; its sign is arbitrary.
    pub fn normal(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let tree = &self.shells[self.nearest(point).1].tree;
        let closest = tree.closest_point_within(point, f64::INFINITY);
        closest.map_or_else(Vector3::z, |closest| closest.normal)
    }

    /// Signed distance, and the shell that determines it.
    fn nearest(&self, point: &Vector3<f64>) -> (f64, usize) {
        let mut least = (f64::INFINITY, 0);
        for group in self.groups.iter().filter(|group| group.is_solid()) {
            let mut own = self.union(group, point);
            for &cavity in &group.cavities {
                let (distance, shell) = self.union(&self.groups[cavity], point);
                if -distance > own.0 {
                    own = (-distance, shell);
                }
            }
            if own.0 < least.0 {
                least = own;
            }
        }
        least
    }

    fn union(&self, group: &Group, point: &Vector3<f64>) -> (f64, usize) {
        let all = group.shells.iter();
        let all = all.map(|&shell| (self.shells[shell].distance(point), shell));
        all.min_by(|a, b| a.0.total_cmp(&b.0))
            .expect("a group has a shell")
    }
}

impl Group {
    fn is_solid(&self) -> bool {
        self.depth.is_multiple_of(2)
    }
}

impl Shell {
    fn of(part: TriangleMesh) -> Result<Self, MeshFault> {
        let is_turned = part.volume() < 0.0;
        let part = part.into_closed()?;
        let [low, high] = part.bounds().map(Vector3::from);
        Ok(Self {
            tree: SurfaceTree::new(&part)?,
            low,
            high,
            is_turned,
        })
    }

    fn distance(&self, point: &Vector3<f64>) -> f64 {
        let out = (self.low - point).sup(&(point - self.high));
        let out = out.map(|x| x.max(0.0)).norm();
        if out > FAR {
            return out;
        }
        let closest = self.tree.closest_point_within(point, f64::INFINITY);
        closest.map_or(0.0, |closest| closest.distance)
    }

    /// Whether this shell lies within another that it does not cut. The vertex farthest from the other decides, as vertices may touch it.
    fn is_within(&self, other: &Self) -> bool {
        let is_in_box =
            (0..3).all(|i| other.low[i] <= self.low[i] && self.high[i] <= other.high[i]);
        if !is_in_box {
            return false;
        }
        let step = self.tree.facets.len().div_ceil(N_ASKED);
        let asked = self.tree.facets.iter().step_by(step);
        let distances = asked.map(|facet| other.distance(&facet.corners[0]));
        let farthest = distances.max_by(|a, b| a.abs().total_cmp(&b.abs()));
        farthest.is_some_and(|distance| distance < 0.0)
    }

    fn cuts(&self, other: &Self) -> bool {
        let apart = (0..3).any(|i| self.high[i] < other.low[i] || other.high[i] < self.low[i]);
        !apart && self.tree.cuts(&other.tree)
    }
}

/// Groups shells that cut each other, and finds which groups lie within which.
fn groups(shells: &[Shell]) -> Vec<Group> {
    let mut first: Vec<usize> = (0..shells.len()).collect();
    for a in 0..shells.len() {
        for b in 0..a {
            let [a, b] = [a, b].map(|shell| (root(&mut first, shell), shell));
            if a.0 != b.0 && shells[a.1].cuts(&shells[b.1]) {
                first[a.0.max(b.0)] = a.0.min(b.0);
            }
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut place = vec![usize::MAX; shells.len()];
    for shell in 0..shells.len() {
        let root = root(&mut first, shell);
        if place[root] == usize::MAX {
            place[root] = groups.len();
            groups.push(Group::default());
        }
        groups[place[root]].shells.push(shell);
    }
    nest(shells, &mut groups);
    groups
}

/// Sets the depths and cavities of groups.
fn nest(shells: &[Shell], groups: &mut [Group]) {
    let around: Vec<Vec<usize>> = (0..groups.len())
        .map(|inner| {
            let shell = &shells[groups[inner].shells[0]];
            let is_around = |outer: &usize| {
                let mut shells = groups[*outer].shells.iter().map(|&other| &shells[other]);
                *outer != inner && shells.any(|other| shell.is_within(other))
            };
            (0..groups.len()).filter(is_around).collect()
        })
        .collect();
    for (inner, outer) in around.iter().enumerate() {
        groups[inner].depth = outer.len();
        let parent = outer.iter().max_by_key(|&&outer| around[outer].len());
        if let (1, Some(&parent)) = (outer.len() % 2, parent) {
            groups[parent].cavities.push(inner);
        }
    }
}

/// Edge-connected parts of a mesh, in the order of their first triangles.
fn parts(mesh: &TriangleMesh) -> Result<Vec<TriangleMesh>, MeshError> {
    mesh.check_shape()?;
    let edges = mesh.edges();
    let mut first: Vec<usize> = (0..mesh.triangles.len()).collect();
    for pair in edges.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let [a, b] = [pair[0].1, pair[1].1].map(|triangle| root(&mut first, triangle as usize));
        first[a.max(b)] = a.min(b);
    }
    let mut triangles: Vec<Vec<u32>> = Vec::new();
    let mut part = vec![usize::MAX; mesh.triangles.len()];
    for triangle in 0..mesh.triangles.len() {
        let root = root(&mut first, triangle);
        if part[root] == usize::MAX {
            check_count("shells", triangles.len() + 1, MAX_SHELLS)?;
            part[root] = triangles.len();
            triangles.push(Vec::new());
        }
        part[triangle] = part[root];
        triangles[part[root]].push(triangle as u32);
    }
    let parts: Vec<TriangleMesh> = split(mesh, &triangles);
    let mut faults: Vec<Option<MeshFault>> = vec![None; parts.len()];
    for (fault, triangle) in TriangleMesh::edge_faults(&edges) {
        faults[part[triangle as usize]].get_or_insert(fault);
    }
    for (part, fault) in parts.iter().zip(&mut faults) {
        let volume = part.volume();
        if fault.is_none() && volume == 0.0 {
            *fault = Some(MeshFault::NoVolume { volume });
        }
    }
    refuse(&parts, &faults)?;
    Ok(parts)
}

fn refuse(parts: &[TriangleMesh], faults: &[Option<MeshFault>]) -> Result<(), MeshError> {
    let found = parts.iter().zip(faults).enumerate();
    let found = found.filter_map(|(shell, (part, fault))| {
        let [low, high] = part.bounds();
        Some(ShellFault {
            shell,
            n_triangles: part.triangles.len(),
            center: [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis])),
            fault: (*fault)?,
        })
    });
    let faults: Vec<ShellFault> = found.collect();
    match (faults.first(), parts.len()) {
        (None, _) => Ok(()),
        (Some(only), 1) => Err(only.fault.into()),
        (Some(_), n_shells) => Err(MeshError::Shells { n_shells, faults }),
    }
}

/// Splits a mesh into one mesh per list of triangles, each with its own vertices.
fn split(mesh: &TriangleMesh, parts: &[Vec<u32>]) -> Vec<TriangleMesh> {
    let mut index = vec![u32::MAX; mesh.positions.len()];
    let mut of = |triangles: &Vec<u32>| {
        let mut part = TriangleMesh::default();
        let all = triangles.iter().map(|&t| mesh.triangles[t as usize]);
        let corners: Vec<[u32; 3]> = all.collect();
        for &vertex in corners.iter().flatten() {
            if index[vertex as usize] == u32::MAX {
                index[vertex as usize] = part.positions.len() as u32;
                part.positions.push(mesh.positions[vertex as usize]);
            }
        }
        part.triangles = corners
            .iter()
            .map(|corners| corners.map(|vertex| index[vertex as usize]))
            .collect();
        for &vertex in corners.iter().flatten() {
            index[vertex as usize] = u32::MAX;
        }
        part
    };
    parts.iter().map(&mut of).collect()
}

/// The first element of the set that contains `one`.
fn root(first: &mut [usize], mut one: usize) -> usize {
    while first[one] != one {
        first[one] = first[first[one]];
        one = first[one];
    }
    one
}

/// Writes the faults of the first shells.
pub(crate) fn write_faults(
    n_shells: usize,
    faults: &[ShellFault],
    out: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let n = faults.len();
    write!(out, "{n} of {n_shells} shells are no closed surface: ")?;
    for (index, fault) in faults.iter().take(N_NAMED).enumerate() {
        let comma = if index == 0 { "" } else { "; " };
        let (shell, [x, y, z]) = (fault.shell + 1, fault.center);
        write!(
            out,
            "{comma}shell {shell} ({} triangles around [{x:.4}, {y:.4}, {z:.4}] m): {}",
            fault.n_triangles, fault.fault
        )?;
    }
    if n > N_NAMED {
        write!(out, "; and {} more", n - N_NAMED)?;
    }
    Ok(())
}
