#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Files that a pattern of the shell's kind fits, in the order of their names; a name without `*`, `?` and `[` as it
/// is. What Troupe keeps beside files (NAME.index) is none of them. @throws Error bad_file where there are none
std::vector<std::string> files_of(const std::string& pattern);

/// What ranges such as {000..009} stand for, in order, with zeros in front where one of the two numbers has
/// some. Other braces stay. @throws Error invalid_argument for a range that goes down, or more than 100,000 texts
std::vector<std::string> expand_ranges(const std::string& text);

/// Of all of them together; of those that cannot be looked at none.
std::uint64_t bytes_of_files(const std::vector<std::string>& files);

}  // namespace troupe
