#include "reference_network.hpp"

#include <cmath>
#include <utility>

namespace troupe::test {

namespace {

using Kind = models::Layer::Kind;

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

}  // namespace

ReferenceNetwork::ReferenceNetwork(models::Graph graph, std::vector<std::int64_t> sample_shape)
    : graph_(std::move(graph)), shape_(std::move(sample_shape)) {
  if (shape_.size() == 2) shape_.insert(shape_.begin(), 1);
  shape_.resize(3, 1);
}

std::vector<const Tensor*> ReferenceNetwork::inputs(const Walk& walk, std::size_t layer) const {
  std::vector<const Tensor*> result;
  for (const models::Graph::Node node : graph_.layers()[layer].inputs)
    result.push_back(&walk.values[static_cast<std::size_t>(node.number + 1)]);
  return result;
}

ReferenceNetwork::Walk ReferenceNetwork::walk(const LabelledBatch& batch, const double* parameters,
                                              bool training) const {
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

double ReferenceNetwork::loss(const LabelledBatch& batch, std::span<const double> parameters) const {
  return cross_entropy(walk(batch, parameters.data(), true).values.back(), batch.labels);
}

double ReferenceNetwork::evaluation_loss(const LabelledBatch& batch, std::span<const double> parameters) const {
  return cross_entropy(walk(batch, parameters.data(), false).values.back(), batch.labels);
}

double ReferenceNetwork::derivative(const LabelledBatch& batch, std::span<const double> parameters,
                                    std::size_t index) const {
  constexpr double kStep = 1e-6;
  std::vector<double> moved(parameters.begin(), parameters.end());
  moved[index] += kStep;
  const double above = loss(batch, moved);
  moved[index] -= 2 * kStep;
  return (above - loss(batch, moved)) / (2 * kStep);
}

std::vector<double> ReferenceNetwork::gradient(const LabelledBatch& batch, std::span<const double> parameters) const {
  const Walk at = walk(batch, parameters.data(), true);
  std::vector<Tensor> gradients;
  for (const Tensor& value : at.values)
    gradients.emplace_back(value.samples, value.channels, value.height, value.width);
  gradients.back() = cross_entropy_gradient(at.values.back(), batch.labels);
  std::vector<double> result(parameters.size());
  for (std::size_t i = graph_.layers().size(); i-- > 0;) {
    std::vector<Tensor*> input_gradients;
    for (const models::Graph::Node node : graph_.layers()[i].inputs)
      input_gradients.push_back(&gradients[static_cast<std::size_t>(node.number + 1)]);
    backward(graph_.layers()[i].layer, inputs(at, i), parameters.data() + at.parameters[i], gradients[i + 1],
             input_gradients, result.data() + at.parameters[i]);
  }
  return result;
}

std::vector<double> ReferenceNetwork::with_new_statistics(std::span<const LabelledBatch> shards,
                                                          std::span<const double> parameters) const {
  std::vector<Walk> walks;
  for (const LabelledBatch& shard : shards) walks.push_back(walk(shard, parameters.data(), true));
  std::vector<double> result(parameters.begin(), parameters.end());
  for (std::size_t i = 0; i < graph_.layers().size(); ++i) {
    if (graph_.layers()[i].layer.kind != Kind::batch_norm) continue;
    const std::int64_t channels = inputs(walks[0], i)[0]->channels;
    double* const running_mean = result.data() + walks[0].parameters[i] + 2 * channels;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      double count = 0;
      double sum = 0;
      double squares = 0;
      for (const Walk& shard : walks) {
        const Tensor& in = *inputs(shard, i)[0];
        const Moments of = moments(in, channel);
        const auto pixels = static_cast<double>(in.samples * in.height * in.width);
        count += pixels;
        sum += pixels * of.mean;
        squares += pixels * (of.variance + of.mean * of.mean);
      }
      const double mean = sum / count;
      const double unbiased = (squares - count * mean * mean) / (count - 1);
      running_mean[channel] = 0.9 * running_mean[channel] + 0.1 * mean;
      running_mean[channels + channel] = 0.9 * running_mean[channels + channel] + 0.1 * unbiased;
    }
  }
  return result;
}

std::vector<bool> ReferenceNetwork::learned() const {
  const LabelledBatch empty;
  std::vector<bool> result;
  std::vector<double> none(1);
  const Walk shapes = walk(empty, none.data(), false);
  for (std::size_t i = 0; i < graph_.layers().size(); ++i) {
    const std::size_t count = num_parameters(graph_.layers()[i].layer, *inputs(shapes, i)[0]);
    const bool norm = graph_.layers()[i].layer.kind == Kind::batch_norm;
    result.insert(result.end(), norm ? count / 2 : count, true);
    if (norm) result.insert(result.end(), count / 2, false);
  }
  return result;
}

}  // namespace troupe::test
