#include <doctest/doctest.h>

#include <bit>

#include "cluster/nodes.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

/// The weights and the loss of one step.
struct Result {
  std::vector<std::uint32_t> weights;
  std::uint64_t loss = 0;
};

Result one_step(const Options& options) {
  DistributedSGD sgd("bits", options);
  Result result;
  result.loss = std::bit_cast<std::uint64_t>(sgd.step().loss);
  result.weights = bits_of(sgd.weights());
  return result;
}

Options here(const std::string& loss) {
  Options options;
  options.num_shards = 3;
  options.config = loss;
  options.verbose = false;
  return options;
}

Options there(const Nodes& nodes, const std::string& loss, Strategy strategy = Strategy::automatic) {
  Options options = nodes.options();
  options.config = loss;
  options.gradients.strategy = strategy;
  return options;
}

}  // namespace

TEST_CASE("NaN, infinities, -0 and subnormals arrive bitwise identical") {
  Nodes nodes(3);
  for (const char* loss : {"minus-zero", "subnormal"}) {
    const Result expected = one_step(here(loss));
    for (const Strategy strategy : {Strategy::hierarchical, Strategy::ring, Strategy::parameter_server}) {
      CAPTURE(to_string(strategy));
      const Result got = one_step(there(nodes, loss, strategy));
      CHECK(got.weights == expected.weights);
      CHECK(got.loss == expected.loss);
    }
    // The statistics' half contains the values of the gradients. The first four have the exponent of `shown`.
    for (const std::uint32_t bits : {0x6fc00000U, 0xefc12345U, 0x6f800000U, 0xef800000U, 0x80000000U, 1U, 0x807fffffU})
      CHECK(std::find(expected.weights.begin(), expected.weights.end(), bits) != expected.weights.end());
  }
  CHECK(std::bit_cast<double>(one_step(there(nodes, "subnormal")).loss) ==
        2 * std::numeric_limits<double>::denorm_min());
}

TEST_CASE("a loss that is not finite is an error that names the node, and the step is not committed") {
  Nodes nodes(3);
  for (const char* loss : {"nan", "infinity", "-infinity"}) {
    DistributedSGD sgd("bits", there(nodes, loss));
    const auto before = bits_of(sgd.weights());
    const auto step = [&] { sgd.step(); };
    CHECK(code_of(step) == ErrorCode::non_finite_loss);
    CHECK(where_of(step) == Where{1, "node1", "compute", 1, ""});
    CHECK(bits_of(sgd.weights()) == before);
  }
}
