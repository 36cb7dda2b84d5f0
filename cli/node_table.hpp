#pragma once

#include <string>

namespace troupe::cli {

/// Converts a driver's status text, a JSON array of nodes, to a text table with a line of headings and one line per
/// node.
/// @param answer the status text
/// @throws Error protocol if the status text is malformed
std::string node_table(const std::string& answer);

}  // namespace troupe::cli
