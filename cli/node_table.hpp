#pragma once

#include <string>

namespace troupe::cli {

/// Returns a driver's status text, a JSON array of nodes, as a table with headings and one line per node.
/// @throws Error protocol if the status text is malformed
std::string node_table(const std::string& answer);

}  // namespace troupe::cli
