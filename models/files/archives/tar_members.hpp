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
  std::uint64_t offset = 0;  ///< offset of its header
  std::uint64_t bytes = 0;   ///< size of header and content
  Kind kind = Kind::file;

  bool operator==(const TarMember&) const = default;
};

/// The maximum number of members of an archive, size in bytes of a member that is read, and length of a name.
inline constexpr std::uint64_t kMostMembers = std::uint64_t{1} << 24;
inline constexpr std::uint64_t kMostBytesOfMember = std::uint64_t{256} << 20;
inline constexpr std::size_t kLongestMemberName = 4096;

/// Calls `use` for each file and link of an archive, in order. Does not read the content of files. Skips folders,
/// devices and other entries.
/// @throws Error bad_file for an archive that is damaged, truncated or of another format; limit_reached for too many
/// members
void for_each_member(const ArchiveBytes& archive, const std::function<void(const TarMember&)>& use);

/// Returns the content of a member.
/// @throws Error bad_file that names archive, member and offset if there is no such member; limit_reached if the member
/// is too large
std::vector<std::byte> read_member(const ArchiveBytes& archive, const TarMember& member);

/// Returns the place of a member for error messages, such as "a/b.jpg at byte 512 of c.tar".
std::string place_of(const std::string& archive, const TarMember& member);

}  // namespace troupe
