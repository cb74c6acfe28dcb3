//! Attachments of vertices to each other and to points: distance constraints, most often of length zero.

/// What a vertex is attached to. Vertices are counted through all bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// A point in world [m].
    Point([f64; 3]),
    /// Another vertex.
    Vertex(u32),
}

/// A vertex attached to something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attachment {
    /// The vertex, counted through all bodies.
    pub vertex: u32,
    /// What it is attached to.
    pub to: Anchor,
    /// Length at rest [m].
    pub length: f64,
    /// Compliance [m/N]; 0: rigid.
    pub compliance: f64,
}
