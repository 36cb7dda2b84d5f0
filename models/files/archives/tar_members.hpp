#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/files/archives/archive_bytes.hpp"

namespace troupe {

/// A file or a link in a tar archive.
struct TarMember {
  enum class Kind : std::uint8_t { file, link, sparse };
  std::string name;
  std::uint64_t offset = 0;  ///< offset of its header in the archive, in bytes
  std::uint64_t bytes = 0;   ///< size of its header and its content, in bytes
  Kind kind = Kind::file;

  bool operator==(const TarMember&) const = default;
};

/// Where a member of a tar archive is. Has a hash of its name instead of the name, so that lists of millions of members
/// take little memory.
struct TarExtent {
  std::uint64_t offset = 0;  ///< as TarMember::offset
  std::uint32_t bytes = 0;   ///< as TarMember::bytes, or UINT32_MAX if it is larger
  std::uint32_t name_hash = 0;

  TarExtent() = default;
  TarExtent(const TarMember& member);  // NOLINT(google-explicit-constructor): a member knows where it is
  bool operator==(const TarExtent&) const = default;
};

/// The content of a member of a tar archive, and a text for error messages that describes where the member is; see
/// place_of.
struct TarContent {
  std::string place;
  std::vector<std::byte> bytes;
};

/// Limits for tar archives: the number of members of an archive, the size in bytes of a member that is read, and the
/// length in bytes of a member's name.
inline constexpr std::uint64_t kMostMembers = std::uint64_t{1} << 24;
inline constexpr std::uint64_t kMostBytesOfMember = std::uint64_t{256} << 20;
inline constexpr std::size_t kLongestMemberName = 4096;

/// Calls `use` for each file and link in a tar archive, in order. Does not read the content of files. Skips folders,
/// devices and other entries.
/// @throws Error bad_file if the archive is damaged, truncated or of another format; limit_reached if it has more than
/// kMostMembers members
void for_each_member(const ArchiveBytes& archive, const std::function<void(const TarMember&)>& use);

/// Reads a member of a tar archive.
/// @param member a member that `for_each_member` has found in this archive
/// @throws Error bad_file if the archive no longer contains this member at its offset (the message names archive,
/// offset and the member found there, if any); limit_reached if the member has more than kMostBytesOfMember bytes
TarContent read_member(const ArchiveBytes& archive, const TarExtent& member);

/// Returns a text for error messages that describes where a member is, such as "a/b.jpg at byte 512 of c.tar".
std::string place_of(const std::string& archive, const TarMember& member);

}  // namespace troupe
