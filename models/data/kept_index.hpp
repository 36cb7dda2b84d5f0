#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

// The result of reading a file once, stored next to it as NAME.index, so that the next run can skip this work.

inline constexpr std::string_view kIndexEnding = ".index";

/// @param data the file that the index describes. @param start the first bytes of an index of this kind and version
/// @param most the largest size of an index of this data in bytes
/// @returns the stored text including `start`; nothing if there is no index, or if it is longer, damaged or of another
/// kind
std::optional<std::string> read_kept_index(const std::string& data, std::string_view start, std::uint64_t most);

/// Stores an index and replaces an older one, if the folder is writable. Does not replace a file of another kind.
/// @param kind the first bytes of an index of this kind, independent of its version. @param text must begin with `kind`
void keep_index(const std::string& data, std::string_view kind, std::string text);

/// Appends a checksum to the text.
std::string with_checksum(std::string text);
/// Removes the checksum; returns nothing if the checksum does not match.
std::optional<std::string_view> without_checksum(std::string_view text);

}  // namespace troupe
