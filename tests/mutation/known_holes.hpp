#pragma once

#include "mutation/tamper.hpp"

namespace troupe_test {

/// Returns whether a lie is known to go wrong.
bool is_known_hole(const Lie& lie);

}  // namespace troupe_test
