#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

inline constexpr std::size_t kLongestPeerText = 2000;

/// A text that came from elsewhere as a terminal or a log may show it: one line, whose letters, of any language, are as
/// they were. Ends of lines become spaces; what controls a terminal, turns the direction of writing, shows nothing or
/// is no UTF-8 becomes '?'. Of more than `most` bytes the end is left out.
std::string printable(std::string_view text, std::size_t most = kLongestPeerText);

/// Whether `printable` would leave it as it is.
bool is_printable(std::string_view text, std::size_t most = kLongestPeerText);

}  // namespace troupe
