//! The 256 cases of a surface that cuts the edges of a cube (Lorensen & Cline 1987, doi:10.1145/37401.37422).
//!
//! The table of Lorensen and Cline leaves holes where neighbours divide a shared face differently. This table is built
//! face by face: inner corners of a face that are not neighbours stay separate. A cube and its neighbour see the same
//! corners of the shared face, so they divide it in the same way. The cuts around a cube then form closed polygons,
//! which are split into fans of triangles. Fans with a diagonal within a face are not used: the neighbour might have
//! the same diagonal, and four triangles would meet there.

/// Corner c lies at x = c & 1, y = c >> 1 & 1, z = c >> 2. Edge 4 a + i runs along axis a from the corner whose coordinates along the
/// two axes after a are i & 1 and i >> 1.
pub(super) const fn edge_start(edge: usize) -> usize {
    let (axis, i) = (edge / 4, edge % 4);
    (i & 1) << ((axis + 1) % 3) | (i >> 1) << ((axis + 2) % 3)
}

/// At most five triangles, three edges each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    /// Number of triangles.
    pub(super) n: u8,
    /// Edges whose cut points are the corners, counterclockwise from outside.
    pub(super) edges: [[u8; 3]; 5],
}

/// Cases indexed by the corners that are inside; corner c is bit c.
pub(super) const CASES: [Case; 256] = {
    let none = Case {
        n: 0,
        edges: [[0; 3]; 5],
    };
    let mut cases = [none; 256];
    let mut inside = 0;
    while inside < 256 {
        cases[inside] = triangulate(inside);
        inside += 1;
    }
    cases
};

const NO_EDGE: usize = 12;

/// The edge between two corners that differ along one axis.
const fn edge_between(a: usize, b: usize) -> usize {
    let axis = (a ^ b).trailing_zeros() as usize;
    let low = a & b;
    4 * axis + (low >> ((axis + 1) % 3) & 1) + 2 * (low >> ((axis + 2) % 3) & 1)
}

/// Corners of a face, counterclockwise from outside the cube.
const fn face(index: usize) -> [usize; 4] {
    let (axis, side) = (index / 2, index % 2);
    let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
    let low = side << axis;
    if side == 1 {
        [low, low | u, low | u | v, low | v]
    } else {
        [low, low | v, low | u | v, low | u]
    }
}

/// The two faces that an edge belongs to, as bits.
const fn faces_of(edge: usize) -> usize {
    let (axis, i) = (edge / 4, edge % 4);
    1 << (2 * ((axis + 1) % 3) + (i & 1)) | 1 << (2 * ((axis + 2) % 3) + (i >> 1))
}

/// For each cut edge, the next one around the surface.
const fn link(inside: usize) -> [usize; 12] {
    let mut next = [NO_EDGE; 12];
    let mut index = 0;
    while index < 6 {
        let corners = face(index);
        let mut from = 0;
        while from < 4 {
            let (a, b) = (corners[from], corners[(from + 1) % 4]);
            // The loop around the face enters here and leaves after the inner corners that follow.
            if inside >> a & 1 == 0 && inside >> b & 1 == 1 {
                let mut to = from + 1;
                while inside >> corners[(to + 1) % 4] & 1 == 1 {
                    to += 1;
                }
                let leave = edge_between(corners[to % 4], corners[(to + 1) % 4]);
                next[edge_between(a, b)] = leave;
            }
            from += 1;
        }
        index += 1;
    }
    next
}

const fn triangulate(inside: usize) -> Case {
    let next = link(inside);
    let mut case = Case {
        n: 0,
        edges: [[0; 3]; 5],
    };
    let mut is_done = [false; 12];
    let mut first = 0;
    while first < 12 {
        if next[first] != NO_EDGE && !is_done[first] {
            let mut polygon = [0; 12];
            let mut n = 0;
            let mut edge = first;
            while !is_done[edge] {
                is_done[edge] = true;
                polygon[n] = edge;
                n += 1;
                edge = next[edge];
            }
            let tip = fan_tip(&polygon, n);
            let mut i = 1;
            while i + 1 < n {
                case.edges[case.n as usize] = [
                    polygon[tip] as u8,
                    polygon[(tip + i) % n] as u8,
                    polygon[(tip + i + 1) % n] as u8,
                ];
                case.n += 1;
                i += 1;
            }
        }
        first += 1;
    }
    case
}

/// First corner of a fan of a polygon whose diagonals all run through the cube, not within a face. All 256 cases have
/// one.
const fn fan_tip(polygon: &[usize; 12], n: usize) -> usize {
    let mut tip = 0;
    while tip < n {
        let mut is_clear = true;
        let mut i = 2;
        while i + 1 < n {
            let other = polygon[(tip + i) % n];
            is_clear &= faces_of(polygon[tip]) & faces_of(other) == 0;
            i += 1;
        }
        if is_clear {
            return tip;
        }
        tip += 1;
    }
    panic!("a case has no fan without a diagonal in a face")
}
