#pragma once

#include <string>

namespace troupe {

/// Returns a text in which the query of each URL, which may contain a secret, is replaced: "https://host/a?key=1"
/// becomes "https://host/a?...". Also replaces user names and passwords. A query ends at a blank, a quote or a comma.
/// A URL of s3 has no query.
std::string without_secrets(std::string text);

}  // namespace troupe
