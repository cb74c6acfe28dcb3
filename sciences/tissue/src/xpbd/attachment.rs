//! Attachments of vertices to each other and to points: distance constraints, usually of length zero.

/// Target of an attachment. Vertices are counted through all bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// A point in the world frame [m].
    Point([f64; 3]),
    /// Another vertex.
    Vertex(u32),
}

/// An attachment of a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attachment {
    /// The vertex, counted through all bodies.
    pub vertex: u32,
    /// Target.
    pub to: Anchor,
    /// Length at rest [m].
    pub length: f64,
    /// Compliance [m/N]; 0: rigid.
    pub compliance: f64,
}
