#pragma once

#include "mutation/tamper.hpp"

namespace troupe_test {

/// Returns whether only the sender of a message knows the changed field, so that the results of the run may differ.
bool sender_knows(const Lie& lie);

}  // namespace troupe_test
