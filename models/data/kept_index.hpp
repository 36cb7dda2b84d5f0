#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

// An index is a file NAME.index next to the data file NAME. It contains what Troupe found when it read the whole data
// file, such as the offsets of samples. Later runs read the index instead of the whole data file.

inline constexpr std::string_view kIndexEnding = ".index";

/// Returns the text of an index without its checksum. Returns nothing if there is no index, or if it is longer than
/// `most`, is damaged, or does not begin with `start`.
/// @param data the path of the data file
/// @param start the first bytes of an index of this kind and version
/// @param most the maximum size of the index in bytes
std::optional<std::string> read_kept_index(const std::string& data, std::string_view start, std::uint64_t most);

/// Writes an index and replaces an older index, but never a file of another kind. Does nothing if writing fails, for
/// example because the folder is read-only.
/// @param data the path of the data file
/// @param kind the first bytes of an index of this kind, without its version
/// @param text the content, which must begin with `kind`; a checksum is added
void keep_index(const std::string& data, std::string_view kind, std::string text);

/// Returns the text with its checksum appended.
std::string with_checksum(std::string text);
/// Returns the text without the checksum at its end, or nothing if the checksum does not match.
std::optional<std::string_view> without_checksum(std::string_view text);

}  // namespace troupe
