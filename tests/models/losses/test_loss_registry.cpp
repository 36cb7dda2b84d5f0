#include <doctest/doctest.h>

#include <memory>

#include "models/files.hpp"
#include "models/losses/loss_registry.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

std::shared_ptr<const Loss> zero(const std::string& name) {
  return std::make_shared<FunctionLoss>(
      name, [](std::span<const float>, const Target&) { return 0.0; },
      [](std::span<const float>, const Target&, std::span<float>) {});
}

void refused(const std::string& what, const std::shared_ptr<const Loss>& loss) {
  check_throws(ErrorCode::invalid_argument, what, [&] { register_loss(loss); });
}

}  // namespace

TEST_CASE("losses are found by name, both custom and built-in ones") {
  const auto own = zero("test-own");
  register_loss(own);
  CHECK(find_loss("test-own") == own);
  for (const char* name : {"softmax-cross-entropy", "mean-squared-error", "sigmoid-cross-entropy"})
    CHECK(find_loss(name)->name() == name);
  check_throws(ErrorCode::invalid_argument,
               "no loss named 'l1'; there are mean-squared-error, sigmoid-cross-entropy, "
               "softmax-cross-entropy",
               [] { find_loss("l1"); });
  check_throws(ErrorCode::invalid_argument, "test-own", [] { find_loss(""); });
}

TEST_CASE("a loss must have a name and can be registered once") {
  register_loss(zero("test-once"));
  refused("'test-once' is registered already", zero("test-once"));
  refused("'mean-squared-error' is registered already", zero("mean-squared-error"));
  refused("the name", zero(""));
  refused("null loss", nullptr);
}

TEST_CASE("the default loss depends on the data") {
  CHECK(default_loss({.num_samples = 1, .shape = {1}, .num_classes = 2})->name() == "softmax-cross-entropy");
  CHECK(default_loss({.num_samples = 1, .shape = {1}, .num_targets = 2})->name() == "mean-squared-error");
}
