//! Output files: insonate writes every file through this crate.
//!
//! * A regular file is replaced atomically: the content goes to a temporary file in the same folder, which is synced and renamed.
//!   A replaced file keeps its permissions; the umask determines the permissions of a new file.
//! * A symbolic link is followed: its target is replaced, and the link is kept.
//! * Devices, pipes and standard output (`-`) are written directly.
//! * A folder has one writer at a time ([`OutputFolder`]). Parts that belong together appear in it together ([`FolderParts`]).
//!   It holds the files of one run: a list (`.insonate.files`) distinguishes them from the user's files, which no command removes.
//!
//! [`write`] and [`write_with`] write a file in one call, [`FileWriter`] writes it piece by piece, and [`AppendFile`] appends to a log.

mod append;
mod destination;
mod error;
mod folder;
mod manifest;
mod parts;
mod writer;

pub use append::AppendFile;
pub use error::FileError;
pub use folder::{Claim, OutputFolder, abandon};
pub use parts::FolderParts;
pub use writer::{FileWriter, write, write_with};
