//! What can be wrong with an MJCF document.

use std::borrow::Cow;
use std::path::PathBuf;

/// Why an MJCF document was refused.
///
/// Messages name the element as `geom "probe/face"`, or by its place in the tree when it has no name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MjcfError {
    /// An element that MuJoCo does not know at this place.
    #[error("{parent} cannot contain <{tag}>; allowed here: {allowed}")]
    UnknownElement {
        /// The element that contains it.
        parent: String,
        /// The unknown tag.
        tag: String,
        /// The allowed tags.
        allowed: String,
    },
    /// An element that is allowed once occurs twice.
    #[error("{parent} contains <{tag}> more than once")]
    RepeatedElement {
        /// The element that contains them.
        parent: String,
        /// The repeated tag.
        tag: String,
    },
    /// An attribute that MuJoCo does not know on this element.
    #[error("{element} has no attribute {attribute:?}{hint}")]
    UnknownAttribute {
        /// The element.
        element: String,
        /// The unknown attribute.
        attribute: String,
        /// `; did you mean …?` or empty.
        hint: String,
    },
    /// An attribute's value is not what MuJoCo expects there.
    #[error("{element}: {attribute}={value:?} {problem}")]
    BadValue {
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
        /// The value as written.
        value: String,
        /// What is wrong, with the allowed range.
        problem: String,
    },
    /// A required attribute is missing.
    #[error("{element} needs the attribute {attribute:?}")]
    MissingAttribute {
        /// The element.
        element: String,
        /// The missing attribute.
        attribute: String,
    },
    /// Two elements of a kind share a name.
    #[error("the name {name:?} is used by two elements of kind {kind}")]
    DuplicateName {
        /// The namespace, such as `body`.
        kind: &'static str,
        /// The shared name.
        name: String,
    },
    /// A reference to something that does not exist.
    #[error("{element}: {attribute}={name:?} names no {kind}{hint}")]
    UnknownReference {
        /// The element that refers.
        element: String,
        /// The attribute that refers.
        attribute: String,
        /// The name that nothing has.
        name: String,
        /// The namespace, such as `joint`.
        kind: &'static str,
        /// `; did you mean …?` or empty.
        hint: String,
    },
    /// The place to attach a model to does not exist.
    #[error("no body, site or frame is called {name:?}{hint}")]
    UnknownFrame {
        /// The name asked for.
        name: String,
        /// `; did you mean …?`, a list of the bodies, or empty.
        hint: String,
    },
    /// A prefix that would not keep the names of two models apart.
    #[error("{name:?} cannot be used as {what}: {problem}")]
    BadName {
        /// The name.
        name: String,
        /// What it should name.
        what: &'static str,
        /// Why it cannot be used.
        problem: &'static str,
    },
    /// A text that is not well-formed XML, or holds what MJCF never needs (such as a DOCTYPE).
    #[error("{path}:{line}: {problem}")]
    Syntax {
        /// The file, or `<string>`.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A file that lies outside the folder that the document may use.
    #[error("{file:?} lies outside {}; to allow it give a folder that contains both as the root (`--robot-root DIR`)", root.display())]
    OutsideRoot {
        /// The document that names the file.
        document: PathBuf,
        /// The file as named.
        file: String,
        /// The folder that documents may read from.
        root: PathBuf,
    },
    /// A document that is larger, deeper or longer than the reader's limits.
    #[error("{path}: {what} exceeds the limit of {limit}")]
    TooLarge {
        /// The file.
        path: String,
        /// What is too large, with its size.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// Something wrong at a place in a file.
    #[error("{path}:{line}: {source}")]
    At {
        /// The file, or the name given to the text.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        source: Box<MjcfError>,
    },
    /// Something wrong in a file as a whole.
    #[error("{path}: {source}")]
    InFile {
        /// The file, or the name given to the text.
        path: String,
        /// What is wrong there.
        source: Box<MjcfError>,
    },
    /// A mesh or texture file is invalid.
    #[error("{}: {problem}", path.display())]
    BadAsset {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A feature of MJCF that a standalone scene cannot have.
    #[error("{element}: {problem}")]
    Unsupported {
        /// The element.
        element: String,
        /// What is not supported, and what to do instead.
        problem: String,
    },
}

impl MjcfError {
    /// The error with the place where it arose, unless it says one already.
    pub(super) fn at(self, path: &str, line: usize) -> Self {
        match self {
            Self::Syntax { .. } | Self::At { .. } | Self::InFile { .. } => self,
            source => Self::At {
                path: path.to_owned(),
                line,
                source: Box::new(source),
            },
        }
    }

    /// The error with the file in which it arose, unless it says one already.
    pub(super) fn in_file(self, path: &str) -> Self {
        match self {
            Self::Syntax { .. } | Self::At { .. } | Self::InFile { .. } => self,
            source => Self::InFile {
                path: path.to_owned(),
                source: Box::new(source),
            },
        }
    }
}

/// The first 60 characters of a text, for messages.
pub(crate) fn abbreviate(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
