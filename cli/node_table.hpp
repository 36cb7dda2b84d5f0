#pragma once

#include <string>

namespace troupe::cli {

/// Converts a driver's status text (see ask_for_nodes) to a table with a line of headings and one line per node,
/// followed by a line about copies of the state, if there are any, and one line per change of the nodes.
/// @param answer the status text
/// @throws Error protocol if the status text is malformed
std::string node_table(const std::string& answer);

}  // namespace troupe::cli
