#pragma once

#include "mutation/tamper.hpp"

namespace troupe_test {

/// Returns whether only the sender of a message can know the field that lies, so that the run may come to other
/// numbers.
bool sender_knows(const Lie& lie);

}  // namespace troupe_test
