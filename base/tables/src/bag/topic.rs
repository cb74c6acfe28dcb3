//! Contents of one recorded topic.

use std::borrow::Cow;
use std::io::Read as _;

use super::message::MessageNumbers;
use super::transforms::Transforms;
use super::{json, ros};
use crate::{MAX_SAMPLES, source};

/// First bytes of zstd data; CDR never begins like this.
const ZSTD: &[u8] = b"(\xb5/\xfd";
/// Maximum length of a message of numbers [bytes].
const MAX_MESSAGE: u64 = 16 << 20;

/// Encoding of messages.
#[derive(Clone, Debug)]
enum Encoding {
    Cdr(Vec<ros::Member>),
    Json,
    /// Frames, in CDR.
    Transforms,
    /// No encoding: composed from other topics.
    Composed,
}

/// A topic whose messages contain numbers.
#[derive(Clone, Debug)]
pub(crate) struct Topic {
    name: String,
    encoding: Encoding,
    /// Recording times and time stamps of the messages [ns].
    pub(super) recorded: Vec<i64>,
    pub(super) stamps: Vec<i64>,
    pub(super) parts: Vec<MessageNumbers>,
    /// Frame named in the first message.
    pub(super) frame: Option<String>,
    /// Frame whose pose the first message gives.
    pub(super) child: Option<String>,
    /// Names of the joints in the first message.
    pub(super) joints: Vec<String>,
    /// Number of the first message that names other joints, from 1.
    pub(super) joint_changes: Option<usize>,
    /// Number of the first message that names another frame, from 1.
    frame_changes: Option<usize>,
    /// Frames in the messages.
    pub(super) transforms: Option<Transforms>,
    /// Total bytes of compressed messages, and of their decompressed contents.
    packed: u64,
    unpacked: u64,
}

impl Topic {
    /// Creates a topic of this type and encoding; `None` if its messages are of no use.
    pub(crate) fn new(name: &str, type_name: &str, encoding: &str) -> Option<Self> {
        let encoding = match encoding {
            "cdr" if ros::is_transforms(type_name) => Encoding::Transforms,
            "cdr" => Encoding::Cdr(ros::members(type_name)?),
            "json" => Encoding::Json,
            _ => return None,
        };
        Some(Self {
            transforms: matches!(encoding, Encoding::Transforms).then(Transforms::default),
            name: name.to_owned(),
            encoding,
            recorded: Vec::new(),
            stamps: Vec::new(),
            parts: Vec::new(),
            frame: None,
            child: None,
            joints: Vec::new(),
            joint_changes: None,
            frame_changes: None,
            packed: 0,
            unpacked: 0,
        })
    }

    /// Creates a topic that was not recorded: the pose of a frame in another one.
    pub(super) fn composed(
        name: String,
        frame: String,
        child: Option<String>,
        recorded: Vec<i64>,
        stamps: Vec<i64>,
        parts: Vec<MessageNumbers>,
    ) -> Self {
        Self {
            name,
            encoding: Encoding::Composed,
            recorded,
            stamps,
            parts,
            frame: Some(frame),
            child,
            joints: Vec::new(),
            joint_changes: None,
            frame_changes: None,
            transforms: None,
            packed: 0,
            unpacked: 0,
        }
    }

    /// Adds a message, recorded at a time [ns].
    pub(crate) fn push(&mut self, recorded: i64, bytes: &[u8]) -> Result<(), String> {
        let bytes = &self.plain(bytes)?;
        let message = match &self.encoding {
            Encoding::Cdr(members) => ros::read(members, bytes)?,
            Encoding::Json => json::read(bytes)?,
            Encoding::Transforms => {
                for transform in ros::transforms(bytes)? {
                    if let Some(transforms) = &mut self.transforms {
                        transforms.push(recorded, &transform)?;
                    }
                }
                return Ok(());
            }
            Encoding::Composed => return Ok(()),
        };
        if self.recorded.len() >= MAX_SAMPLES {
            return Err(format!("has more than {MAX_SAMPLES} messages"));
        }
        if !self.recorded.is_empty() && self.frame != message.frame {
            self.frame_changes = self.frame_changes.or(Some(self.recorded.len() + 1));
        }
        if !self.recorded.is_empty() && self.joints != message.joints {
            self.joint_changes = self.joint_changes.or(Some(self.recorded.len() + 1));
        }
        if self.recorded.is_empty() {
            self.frame = message.frame;
            self.child = message.child;
            self.joints = message.joints;
            self.parts = message.parts;
        } else {
            let alike = |(ours, theirs): (&MessageNumbers, &MessageNumbers)| {
                ours.name == theirs.name && ours.width == theirs.width
            };
            if self.parts.len() != message.parts.len()
                || !self.parts.iter().zip(&message.parts).all(alike)
            {
                let n = self.recorded.len() + 1;
                return Err(format!("its message {n} has other members than the first"));
            }
            for (ours, theirs) in self.parts.iter_mut().zip(message.parts) {
                ours.values.extend(theirs.values);
            }
        }
        self.recorded.push(recorded);
        self.stamps.extend(message.stamp);
        Ok(())
    }

    /// Decompresses a message that rosbag2 compressed individually.
    fn plain<'a>(&mut self, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, String> {
        if !bytes.starts_with(ZSTD) {
            return Ok(Cow::Borrowed(bytes));
        }
        let mut plain = Vec::new();
        zstd::stream::read::Decoder::new(bytes)
            .and_then(|decoder| decoder.take(MAX_MESSAGE).read_to_end(&mut plain))
            .map_err(|error| format!("a message cannot be unpacked: {error}"))?;
        self.packed += bytes.len() as u64;
        self.unpacked += plain.len() as u64;
        source::unpacks_to(self.packed, self.unpacked)?;
        Ok(Cow::Owned(plain))
    }

    /// The frame of all messages; fails if they differ.
    pub(super) fn one_frame(&self) -> Result<Option<&str>, String> {
        match self.frame_changes {
            None => Ok(self.frame.as_deref()),
            Some(message) => Err(format!(
                "its message {message} is in another frame than the first, which is in \"{}\": record one frame",
                self.frame.as_deref().unwrap_or_default()
            )),
        }
    }

    /// The part with this name.
    pub(super) fn part(&self, name: &str) -> Option<&MessageNumbers> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// The quaternion that belongs to a position.
    pub(super) fn orientation_of(&self, place: usize) -> Option<usize> {
        let name = &self.parts.get(place)?.name;
        let (stem, last) = name
            .rsplit_once('.')
            .map_or((None, &name[..]), |(stem, last)| (Some(stem), last));
        let last = match last {
            "position" => "orientation",
            "translation" => "rotation",
            _ => return None,
        };
        let wanted = stem.map_or_else(|| last.to_owned(), |stem| format!("{stem}.{last}"));
        self.parts
            .iter()
            .position(|part| part.name == wanted && part.width == Some(4))
    }

    /// Name of the topic.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it has messages.
    pub(crate) fn has_messages(&self) -> bool {
        !self.recorded.is_empty()
    }

    /// Whether every message has a time stamp, with no header left empty.
    pub(super) fn is_stamped(&self) -> bool {
        self.stamps.len() == self.recorded.len() && self.stamps.iter().all(|stamp| *stamp > 0)
    }
}
