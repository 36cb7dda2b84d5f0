#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

// What was found by going through a file once, kept beside it as NAME.index, so that the next run need not do it again.

inline constexpr std::string_view kIndexEnding = ".index";

/// @param data the file that it is of. @param start what an index of this kind and version begins with
/// @param most bytes that an index of this data may have
/// @returns what was kept, with its start; nothing where there is none, it is longer, damaged or of another kind
std::optional<std::string> read_kept_index(const std::string& data, std::string_view start, std::uint64_t most);

/// Keeps it where the folder takes it, in place of an older one; somebody else's file of this name stays as it is.
/// @param kind what an index of this kind begins with, whatever its version. @param text begins with it
void keep_index(const std::string& data, std::string_view kind, std::string text);

/// Text with a checksum behind it, as it is kept.
std::string with_checksum(std::string text);
/// What stands before the checksum; nothing where that is another.
std::optional<std::string_view> without_checksum(std::string_view text);

}  // namespace troupe
