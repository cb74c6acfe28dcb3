//! Output files: every file that insonate writes is written here.
//!
//! * A regular file is replaced whole or not at all: the content goes to a temporary file in the same folder, which is synced and renamed.
//!   A replaced file keeps its permissions; a new one gets those of the umask.
//! * A symbolic link is followed: its target is replaced, the link stays.
//! * Devices and pipes are written through, as is standard output, for which `-` stands.
//! * A folder has one writer at a time ([`OutputFolder`]); what belongs together appears in it together ([`FolderParts`]).
//!   It holds the files of one run: a list in it (`.insonate.files`) tells them from the user's, which no command removes.
//!
//! [`write`] and [`write_with`] write a file at once, [`FileWriter`] piece by piece; [`AppendFile`] grows a log in place.

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
