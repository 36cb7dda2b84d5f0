#pragma once

namespace troupe_test {

/// Registers the update rule "signs" as a user would. The state "sum" is the sum of all mean gradients. A weight moves
/// by one learning rate against the sign of this sum.
void register_sign_rule();

/// Returns the weight after one step of the rule.
float sign_step(float weight, float rate, float sum);

}  // namespace troupe_test
