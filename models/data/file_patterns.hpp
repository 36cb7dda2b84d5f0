#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Returns the files that match a shell pattern, ordered by name. A name without `*`, `?` and `[` is returned
/// unchanged. Ignores Troupe's index files (NAME.index). @throws Error bad_file if no file matches
std::vector<std::string> files_of(const std::string& pattern);

/// Expands ranges such as {000..009}, in order. Numbers are padded with zeros if one of the two limits is. Other braces
/// are not changed. @throws Error invalid_argument for a descending range, or more than 100,000 results
std::vector<std::string> expand_ranges(const std::string& text);

/// Returns the total size of the files. Files that cannot be inspected count as 0 bytes.
std::uint64_t bytes_of_files(const std::vector<std::string>& files);

}  // namespace troupe
