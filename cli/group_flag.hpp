#pragma once

#include <string>

#include "troupe/optimizer.hpp"

namespace troupe::cli {

/// Of `--group`: "PATTERN:KEY=NUMBER,...", with the keys weight_decay and learning_rate_factor. A pattern may hold
/// colons. @throws Error invalid_argument saying what is wrong with the text.
ParameterGroup parse_group(const std::string& text);

}  // namespace troupe::cli
