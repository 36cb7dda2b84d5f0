#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "files.hpp"
#include "models/aligned.hpp"
#include "models/converts_parts.hpp"
#include "models/network/device_network.hpp"
#include "runtime/random.hpp"
#include "support/started.hpp"
#include "troupe/error.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::models;
using testing::started;

namespace {

TrainingData images(std::vector<std::int64_t> shape, std::int64_t count, int classes) {
  std::int64_t floats = count;
  for (const std::int64_t extent : shape) floats *= extent;
  std::vector<float> values(static_cast<std::size_t>(floats));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 13) / 13;
  std::vector<std::int32_t> labels;
  for (std::int64_t i = 0; i < count; ++i) labels.push_back(static_cast<std::int32_t>(i % classes));
  const auto set = std::make_shared<const Dataset>(
      Dataset::classes(std::move(shape), std::move(values), std::move(labels), classes));
  return {.train = set, .test = set};
}

std::size_t count(const Model& model) {
  std::size_t sum = 0;
  for (const TensorInfo& tensor : model.info().tensors)
    sum += static_cast<std::size_t>(
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>()));
  return sum;
}

std::vector<float> initial(Model& model, std::uint64_t seed) {
  AlignedFloats weights(model.info().size, 7.0F);
  model.initialize(weights, seed);
  std::vector<float> canonical(count(model));
  model.to_canonical(weights, canonical);
  return canonical;
}

void check_refused(const std::vector<Layer>& layers, const TrainingData& data, const std::string& words) {
  try {
    network(layers, data, 2);
    FAIL("not refused: " << words);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid_argument);
    CHECK_MESSAGE(error.message().find(words) != std::string::npos, error.message());
  }
}

}  // namespace

TEST_CASE("the reference CNN has PyTorch's names and shapes and 421,642 parameters") {
  const auto model = started(network(cnn_layers(10), images({1, 28, 28}, 10, 10), 5));
  const std::vector<TensorInfo> tensors = model->info().tensors;
  REQUIRE(tensors.size() == 8);
  CHECK(tensors[0].name == "0.weight");
  CHECK(tensors[0].shape == std::vector<std::int64_t>{32, 1, 3, 3});
  CHECK(tensors[3].name == "3.bias");
  CHECK(tensors[4].name == "7.weight");
  CHECK(tensors[4].shape == std::vector<std::int64_t>{128, 3136});
  CHECK(tensors[7].name == "9.bias");
  CHECK(tensors[7].shape == std::vector<std::int64_t>{10});
  CHECK(count(*model) == 421642);
  CHECK(model->info().size >= 421642);
  CHECK_FALSE(model->info().lightweight);
}

TEST_CASE("initial values are uniform in +-1/sqrt(fan in) and a function of the seed") {
  const auto model = started(network(mlp_layers(10), images({28, 28}, 10, 10), 5));
  const std::vector<float> weights = initial(*model, 3);
  CHECK(weights == initial(*started(network(mlp_layers(10), images({28, 28}, 10, 10), 4)), 3));
  CHECK(weights != initial(*model, 4));
  double largest = 0, sum = 0;
  for (std::size_t i = 0; i < 100352; ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(weights[i])));
    sum += weights[i];
  }
  CHECK(largest <= 1.0 / 28);
  CHECK(largest > 0.999 / 28);
  CHECK(std::abs(sum / 100352) < 5e-4);
}

TEST_CASE("convolutions without bias start normal with variance 2 / fan out, batch-norm as the identity") {
  const auto model =
      started(network({conv2d(64, {.kernel = 3, .padding = 1, .bias = false}), batch_norm(), flatten(), linear(3)},
                      images({16, 4, 4}, 3, 3), 3));
  const std::vector<float> weights = initial(*model, 3);
  constexpr std::size_t kWeights = 64 * 16 * 9;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < kWeights; ++i) {
    sum += weights[i];
    squares += static_cast<double>(weights[i]) * weights[i];
  }
  CHECK(std::abs(sum / kWeights) < 3e-3);
  CHECK(squares / kWeights == doctest::Approx(2.0 / (64 * 9)).epsilon(0.05));
  const auto all = [&](std::size_t tensor, float value) {
    return std::all_of(weights.begin() + static_cast<std::ptrdiff_t>(kWeights + 64 * tensor),
                       weights.begin() + static_cast<std::ptrdiff_t>(kWeights + 64 * (tensor + 1)),
                       [value](float weight) { return weight == value; });
  };
  CHECK(all(0, 1));
  CHECK(all(1, 0));
  CHECK(all(2, 0));
  CHECK(all(3, 1));
}

TEST_CASE("running statistics follow the learned parameters") {
  const auto model = started(network(cnn_bn_layers(10), images({28, 28}, 10, 10), 5));
  CHECK(model->info().learned_size < model->info().size);
  CHECK(model->info().learned_size % 32 == 0);
  CHECK(count(*model) == 32 * 9 + 64 * 32 * 9 + 4 * (32 + 64) + 128 * (3136 + 1) + 10 * (128 + 1));
  const auto plain = started(network(cnn_layers(10), images({28, 28}, 10, 10), 5));
  CHECK(plain->info().learned_size == plain->info().size);
}

TEST_CASE("a model computes in the precision it was started with, if the device supports it") {
  const std::vector<std::int64_t> shape{1, 8, 8};
  const auto model = network(cnn_layers(4), images(shape, 12, 4), 4);
  for (const Precision precision : {Precision::bf16, Precision::f32}) {
    ReplicaContext context;
    context.precision = precision;
    model->start(context);
    const auto device =
        make_cpu_network(plan_network(Graph(cnn_layers(4)), shape, 4), losses::softmax_cross_entropy(), 4, precision,
                         /*frozen=*/false);
    CHECK(model->info().precision == device->precision());
    CHECK(model->info().fingerprint == device->fingerprint());
  }
}

TEST_CASE("an unsupported device is refused, and the error lists the supported ones") {
  ReplicaContext context;
  context.device = troupe::Device::cuda;
  const auto model = network(mlp_layers(4), images({1, 8, 8}, 12, 4), 4);
  testing::check_throws(ErrorCode::unsupported, "this program supports CPUs only", [&] { model->start(context); });
}

TEST_CASE("models that compute on CPUs only refuse an accelerator") {
  ReplicaContext context;
  context.device = troupe::Device::cuda;
  testing::check_throws(ErrorCode::unsupported, "this model supports CPUs only", [&] {
    softmax_regression(images({1, 8, 8}, 12, 4))->start(context);
  });
  testing::check_throws(ErrorCode::unsupported, "this model supports CPUs only",
                        [&] { linear_regression(load_data("synthetic-linear", 1))->start(context); });
}

TEST_CASE("a network must be started before use") {
  const auto model = network(mlp_layers(4), images({1, 8, 8}, 12, 4), 4);
  std::vector<float> weights(10);
  testing::check_throws(ErrorCode::invalid_argument, "only after start()", [&] { model->initialize(weights, 1); });
}

TEST_CASE("a profile lists the kinds of layers") {
  const auto model = started(network(cnn_layers(4), images({1, 8, 8}, 12, 4), 4));
  AlignedFloats weights(model->info().size), gradient(model->info().size);
  model->gradient({}, weights, gradient);
  const std::vector<LayerTime> kinds = model->profile();
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].kind == "convolution 3x3 + max-pooling");
  CHECK(kinds[0].layers == 2);
  CHECK(kinds[0].forward_flops == 2 * 4 * (8 * 8 * 32 * 9 + 4 * 4 * 64 * 32 * 9));
  CHECK(kinds[0].backward_flops == 2 * 4 * (8 * 8 * 32 * 9 + 2 * 4 * 4 * 64 * 32 * 9));
  CHECK(kinds[1].kind == "linear");
  CHECK(kinds[1].layers == 2);
}

TEST_CASE("gradient descent reduces the loss of the MLP and the CNNs") {
  for (const auto& layers : {mlp_layers(4), cnn_layers(4), cnn_bn_layers(4)}) {
    const auto model = started(network(layers, images({1, 8, 8}, 12, 4), 0));
    AlignedFloats weights(model->info().size), gradient(model->info().size);
    model->initialize(weights, 1);
    const double first = model->gradient({}, weights, gradient).loss_sum;
    for (int step = 0; step < 60; ++step) {
      model->gradient({.step = step}, weights, gradient);
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= 0.02F * gradient[i];
    }
    CHECK(model->gradient({}, weights, gradient).loss_sum < 0.5 * first);
    CHECK(model->evaluate({}, weights).samples == 12);
  }
}

TEST_CASE("replicas of one network have the same fingerprint, and other networks have another") {
  const TrainingData data = images({1, 8, 8}, 12, 4);
  const auto fingerprint = [&](const std::vector<Layer>& layers) {
    return started(network(layers, data, 4))->info().fingerprint;
  };
  CHECK(fingerprint(cnn_layers(4)) == fingerprint(cnn_layers(4)));
  CHECK(fingerprint(cnn_layers(4)) != fingerprint(mlp_layers(4)));
}

TEST_CASE("a ResNet accepts grey images, and refuses batch-norms with one value a channel") {
  CHECK(started(network(resnet(18, 4), images({1, 33, 33}, 4, 4), 1))->info().tensors.front().shape ==
        std::vector<std::int64_t>{64, 1, 7, 7});
  try {
    network(resnet(18, 4), images({32, 32}, 4, 4), 1);
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid_argument);
    CHECK(error.message().find("(batch-norm 'layer4.0.bn1') gets only one value per channel") != std::string::npos);
  }
  CHECK(started(network(resnet(18, 4), images({32, 32}, 4, 4), 2))->info().num_samples == 4);
}

TEST_CASE("layers that do not fit are refused by number and shape") {
  const TrainingData data = images({1, 8, 8}, 6, 3);
  check_refused({}, data, "at least one layer");
  check_refused({conv2d(4, {.kernel = 9}), flatten(), linear(3)}, data, "layer 0 (convolution) has a kernel of 9");
  check_refused({conv2d(4, {.kernel = 3}), max_pool2d({.kernel = 7}), flatten(), linear(3)}, data, "input of 4x6x6");
  check_refused({linear(3)}, data, "layer 0 (linear) needs flat input, but gets 1x8x8");
  check_refused({flatten(), conv2d(4, {.kernel = 3})}, data, "layer 1 (convolution) needs images, but gets 64");
  check_refused({flatten(), linear(5)}, data,
                "layer 1 (linear) has the output shape 5, but the loss needs 3 outputs for this data");
  check_refused({conv2d(3, {.kernel = 8})}, data, "has the output shape 3x1x1");
  check_refused({flatten(), linear(0)}, data, "layer 1 (linear) needs at least one output");
  check_refused({conv2d(0, {.kernel = 3}), flatten(), linear(3)}, data, "output channel");
  check_refused({conv2d(4, {.kernel = 3, .padding = 3}), flatten(), linear(3)}, data,
                "padding that is smaller than its kernel");
  check_refused({conv2d(4, {.kernel = 3, .stride = 0, .padding = 1}), flatten(), linear(3)}, data,
                "positive kernel, a positive stride");
  check_refused({max_pool2d({.kernel = 0}), flatten(), linear(3)}, data, "positive kernel, a positive stride");
  check_refused({flatten(), relu()}, images({3}, 6, 3), "a layer with weights");
}

TEST_CASE("converting any part of the weights to canonical order equals that part of the full conversion") {
  const TrainingData data = images({3, 8, 8}, 12, 4);
  const auto model = started(network({conv2d(5, {.kernel = 3, .padding = 1}), batch_norm(), relu(),
                                      conv2d(16, {.kernel = 3, .padding = 1}), relu(), flatten(), linear(4)},
                                     data));
  AlignedFloats weights(model->info().size);
  model->initialize(weights, 3);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += static_cast<float>(i);
  std::vector<float> whole(count(*model));
  model->to_canonical(weights, whole);
  const auto& parts = dynamic_cast<const ConvertsParts&>(*model);
  Random random(1);
  for (int time = 0; time < 300; ++time) {
    const std::size_t begin = random.below(whole.size());
    std::vector<float> part(
        1 + random.below(std::min<std::size_t>(whole.size() - begin, static_cast<std::size_t>(1 + time * time))));
    parts.part_to_canonical(weights, begin, part);
    REQUIRE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(begin)));
  }
}
