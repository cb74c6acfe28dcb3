//! OpenIGTLink (Tokuda 2009, doi:10.1002/rcs.274; <http://openigtlink.org/developers/spec>): transforms, pictures, surfaces and texts for 3D
//! Slicer, PLUS and similar programs, over TCP with threads of the standard library.
//!
//! A message is a header of 58 bytes and a body; all numbers are big-endian, lengths are millimetres.
//! [`Server`] sends messages to all clients and keeps the last transform that a client sent.
//! Clients are not trusted: size, number and time of their messages are limited, and a client cannot slow the sender down.

mod crc64;
mod error;
mod header;
mod image;
mod link;
mod message;
mod polydata;
mod server;
mod text;
mod transform;

pub use crc64::crc64;
pub use error::ProtocolError;
pub use header::{HEADER_SIZE, Header};
pub use image::{CoordinateSystem, Image};
pub use insonate_servers::{Limits, ListenError, Traffic};
pub use message::{MAX_BODY, Message, decode, encode};
pub use polydata::PolyData;
pub use server::{Server, ServerConfig};
pub use text::Text;
pub use transform::Transform;
