#pragma once

#include <string>

namespace troupe::cli {

/// The table of nodes that a driver's answer (a JSON array) makes, a line each under their headings.
/// @throws Error protocol when it makes none.
std::string node_table(const std::string& answer);

}  // namespace troupe::cli
