#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Whether a kind of data reads objects on servers.
enum class Servers : std::uint8_t { read, refused };

/// Returns the files that match a shell pattern, or the URLs of the objects of an S3 bucket that match one, ordered by
/// name. A pattern without `*`, `?` and `[` is the name of a file, and is returned unchanged. Index files (NAME.index),
/// which Troupe itself writes, are left out, unless the pattern ends with ".index". Ranges in a URL, such as
/// {000..009}, are replaced by their numbers; see expand_ranges.
/// @throws Error bad_file if no file matches; invalid_argument for a URL that is not valid, a pattern of a web server,
/// or any URL if the data is not read from servers
std::vector<std::string> files_of(const std::string& pattern, Servers servers = Servers::read);

/// Replaces each range in `text`, such as {000..009}, by each of its numbers, and returns all resulting texts in order.
/// If the first or the last number of a range has leading zeros, all numbers of the range are padded with zeros to the
/// same length. Other braces are not changed.
/// @throws Error invalid_argument if a range is descending, or there are more than 100,000 results
std::vector<std::string> expand_ranges(const std::string& text);

/// Returns the name of a file, or a URL without its query, for messages.
std::string shown_name(const std::string& name);

/// Returns the total size of the files and of objects on servers. Files that cannot be inspected count as 0 bytes.
/// @throws Error as open_data for a URL
std::uint64_t bytes_of_files(const std::vector<std::string>& files);

}  // namespace troupe
