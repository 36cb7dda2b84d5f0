#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The options of a data name, which the user writes as "KEY=VALUE". Each key is mapped to the function that receives
/// its value.
using DataOptions = std::map<std::string, std::function<void(const std::string& value)>>;

/// Returns the pieces of a text between separators. Empty pieces are included.
std::vector<std::string> split_text(std::string_view text, char separator);

/// Returns the length that `text` contains, an integer from 1 to 65,536.
/// @param option the name of the option, for the error message
/// @throws Error invalid_argument for any other text
std::int64_t data_length(const std::string& option, const std::string& text);

/// Parses the comma-separated arguments after "NAME:" in a data name. Calls the function of each option, and returns
/// the other arguments, which are names of files.
/// @param name NAME
/// @param text the arguments
/// @param usage the syntax of the arguments, for error messages
/// @throws Error invalid_argument for an unknown option, an option without a value, or an empty argument
std::vector<std::string> parse_data_arguments(const std::string& name, const std::string& text, const char* usage,
                                              const DataOptions& options);

/// Parses the value of the option "unseen=", which decides what happens to a category or symbol that the training set
/// does not have. Returns true for "zero" (it becomes zeros), and false for "error" (it is an error).
/// @param kind the name of the data, for the error message
/// @throws Error invalid_argument for any other value
bool zero_for_unseen(const std::string& kind, const std::string& text);

}  // namespace troupe
