#pragma once

#include <string>
#include <vector>

// Functions for the command lines of other programs.
namespace troupe::cli {

/// Returns the value of the last "--flag VALUE" or "--flag=VALUE"; empty if the flag is missing.
std::string flag_value(const std::vector<std::string>& words, const std::string& flag);

/// Replaces each occurrence of a placeholder.
std::string replaced(std::string text, const std::string& placeholder, const std::string& value);

}  // namespace troupe::cli
