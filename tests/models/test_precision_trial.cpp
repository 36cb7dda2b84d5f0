#include <doctest/doctest.h>

#include "models/losses/loss_registry.hpp"
#include "models/network/device_network.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using models::conv2d, models::flatten, models::linear, models::max_pool2d, models::relu;

namespace {

NetworkPlan plan_of(const std::vector<models::Layer>& layers) {
  return plan_network(models::Graph(layers), std::vector<std::int64_t>{3, 20, 20}, 4);
}

const std::vector<models::Layer> kConvolutions{conv2d(8, {.kernel = 3, .padding = 1}),
                                               relu(),
                                               max_pool2d({.kernel = 2}),
                                               conv2d(16, {.kernel = 3, .stride = 2, .padding = 1}),
                                               flatten(),
                                               linear(4)};

ModelInfo started(const ReplicaContext& context) {
  return models::network(kConvolutions, load_data("mock-images:20,4", 1), 4)->start(context);
}

bool has_bf16() { return started({.precision = Precision::bf16}).precision == Precision::bf16; }

bool same(const PrecisionSeconds& a, const PrecisionSeconds& b) { return a.f32 == b.f32 && a.bf16 == b.bf16; }

}  // namespace

TEST_CASE("f32 is chosen if it is faster by more than a tenth, and without measurements bf16 is") {
  CHECK(PrecisionSeconds{1.0, 0.6}.faster() == Precision::bf16);
  CHECK(PrecisionSeconds{1.0, 1.09}.faster() == Precision::bf16);
  CHECK(PrecisionSeconds{1.0, 1.11}.faster() == Precision::f32);
  CHECK(PrecisionSeconds{}.faster() == Precision::bf16);
  CHECK_FALSE(PrecisionSeconds{}.known());
}

TEST_CASE("convolutions are measured once in a process, if the network has any and the CPU has bf16") {
  const PrecisionSeconds first = measure_precisions(plan_of(kConvolutions), 4, {});
  CHECK(first.known() == has_bf16());
  CHECK(same(measure_precisions(plan_of(kConvolutions), 4, {}), first));
  CHECK_FALSE(measure_precisions(plan_of({flatten(), linear(4)}), 4, {}).known());
}

TEST_CASE("the measurement shrinks slow images and splits large batches") {
  const NetworkPlan large = plan_network(models::Graph({conv2d(64, {.kernel = 3, .padding = 1}),
                                                        conv2d(64, {.kernel = 3, .padding = 1}), flatten(), linear(4)}),
                                         std::vector<std::int64_t>{3, 512, 512}, 4);
  CHECK(measure_precisions(large, 1000, {}).known() == has_bf16());
}

TEST_CASE("with precision_check a network uses the precision that was measured to be faster") {
  const ModelInfo checked = started({.precision = Precision::bf16, .precision_check = true});
  CHECK(checked.measured.known() == has_bf16());
  if (has_bf16()) CHECK(checked.precision == checked.measured.faster());
  CHECK_FALSE(started({.precision = Precision::bf16}).measured.known());
  const ModelInfo exact = started({.precision = Precision::f32, .precision_check = true});
  CHECK(exact.precision == Precision::f32);
  CHECK_FALSE(exact.measured.known());
}
