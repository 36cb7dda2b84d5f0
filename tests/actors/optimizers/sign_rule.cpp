#include "actors/optimizers/sign_rule.hpp"

#include "troupe/optimizer.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

bool update(float rate, const UpdateChunk& chunk) {
  for (std::size_t i = 0; i < chunk.count; ++i) {
    chunk.new_state[0][i] = chunk.state[0][i] + chunk.gradient_mean[i];
    chunk.new_weights[i] = sign_step(chunk.weights[i], rate, chunk.new_state[0][i]);
  }
  return all_finite({chunk.new_state[0], chunk.count}) && all_finite({chunk.new_weights, chunk.count});
}

}  // namespace

float sign_step(float weight, float rate, float sum) {
  if (sum == 0) return weight;
  return sum > 0 ? weight - rate : weight + rate;
}

void register_sign_rule() {
  register_optimizer("signs", [](const RegisteredOptimizer& /*options*/) {
    const auto prepare = [](const UpdateStep& at) {
      return [rate = static_cast<float>(at.learning_rate)](const UpdateChunk& chunk) { return update(rate, chunk); };
    };
    return UpdateRule{{"sum"}, prepare};
  });
}

}  // namespace troupe_test
