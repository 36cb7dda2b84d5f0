#pragma once

namespace troupe_test {

/// Registers "bits", a model with gradients and losses that an inexact transport changes. `Options::config` selects the
/// loss: "nan", "infinity", "-infinity", "minus-zero" or "subnormal".
void register_bits_model();

}  // namespace troupe_test
