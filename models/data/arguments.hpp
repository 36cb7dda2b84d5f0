#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The options that a kind of data supports. In a data name such as "csv:a.csv,target=price", the user writes options
/// as "KEY=VALUE". This map contains, for each key, the function that receives the value.
using DataOptions = std::map<std::string, std::function<void(const std::string& value)>>;

/// Splits a text at each separator, and returns the pieces. The result includes empty pieces.
std::vector<std::string> split_text(std::string_view text, char separator);

/// Returns the integer that `text`, the value of an option, contains. It must be from 1 to 65,536.
/// @param option the name of the option, for the error message
/// @throws Error invalid_argument if `text` is anything else
std::int64_t data_length(const std::string& option, const std::string& text);

/// Parses the comma-separated arguments of a data name "NAME:ARGUMENTS". For each argument "KEY=VALUE" with a key in
/// `options`, calls the function of this option. Returns the other arguments, which are names of files.
/// @param name NAME, the kind of data
/// @param text ARGUMENTS
/// @param usage the syntax of the arguments, for error messages
/// @throws Error invalid_argument if an option is unknown or has no value, or an argument is empty
std::vector<std::string> parse_data_arguments(const std::string& name, const std::string& text, const char* usage,
                                              const DataOptions& options);

/// Parses `text`, the value of the option "unseen" of a data name. The option determines how to read a category or
/// symbol that does not occur in the training set. Returns true for "zero" (such a category or symbol becomes zeros),
/// and false for "error" (it is an error).
/// @param kind the name of the kind of data, such as "csv", for the error message
/// @throws Error invalid_argument if `text` is any other value
bool zero_for_unseen(const std::string& kind, const std::string& text);

}  // namespace troupe
