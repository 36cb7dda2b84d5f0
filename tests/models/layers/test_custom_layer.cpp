#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "models/files.hpp"
#include "models/network/network_plan.hpp"
#include "models/network_trial.hpp"
#include "support/started.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;

namespace {

/// A linear layer in plain loops over floats.
class PlainLinear final : public CustomLayer {
 public:
  explicit PlainLinear(std::int64_t outputs) : outputs_(outputs) {}

  std::string kind() const override { return "plain linear"; }
  bool takes_copies() const override { return true; }
  SampleShape output(std::span<const SampleShape> /*inputs*/) const override {
    return {.channels = outputs_, .flat = true};
  }
  bool has_tensors() const override { return true; }
  std::vector<LayerTensor> tensors(const SampleShape& input) const override {
    return Linear(outputs_).tensors({.channels = input.size(), .flat = true});
  }

  void forward(const Forward& at) const override {
    const std::int64_t inputs = std::ssize(at.input) / at.samples;
    for (std::int64_t n = 0; n < at.samples; ++n)
      for (std::int64_t o = 0; o < outputs_; ++o) {
        double sum = value(at.tensors, outputs_ * inputs + o);
        for (std::int64_t i = 0; i < inputs; ++i)
          sum += static_cast<double>(value(at.tensors, o * inputs + i)) * value(at.input, n * inputs + i);
        value(at.output, n * outputs_ + o) = static_cast<float>(sum);
      }
  }

  void backward(const Backward& at) const override {
    const std::int64_t inputs = std::ssize(at.input) / at.samples;
    std::ranges::fill(at.input_gradient, 0.0F);
    std::ranges::fill(at.tensors_gradient, 0.0F);
    for (std::int64_t n = 0; n < at.samples; ++n)
      for (std::int64_t o = 0; o < outputs_; ++o) {
        const float slope = value(at.output_gradient, n * outputs_ + o);
        value(at.tensors_gradient, outputs_ * inputs + o) += slope;
        for (std::int64_t i = 0; i < inputs; ++i) {
          value(at.tensors_gradient, o * inputs + i) += slope * value(at.input, n * inputs + i);
          if (!at.input_gradient.empty())
            value(at.input_gradient, n * inputs + i) += slope * value(at.tensors, o * inputs + i);
        }
      }
  }

 private:
  template <class T>
  static T& value(std::span<T> of, std::int64_t index) {
    return of[static_cast<std::size_t>(index)];
  }

  std::int64_t outputs_;
};

Layer plain_linear(std::int64_t outputs) { return std::make_shared<PlainLinear>(outputs); }

/// Checks that a network with custom layers equals the same network with built-in linear layers.
void check_alike(const std::vector<std::int64_t>& shape, const std::vector<Layer>& own, const std::vector<Layer>& ours,
                 Precision precision = Precision::f32) {
  const NetworkTrial found({"own", shape, own}, 5, precision);
  const NetworkTrial expected({"ours", shape, ours}, 5, precision);
  const double off = precision == Precision::f32 ? 1e-5 : 0.05;
  CHECK(found.loss == doctest::Approx(expected.loss).epsilon(off));
  const std::vector<float> gradient = found.canonical(found.gradient);
  const std::vector<float> right = expected.canonical(expected.gradient);
  REQUIRE(gradient.size() == right.size());
  const float most = static_cast<float>(off) * largest(right);
  for (std::size_t i = 0; i < right.size(); ++i) REQUIRE(std::abs(gradient[i] - right[i]) <= most);
}

}  // namespace

TEST_CASE("a custom layer learns like the built-in one, for flat values and after images") {
  check_alike({5}, {plain_linear(7), relu(), plain_linear(3)}, {linear(7), relu(), linear(3)});
  check_alike({17}, {linear(33), plain_linear(3)}, {linear(33), linear(3)});
  for (const Precision precision : {Precision::f32, Precision::bf16})
    check_alike({3, 6, 5},
                {conv2d(5, {.kernel = 3, .padding = 1}), relu(), flatten(), plain_linear(9), relu(), linear(3)},
                {conv2d(5, {.kernel = 3, .padding = 1}), relu(), flatten(), linear(9), relu(), linear(3)}, precision);
}

TEST_CASE("tensors of a custom layer get their initial values, and so do tensors of later layers") {
  const Graph own({conv2d(3, {.kernel = 3}), flatten(), plain_linear(7), relu(), linear(4)});
  const Graph ours({conv2d(3, {.kernel = 3}), flatten(), linear(7), relu(), linear(4)});
  const auto start = [](const Graph& graph) {
    const auto model = testing::started(network(graph, load_data("mock-images:5,4"), 5));
    std::vector<float> flat(model->info().size), canonical(total_size(model->info().tensors));
    model->initialize(flat, 3);
    model->to_canonical(flat, canonical);
    return canonical;
  };
  CHECK(start(own) == start(ours));
}

TEST_CASE("the padding of a custom layer stays zero, and its tensors have the layer's name as prefix") {
  const NetworkTrial trial({"own", {3, 6, 5}, {conv2d(5, {.kernel = 3}), flatten(), plain_linear(3)}}, 4);
  CHECK(trial.plan.tensors[2].info.name == "2.weight");
  CHECK(trial.plan.tensors[3].info.name == "2.bias");
  AlignedFloats again(trial.gradient.size());
  trial.network->copy_canonical(trial.canonical(trial.gradient), again);
  CHECK(again == trial.gradient);
}

TEST_CASE("an error of a custom layer is reported with the layer's name") {
  class Refusing final : public CustomLayer {
   public:
    std::string kind() const override { return "refusing"; }
    SampleShape output(std::span<const SampleShape> /*inputs*/) const override {
      throw Error(ErrorCode::invalid_argument, "takes nothing");
    }
    void forward(const Forward& /*at*/) const override {}
    void backward(const Backward& /*at*/) const override {}
  };
  testing::check_throws(ErrorCode::invalid_argument, "layer 1 (refusing) takes nothing", [] {
    plan_network(Graph({flatten(), std::make_shared<Refusing>(), linear(kClasses)}), std::vector<std::int64_t>{4},
                 kClasses);
  });
}

TEST_CASE("invalid shapes, empty tensors and duplicate names of a custom layer are refused") {
  class Odd final : public CustomLayer {
   public:
    Odd(SampleShape shape, std::vector<LayerTensor> its_tensors) : shape_(shape), tensors_(std::move(its_tensors)) {}
    std::string kind() const override { return "odd"; }
    SampleShape output(std::span<const SampleShape> /*inputs*/) const override { return shape_; }
    bool has_tensors() const override { return !tensors_.empty(); }
    std::vector<LayerTensor> tensors(const SampleShape& /*input*/) const override { return tensors_; }
    void forward(const Forward& /*at*/) const override {}
    void backward(const Backward& /*at*/) const override {}

   private:
    SampleShape shape_;
    std::vector<LayerTensor> tensors_;
  };
  const auto refused = [](const SampleShape& shape, const std::vector<LayerTensor>& tensors, const std::string& why) {
    testing::check_throws(ErrorCode::invalid_argument, "layer 0 (odd) " + why, [&] {
      plan_network(Graph({std::make_shared<Odd>(shape, tensors), flatten(), linear(kClasses)}),
                   std::vector<std::int64_t>{4, 4}, kClasses);
    });
  };
  refused({}, {}, "returns 0x1x1, which is not a valid shape");
  refused({.channels = -3, .flat = true}, {}, "returns -3x1x1 flat features");
  refused({.channels = 1, .height = 4, .width = 4, .flat = true}, {}, "returns 1x4x4 flat features");
  const SampleShape flat{.channels = 3, .flat = true};
  refused(flat, {{{"weight", {0}}}}, "has a tensor '0.weight' of size 0");
  refused(flat, {{{"weight", {-1}}}}, "a length of -1");
  refused(flat, {{{"weight", {1}}}, {{"weight", {2}}}}, "has a tensor '0.weight'; an earlier layer has");
}

TEST_CASE("a custom layer is refused if its has_tensors contradicts its tensors") {
  class Silent final : public CustomLayer {
   public:
    std::string kind() const override { return "silent"; }
    SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
    std::vector<LayerTensor> tensors(const SampleShape& /*input*/) const override { return {{{"weight", {1}}}}; }
    void forward(const Forward& /*at*/) const override {}
    void backward(const Backward& /*at*/) const override {}
  };
  testing::check_throws(
      ErrorCode::invalid_argument, "layer 0 (silent) returns tensors although has_tensors() is false", [] {
        plan_network(Graph({std::make_shared<Silent>(), linear(kClasses)}), std::vector<std::int64_t>{4}, kClasses);
      });
}
