#pragma once

#include <string>
#include <vector>

// Command lines that are another program's.
namespace troupe::cli {

/// What stands behind a flag, as "--flag VALUE" or "--flag=VALUE", the last time; empty where it does not stand there.
std::string flag_value(const std::vector<std::string>& words, const std::string& flag);

/// A text with a value in each place of a placeholder.
std::string replaced(std::string text, const std::string& placeholder, const std::string& value);

}  // namespace troupe::cli
