#pragma once

#include <string>
#include <vector>

// This file declares functions on the words (arguments) of command lines.
namespace troupe::cli {

/// Returns the value of an option in `words`, which may be two words "FLAG VALUE" or one word "FLAG=VALUE". If the
/// option occurs several times, returns the last value. Returns an empty text if the option is missing.
/// @param flag the option with dashes, such as "--listen"
std::string flag_value(const std::vector<std::string>& words, const std::string& flag);

/// Returns `text` with each occurrence of `placeholder` replaced by `value`.
std::string replaced(std::string text, const std::string& placeholder, const std::string& value);

}  // namespace troupe::cli
