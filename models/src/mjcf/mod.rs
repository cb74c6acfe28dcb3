//! A typed MJCF document tree: build it, attach one model to another, check it, write it.
//!
//! * [`Element`] and [`Value`]: the tree.
//! * [`elements`]: typed builders ([`Body`], [`Joint`], [`Geom`], …) for what programs write most.
//! * [`Mjcf`]: one document with its sections; [`Mjcf::attach`] puts a model into a frame of another under a name prefix.
//! * [`schema`]: which elements and attributes exist, printed by MuJoCo itself.
//! * [`Mjcf::validate`]: refuses unknown attributes, duplicate names, unresolved references, non-finite numbers and wrong
//!   counts before MuJoCo sees them, naming the element.
//! * [`Mjcf::to_xml`]: one standalone, indented, deterministic file.
//! * [`Mjcf::read`]: a user's own file with its includes; [`Mjcf::read_standalone`]: made one file with angles in radians.

mod assets;
mod attach;
mod document;
mod element;
pub mod elements;
mod error;
mod normalize;
mod prune;
mod read;
pub mod schema;
mod validate;
mod value;
mod write;

pub(crate) use attach::list_names;
pub use document::Mjcf;
pub use element::Element;
pub use elements::{
    Body, Camera, DefaultClass, Equality, FixedTendon, Flex, Geom, Inertial, Joint, Light,
    Material, Mesh, Motor, Sensor, Site, Skin, Texture,
};
pub use error::MjcfError;
pub use normalize::StandaloneMjcf;
pub(crate) use normalize::{Defaults, walk_world};
pub use read::ReadOptions;
pub use schema::Namespace;
pub use value::Value;
