#include <string>

#include "models/layers/checks.hpp"
#include "runtime/invalid.hpp"
#include "troupe/data.hpp"
#include "troupe/layers/attention.hpp"
#include "troupe/layers/embedding.hpp"
#include "troupe/layers/layer_norm.hpp"
#include "troupe/layers/positions.hpp"
#include "troupe/layers/swiglu.hpp"

namespace troupe::models {
namespace {

LayerTensor normal_weight(std::int64_t rows, std::int64_t channels, double deviation) {
  return {.info = {"weight", {rows, channels}}, .start = LayerTensor::Start::normal, .scale = deviation};
}

void check_deviation(double deviation) {
  if (!(deviation >= 0)) throw_invalid("has a negative standard deviation");
}

}  // namespace

std::map<std::string, double> Embedding::numbers() const {
  return {{"vocabulary", static_cast<double>(vocabulary_)},
          {"channels", static_cast<double>(channels_)},
          {"deviation", deviation_}};
}

SampleShape Embedding::output(std::span<const SampleShape> inputs) const {
  if (vocabulary_ < 1 || vocabulary_ > kMostTokens)
    throw_invalid("has a vocabulary of " + std::to_string(vocabulary_) + " tokens; 1 to " +
                  std::to_string(kMostTokens) + " are possible");
  if (channels_ < 1) throw_invalid("needs at least one channel");
  check_deviation(deviation_);
  if (!inputs[0].flat) throw_invalid("needs tokens, but gets " + inputs[0].text());
  return {.channels = channels_, .height = inputs[0].channels, .sequence = true};
}

std::vector<LayerTensor> Embedding::tensors(const SampleShape& /*input*/) const {
  return {normal_weight(vocabulary_, channels_, deviation_)};
}

Layer embedding(std::int64_t vocabulary, std::int64_t channels, double deviation) {
  return std::make_shared<Embedding>(vocabulary, channels, deviation);
}

std::map<std::string, double> Positions::numbers() const {
  return {{"count", static_cast<double>(count_)}, {"deviation", deviation_}};
}

SampleShape Positions::output(std::span<const SampleShape> inputs) const {
  check_sequence(inputs[0]);
  check_deviation(deviation_);
  if (count_ < inputs[0].height)
    throw_invalid("has " + std::to_string(count_) + " positions, but the window of the data has " +
                  std::to_string(inputs[0].height));
  return inputs[0];
}

std::vector<LayerTensor> Positions::tensors(const SampleShape& input) const {
  return {normal_weight(count_, input.channels, deviation_)};
}

Layer positions(std::int64_t count, double deviation) { return std::make_shared<Positions>(count, deviation); }

std::map<std::string, double> PositionNorm::numbers() const {
  if (kind_ == Kind::rms || bias_) return {};
  return {{"bias", 0}};
}

SampleShape PositionNorm::output(std::span<const SampleShape> inputs) const {
  check_sequence(inputs[0]);
  return inputs[0];
}

std::vector<LayerTensor> PositionNorm::tensors(const SampleShape& input) const {
  std::vector<LayerTensor> tensors{{.info = {"weight", {input.channels}}, .scale = 1}};
  if (bias_) tensors.push_back({.info = {"bias", {input.channels}}});
  return tensors;
}

Layer layer_norm(bool bias) { return std::make_shared<PositionNorm>(PositionNorm::Kind::layer, bias); }
Layer rms_norm() { return std::make_shared<PositionNorm>(PositionNorm::Kind::rms, /*bias=*/false); }

std::map<std::string, double> Attention::numbers() const {
  std::map<std::string, double> numbers{{"heads", static_cast<double>(options_.heads)},
                                        {"causal", options_.causal ? 1 : 0}};
  if (options_.dropout != 0) numbers["dropout"] = options_.dropout;
  return numbers;
}

SampleShape Attention::output(std::span<const SampleShape> inputs) const {
  const SampleShape& input = inputs[0];
  check_sequence(input);
  if (!(options_.dropout >= 0 && static_cast<float>(options_.dropout) < 1))
    throw_invalid("has the probability " + std::to_string(options_.dropout) + ", which is not in [0, 1)");
  if (input.channels % 3 != 0)
    throw_invalid("needs queries, keys and values, but gets " + std::to_string(input.channels) +
                  " channels; put linear(3 * channels) before it");
  const std::int64_t channels = input.channels / 3;
  if (options_.heads < 1 || channels % options_.heads != 0)
    throw_invalid("has " + std::to_string(options_.heads) + " heads, which do not divide " + std::to_string(channels) +
                  " channels");
  return {.channels = channels, .height = input.height, .sequence = true};
}

double Attention::flops(const SampleShape& /*input*/, const SampleShape& output) const {
  const auto positions = static_cast<double>(output.height);
  return 4 * positions * static_cast<double>(output.size()) / (options_.causal ? 2 : 1);
}

Layer attention(const AttentionOptions& options) { return std::make_shared<Attention>(options); }

SampleShape Swiglu::output(std::span<const SampleShape> inputs) const {
  check_sequence(inputs[0]);
  if (inputs[0].channels % 2 != 0)
    throw_invalid("needs an even number of channels, but gets " + std::to_string(inputs[0].channels));
  SampleShape output = inputs[0];
  output.channels /= 2;
  return output;
}

Layer swiglu() { return std::make_shared<Swiglu>(); }

}  // namespace troupe::models
