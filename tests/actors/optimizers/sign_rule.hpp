#pragma once

namespace troupe_test {

/// Registers the update rule "signs", as a user would: the state "sum" is that of all mean gradients, and a weight goes
/// one learning rate against its sign.
void register_sign_rule();

/// What it makes of a weight.
float sign_step(float weight, float rate, float sum);

}  // namespace troupe_test
