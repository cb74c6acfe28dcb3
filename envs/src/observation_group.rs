//! Groups of the entries of an observation: the state and each image.

/// Consecutive entries of an observation that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservationGroup {
    /// Name, such as `state`, `camera` or `b_mode`. Groups of a stack of observations share their names.
    pub name: String,
    /// Shape, row by row: `[n]` for a state, `[rows, columns, channels]` for an image.
    pub shape: Vec<usize>,
    /// Unit of all entries. Empty: each entry has its own, in its name.
    pub unit: String,
    /// What the entries are.
    pub kind: GroupKind,
    /// Age in a stack of observations [control steps]. 0: the newest.
    pub age: usize,
}

/// What the entries of a group are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// Numbers that each have a meaning of their own.
    State,
    /// Pixels, from 0 to the upper bound of the entries. 8 bits suffice.
    Image,
    /// Pixels that hold a distance, for which 8 bits are too coarse.
    Depth,
}

impl GroupKind {
    /// Name in other languages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Image => "image",
            Self::Depth => "depth",
        }
    }
}

impl ObservationGroup {
    /// The group `state` of `n` entries.
    pub fn state(n: usize) -> Self {
        Self {
            name: "state".to_owned(),
            shape: vec![n],
            unit: String::new(),
            kind: GroupKind::State,
            age: 0,
        }
    }

    /// An image of shape `[rows, columns, channels]` whose entries have no unit.
    pub fn image(name: &str, shape: [usize; 3], kind: GroupKind) -> Self {
        Self {
            name: name.to_owned(),
            shape: shape.to_vec(),
            unit: "1".to_owned(),
            kind,
            age: 0,
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the group has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
