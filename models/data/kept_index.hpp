#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

// An index is a file NAME.index next to the data file NAME, or in a folder of the user if the data is on a server.
// Troupe writes the index when it has read the whole data file; the index contains, for example, the offsets of the
// samples. Later runs read the index instead of the whole data file.

inline constexpr std::string_view kIndexEnding = ".index";

/// Where the index of a data file is, or will be.
struct IndexPlace {
  std::string path;        ///< the path of the index
  bool is_shared = false;  ///< the data is on a server, and the index in a folder of the user

  /// For data on a server: waits until no other process of the machine makes the same index, and then prevents other
  /// processes from making it, until the result is destroyed. Otherwise does nothing.
  std::shared_ptr<void> lock() const;
};

/// Returns where the index of a data file is: next to the file. For a URL, the index is in the folder
/// $XDG_CACHE_HOME/troupe (~/.cache/troupe); if it cannot be made, there is no index.
IndexPlace index_place(const std::string& data);

/// Reads the index of a data file, and returns its text without the checksum. Returns nothing if there is no index, or
/// if the index is longer than `most`, is damaged, or does not begin with `start`.
/// @param path the path of the index
/// @param start the first bytes of an index of this kind and version
/// @param most the maximum size of the index in bytes
std::optional<std::string> read_kept_index(const std::string& path, std::string_view start, std::uint64_t most);

/// Writes the index of a data file. Replaces an older index of the same kind, but no other file. If writing fails, for
/// example because the folder is read-only, no index is written, and this is not an error.
/// @param path the path of the index; empty: no index is written
/// @param kind the first bytes of all indexes of this kind, up to the version
/// @param text the content of the index, which must begin with `kind`; this function appends a checksum
void keep_index(const std::string& path, std::string_view kind, std::string text);

/// Returns the text with its checksum appended.
std::string with_checksum(std::string text);
/// Returns `text` without the checksum at its end. Returns nothing if `text` has no checksum, or the checksum does not
/// match.
std::optional<std::string_view> without_checksum(std::string_view text);

}  // namespace troupe
