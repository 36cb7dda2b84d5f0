#include "gpu/device_models.hpp"

#include <cstdlib>

#include "actors/optimizers/sign_rule.hpp"
#include "troupe/function.hpp"
#include "troupe/loop.hpp"
#include "troupe/models.hpp"

using namespace troupe;

namespace troupe_test {

void register_device_models() {
  register_sign_rule();
  register_model("small-cnn", [](const ReplicaContext& /*context*/) {
    return models::network({models::conv2d(8, {.kernel = 3, .padding = 1}), models::batch_norm(), models::relu(),
                            models::max_pool2d({.kernel = 2}), models::flatten(), models::linear(10)},
                           load_data("mock-images:8,10", 1), 8);
  });
  // Sizes for which devices have tensor cores.
  register_model("wide-cnn", [](const ReplicaContext& /*context*/) {
    return models::network({models::conv2d(64, {.kernel = 3, .padding = 1}), models::relu(),
                            models::conv2d(64, {.kernel = 3, .padding = 1}), models::relu(),
                            models::global_average_pool(), models::linear(16)},
                           load_data("mock-images:8,16", 1), 8);
  });
  register_function("train here", [](const Json& /*config*/) {
    const auto model = accelerate("small-cnn");
    GroupSGD optimizer{model, here().group(), Sgd{.learning_rate = 0.01, .momentum = 0.9}};
    for (int step = 0; step < 4; ++step) optimizer.step();
    return Json{{"device", here().device()},
                {"devices", here().devices()},
                {"fingerprint", model->info().fingerprint},
                {"weights", optimizer.weights()}};
  });
  register_function("say devices", [](const Json& /*config*/) {
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    here().report({{"loss", 0}});
    return Json{{"visible", visible == nullptr ? "" : visible}};
  });
}

}  // namespace troupe_test
