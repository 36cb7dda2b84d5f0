#pragma once

#include <string>
#include <vector>

// Functions on the words of command lines.
namespace troupe::cli {

/// Returns the value of the last "--flag VALUE" or "--flag=VALUE" in `words`; empty if the flag is missing. @param flag
/// with dashes, such as "--listen"
std::string flag_value(const std::vector<std::string>& words, const std::string& flag);

/// Returns `text` with each occurrence of `placeholder` replaced by `value`.
std::string replaced(std::string text, const std::string& placeholder, const std::string& value);

}  // namespace troupe::cli
