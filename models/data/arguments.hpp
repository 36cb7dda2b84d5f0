#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The options that may follow the files in a data name, as "KEY=VALUE", and the action of each.
using DataOptions = std::map<std::string, std::function<void(const std::string& value)>>;

/// Splits a text at a separator.
std::vector<std::string> split_text(std::string_view text, char separator);

/// Parses a length from 1 to 65536. @param option the name of the option, for errors. @throws Error invalid_argument
std::int64_t data_length(const std::string& option, const std::string& text);

/// Parses the comma-separated arguments behind "NAME:". Applies the options and returns the files.
/// @param usage the form of the name, for errors
/// @throws Error invalid_argument for an option that is unknown or has no value
std::vector<std::string> parse_data_arguments(const std::string& name, const std::string& text, const char* usage,
                                              const DataOptions& options);

/// Parses the value of "unseen=". Returns true for zero: a category or symbol that the training set does not have
/// becomes zeros. Returns false for error: it is an error.
/// @param kind the kind of data, for errors. @throws Error invalid_argument for another value
bool zero_for_unseen(const std::string& kind, const std::string& text);

}  // namespace troupe
