#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/aligned.hpp"
#include "models/files/safetensors_file.hpp"
#include "models/network/device_network.hpp"
#include "troupe/models.hpp"

using namespace troupe;

namespace {

std::vector<float> read_tensor(const SafetensorsFile& file, const std::string& name, std::size_t floats) {
  std::vector<float> values(floats);
  file.read(name, values);
  return values;
}

}  // namespace

// fixtures/gpt2/make.py made the file with transformers, which computed in double.
TEST_CASE("loss and gradient equal those of transformers' GPT2LMHeadModel, with padding and labels of -100") {
  const SafetensorsFile file(TROUPE_GPT2);
  constexpr std::int64_t kSamples = 5;
  constexpr std::int64_t kWindow = 12;
  constexpr std::int64_t kVocabulary = 29;
  const models::Graph graph =
      models::gpt({.layers = 2, .heads = 2, .width = 16, .window = kWindow, .vocabulary = kVocabulary});
  const NetworkPlan plan = plan_network(graph, std::vector{kWindow}, kVocabulary, kWindow);
  const auto network = make_network(plan, losses::softmax_cross_entropy(), kSamples, {});
  AlignedFloats weights(network->size()), gradient(network->size());
  std::size_t tensor = 0;
  const auto next = [&](std::span<float> to) { file.read("weight." + plan.tensors[tensor++].info.name, to); };
  network->from_canonical(next, weights);
  const std::vector<float> tokens = read_tensor(file, "tokens", kSamples * kWindow);
  AlignedFloats values(tokens.begin(), tokens.end());
  std::vector<std::int32_t> labels;
  for (const float label : read_tensor(file, "labels", kSamples * kWindow))
    labels.push_back(static_cast<std::int32_t>(label));

  const double loss = network->gradient({}, {kSamples, values, labels, {}}, weights, gradient);

  CHECK(loss == doctest::Approx(read_tensor(file, "loss", 1)[0]).epsilon(1e-6));
  std::size_t floats = 0;
  for (const models::LayerTensor& each : plan.tensors) floats += each.info.size();
  std::vector<float> ours(floats);
  network->to_canonical(gradient, 0, ours);
  std::size_t first = 0;
  for (const models::LayerTensor& each : plan.tensors) {
    const std::vector<float> theirs = read_tensor(file, "gradient." + each.info.name, each.info.size());
    float largest = 0;
    float worst = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      largest = std::max(largest, std::abs(theirs[i]));
      worst = std::max(worst, std::abs(theirs[i] - ours[first + i]));
    }
    INFO(each.info.name, ": ", worst, " of ", largest);
    CHECK(worst < 1e-5F * largest);
    first += theirs.size();
  }
}
