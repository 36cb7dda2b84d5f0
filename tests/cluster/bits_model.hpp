#pragma once

namespace troupe_test {

/// Registers "bits": gradients and losses of values that a careless transport changes. `Options::config` says what the
/// loss is: "nan", "infinity", "-infinity", "minus-zero" or "subnormal".
void register_bits_model();

}  // namespace troupe_test
