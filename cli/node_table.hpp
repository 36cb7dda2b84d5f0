#pragma once

#include <string>

namespace troupe::cli {

/// Formats a driver's answer (a JSON array of nodes) as a table with headings and one line per node.
/// @throws Error protocol if the answer is malformed.
std::string node_table(const std::string& answer);

}  // namespace troupe::cli
