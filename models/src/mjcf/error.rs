//! Errors of MJCF documents.

use std::borrow::Cow;
use std::path::PathBuf;

/// Reason why an MJCF document is rejected.
///
/// Messages name the element as `geom "probe/face"`, or by its position in the tree if it has no name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MjcfError {
    /// MuJoCo does not allow the element at this place.
    #[error("{parent} cannot contain <{tag}>; allowed here: {allowed}")]
    UnknownElement {
        /// The parent element.
        parent: String,
        /// The unknown tag.
        tag: String,
        /// The allowed tags.
        allowed: String,
    },
    /// An element that is allowed once occurs more than once.
    #[error("{parent} contains <{tag}> more than once")]
    RepeatedElement {
        /// The parent element.
        parent: String,
        /// The repeated tag.
        tag: String,
    },
    /// MuJoCo does not know the attribute on this element.
    #[error("{element} has no attribute {attribute:?}{hint}")]
    UnknownAttribute {
        /// The element.
        element: String,
        /// The unknown attribute.
        attribute: String,
        /// `; did you mean …?` or empty.
        hint: String,
    },
    /// The value of an attribute is invalid.
    #[error("{element}: {attribute}={value:?} {problem}")]
    BadValue {
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
        /// The value as text.
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
    /// Two elements in the same namespace have the same name.
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
        /// The element that contains the reference.
        element: String,
        /// The attribute that holds the reference.
        attribute: String,
        /// The name that does not exist.
        name: String,
        /// The namespace, such as `joint`.
        kind: &'static str,
        /// `; did you mean …?` or empty.
        hint: String,
    },
    /// The parent for an attached model does not exist.
    #[error("no body, site or frame is called {name:?}{hint}")]
    UnknownFrame {
        /// The requested name.
        name: String,
        /// `; did you mean …?`, a list of the bodies, or empty.
        hint: String,
    },
    /// A name or prefix that is not allowed.
    #[error("{name:?} cannot be used as {what}: {problem}")]
    BadName {
        /// The name.
        name: String,
        /// What the name is used for.
        what: &'static str,
        /// Why the name is not allowed.
        problem: &'static str,
    },
    /// The text is not well-formed XML, or contains XML that MJCF does not use (such as a DOCTYPE).
    #[error("{path}:{line}: {problem}")]
    Syntax {
        /// The file, or `<string>`.
        path: String,
        /// The line number, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A file lies outside the folder from which the document may read.
    #[error("{file:?} lies outside {}; to allow it give a folder that contains both as the root (`--robot-root DIR`)", root.display())]
    OutsideRoot {
        /// The document that refers to the file.
        document: PathBuf,
        /// The file name as written in the document.
        file: String,
        /// The folder from which documents may read.
        root: PathBuf,
    },
    /// A document exceeds a limit of the reader.
    #[error("{path}: {what} exceeds the limit of {limit}")]
    TooLarge {
        /// The file.
        path: String,
        /// The quantity that is too large, with its value.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// An error at a line of a file.
    #[error("{path}:{line}: {source}")]
    At {
        /// The file, or the name of the text.
        path: String,
        /// The line number, from 1.
        line: usize,
        /// What is wrong there.
        source: Box<MjcfError>,
    },
    /// An error in a file, without a line.
    #[error("{path}: {source}")]
    InFile {
        /// The file, or the name of the text.
        path: String,
        /// What is wrong there.
        source: Box<MjcfError>,
    },
    /// A mesh or texture file is invalid.
    #[error("{}: {problem}", path.display())]
    BadAsset {
        /// The file.
        path: PathBuf,
        /// What is wrong with the file.
        problem: String,
    },
    /// A feature of MJCF that a standalone scene cannot contain.
    #[error("{element}: {problem}")]
    Unsupported {
        /// The element.
        element: String,
        /// What is not supported, and the alternative.
        problem: String,
    },
}

impl MjcfError {
    /// Adds the file and line to the error, unless it already has a location.
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

    /// Adds the file to the error, unless it already has a location.
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
