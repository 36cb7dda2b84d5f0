#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Options that may follow the files in a name of data, as "KEY=VALUE", and what each does.
using DataOptions = std::map<std::string, std::function<void(const std::string& value)>>;

/// Parts of a text between separators.
std::vector<std::string> split_text(std::string_view text, char separator);

/// A length of 1 to 65536. @param option whose value it is, for errors. @throws Error invalid_argument
std::int64_t data_length(const std::string& option, const std::string& text);

/// What stands behind "NAME:", between commas: options, and files, which are returned.
/// @param usage of the name, for errors. @throws Error invalid_argument for an option that there is not or that has no
/// value
std::vector<std::string> parse_data_arguments(const std::string& name, const std::string& text, const char* usage,
                                              const DataOptions& options);

/// What follows "unseen=": whether a category or symbol that a training set did not have becomes zeros, rather than an
/// error. @param kind of data, for errors. @throws Error invalid_argument unless it is error or zero
bool zero_for_unseen(const std::string& kind, const std::string& text);

}  // namespace troupe
