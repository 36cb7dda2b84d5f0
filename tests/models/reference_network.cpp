#include "reference_network.hpp"

#include <cmath>
#include <utility>

namespace troupe::test {

namespace {

/// Returns the index in Walk::values.
std::size_t value_number(models::Graph::Node node) { return static_cast<std::size_t>(node.number) + 1; }

std::vector<double> softmax(const Tensor& scores, std::int64_t sample) {
  std::vector<double> row;
  double sum = 0;
  for (std::int64_t c = 0; c < scores.channels; ++c) {
    row.push_back(std::exp(scores.at(sample, c, 0, 0)));
    sum += row.back();
  }
  for (double& value : row) value /= sum;
  return row;
}

double cross_entropy(const Tensor& scores, std::span<const std::int32_t> labels) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    sum -= std::log(softmax(scores, static_cast<std::int64_t>(i))[static_cast<std::size_t>(labels[i])]);
  return sum;
}

Tensor cross_entropy_gradient(const Tensor& scores, std::span<const std::int32_t> labels) {
  Tensor gradient = scores;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto sample = static_cast<std::int64_t>(i);
    const std::vector<double> row = softmax(scores, sample);
    for (std::int64_t c = 0; c < scores.channels; ++c)
      gradient.at(sample, c, 0, 0) = row[static_cast<std::size_t>(c)] - (c == labels[i] ? 1 : 0);
  }
  return gradient;
}

/// Returns mean and unbiased variance of a channel over the samples and pixels of all shards.
Moments moments_of_all(std::span<const Tensor* const> shards, std::int64_t channel) {
  double count = 0;
  double sum = 0;
  double squares = 0;
  for (const Tensor* const shard : shards) {
    const Moments of = moments(*shard, channel);
    const auto pixels = static_cast<double>(shard->samples * shard->height * shard->width);
    count += pixels;
    sum += pixels * of.mean;
    squares += pixels * (of.variance + of.mean * of.mean);
  }
  const double mean = sum / count;
  return {mean, (squares - count * mean * mean) / (count - 1)};
}

void update(double& running_mean, double& running_variance, const Moments& of) {
  running_mean = 0.9 * running_mean + 0.1 * of.mean;
  running_variance = 0.9 * running_variance + 0.1 * of.variance;
}

}  // namespace

ReferenceNetwork::ReferenceNetwork(models::Graph graph, std::vector<std::int64_t> sample_shape)
    : graph_(std::move(graph)), shape_(std::move(sample_shape)) {
  if (shape_.size() == 2) shape_.insert(shape_.begin(), 1);
  shape_.resize(3, 1);
}

std::vector<const Tensor*> ReferenceNetwork::inputs(const Walk& walk, std::size_t layer) const {
  std::vector<const Tensor*> result;
  for (const models::Graph::Node node : graph_.layers()[layer].inputs)
    result.push_back(&walk.values[value_number(node)]);
  return result;
}

ReferenceNetwork::Walk ReferenceNetwork::walk(const Batch& batch, const double* parameters, bool training) const {
  Walk walk;
  walk.values.emplace_back(std::ssize(batch.labels), shape_[0], shape_[1], shape_[2]);
  walk.values[0].values.assign(batch.values.begin(), batch.values.end());
  std::size_t next = 0;
  for (std::size_t i = 0; i < graph_.layers().size(); ++i) {
    const std::vector<const Tensor*> in = inputs(walk, i);
    const models::Layer& layer = graph_.layers()[i].layer;
    walk.parameters.push_back(next);
    Tensor out = forward(layer, in, parameters + next, training);
    next += num_parameters(layer, *in[0]);
    walk.values.push_back(std::move(out));
  }
  return walk;
}

double ReferenceNetwork::loss(const Batch& batch, std::span<const double> parameters) const {
  return cross_entropy(walk(batch, parameters.data(), true).values.back(), batch.labels);
}

double ReferenceNetwork::evaluation_loss(const Batch& batch, std::span<const double> parameters) const {
  return cross_entropy(walk(batch, parameters.data(), false).values.back(), batch.labels);
}

double ReferenceNetwork::derivative(const Batch& batch, std::span<const double> parameters, std::size_t index) const {
  constexpr double kStep = 1e-6;
  std::vector<double> moved(parameters.begin(), parameters.end());
  moved[index] += kStep;
  const double above = loss(batch, moved);
  moved[index] -= 2 * kStep;
  return (above - loss(batch, moved)) / (2 * kStep);
}

std::vector<double> ReferenceNetwork::gradient(const Batch& batch, std::span<const double> parameters) const {
  const Walk at = walk(batch, parameters.data(), true);
  std::vector<Tensor> gradients;
  for (const Tensor& value : at.values)
    gradients.emplace_back(value.samples, value.channels, value.height, value.width);
  gradients.back() = cross_entropy_gradient(at.values.back(), batch.labels);
  std::vector<double> result(parameters.size());
  for (std::size_t i = graph_.layers().size(); i-- > 0;) {
    std::vector<Tensor*> input_gradients;
    for (const models::Graph::Node node : graph_.layers()[i].inputs)
      input_gradients.push_back(&gradients[value_number(node)]);
    backward(graph_.layers()[i].layer, inputs(at, i), parameters.data() + at.parameters[i], gradients[i + 1],
             input_gradients, result.data() + at.parameters[i]);
  }
  return result;
}

std::vector<double> ReferenceNetwork::with_new_statistics(std::span<const Batch> shards,
                                                          std::span<const double> parameters) const {
  std::vector<Walk> walks;
  walks.reserve(shards.size());
  for (const Batch& shard : shards) walks.push_back(walk(shard, parameters.data(), true));
  std::vector<double> result(parameters.begin(), parameters.end());
  for (std::size_t i = 0; i < graph_.layers().size(); ++i) {
    if (graph_.layers()[i].layer->kind() != "batch-norm") continue;
    std::vector<const Tensor*> normalised;
    normalised.reserve(walks.size());
    for (const Walk& shard : walks) normalised.push_back(inputs(shard, i)[0]);
    const auto channels = static_cast<std::size_t>(normalised[0]->channels);
    double* const running_means = result.data() + walks[0].parameters[i] + 2 * channels;
    for (std::size_t channel = 0; channel < channels; ++channel)
      update(running_means[channel], running_means[channels + channel],
             moments_of_all(normalised, static_cast<std::int64_t>(channel)));
  }
  return result;
}

}  // namespace troupe::test
