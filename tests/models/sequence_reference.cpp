#include "sequence_reference.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace troupe::test {
namespace {

/// A batch of sequences: one row for each position of each sample.
struct Rows {
  std::int64_t width = 0;
  std::vector<double> values = {};

  std::int64_t count() const { return std::ssize(values) / width; }
  double* row(std::int64_t at) { return values.data() + at * width; }
  const double* row(std::int64_t at) const { return values.data() + at * width; }
};

Rows rows_of(std::int64_t count, std::int64_t width) {
  return {width, std::vector<double>(static_cast<std::size_t>(count * width))};
}

/// The tensors of a layer, one after the other.
struct Parameters {
  const double* weight = nullptr;
  std::size_t floats = 0;
};

Rows embed(const models::Embedding& layer, const Rows& tokens, const Parameters& at) {
  Rows out = rows_of(std::ssize(tokens.values), layer.tensors({})[0].info.shape[1]);
  for (std::int64_t i = 0; i < out.count(); ++i)
    for (std::int64_t c = 0; c < out.width; ++c)
      out.row(i)[c] = at.weight[static_cast<std::int64_t>(tokens.values[static_cast<std::size_t>(i)]) * out.width + c];
  return out;
}

Rows linear_rows(std::int64_t outputs, bool bias, const Rows& in, const Parameters& at) {
  Rows out = rows_of(in.count(), outputs);
  for (std::int64_t i = 0; i < in.count(); ++i)
    for (std::int64_t o = 0; o < outputs; ++o) {
      double sum = bias ? at.weight[outputs * in.width + o] : 0;
      for (std::int64_t c = 0; c < in.width; ++c) sum += in.row(i)[c] * at.weight[o * in.width + c];
      out.row(i)[o] = sum;
    }
  return out;
}

Rows norm_rows(const models::PositionNorm& layer, const Rows& in, const Parameters& at) {
  Rows out = in;
  for (std::int64_t i = 0; i < in.count(); ++i) {
    double mean = 0;
    double squares = 0;
    if (layer.norm() == models::PositionNorm::Kind::layer)
      for (std::int64_t c = 0; c < in.width; ++c) mean += in.row(i)[c] / static_cast<double>(in.width);
    for (std::int64_t c = 0; c < in.width; ++c)
      squares += (in.row(i)[c] - mean) * (in.row(i)[c] - mean) / static_cast<double>(in.width);
    for (std::int64_t c = 0; c < in.width; ++c)
      out.row(i)[c] = (in.row(i)[c] - mean) / std::sqrt(squares + 1e-5) * at.weight[c] +
                      (layer.has_bias() ? at.weight[in.width + c] : 0);
  }
  return out;
}

/// Adds what one query of one head attends to.
void attend(const models::AttentionOptions& options, const Rows& in, std::int64_t first, std::int64_t query,
            std::int64_t positions, std::int64_t head, double* out) {
  const std::int64_t width = in.width / 3;
  const std::int64_t size = width / options.heads;
  const std::int64_t seen = options.causal ? query + 1 : positions;
  std::vector<double> weights(static_cast<std::size_t>(seen));
  double sum = 0;
  for (std::int64_t key = 0; key < seen; ++key) {
    double score = 0;
    for (std::int64_t c = head * size; c < (head + 1) * size; ++c)
      score += in.row(first + query)[c] * in.row(first + key)[width + c];
    sum += weights[static_cast<std::size_t>(key)] = std::exp(score / std::sqrt(static_cast<double>(size)));
  }
  for (std::int64_t key = 0; key < seen; ++key)
    for (std::int64_t c = head * size; c < (head + 1) * size; ++c)
      out[c] += weights[static_cast<std::size_t>(key)] / sum * in.row(first + key)[2 * width + c];
}

Rows attention_rows(const models::AttentionOptions& options, const Rows& in, std::int64_t positions) {
  Rows out = rows_of(in.count(), in.width / 3);
  for (std::int64_t first = 0; first < in.count(); first += positions)
    for (std::int64_t query = 0; query < positions; ++query)
      for (std::int64_t head = 0; head < options.heads; ++head)
        attend(options, in, first, query, positions, head, out.row(first + query));
  return out;
}

Rows gelu_rows(models::GeluForm form, Rows in) {
  for (double& x : in.values)
    x *= form == models::GeluForm::erf
             ? 0.5 * (1 + std::erf(x / std::sqrt(2.0)))
             : 0.5 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  return in;
}

Rows swiglu_rows(const Rows& in) {
  Rows out = rows_of(in.count(), in.width / 2);
  for (std::int64_t i = 0; i < in.count(); ++i)
    for (std::int64_t c = 0; c < out.width; ++c)
      out.row(i)[c] = in.row(i)[c] / (1 + std::exp(-in.row(i)[c])) * in.row(i)[out.width + c];
  return out;
}

Rows layer_rows(const models::LayerSpec& layer, const std::vector<const Rows*>& in, std::int64_t positions,
                const Parameters& at) {
  if (const auto* const embedding = dynamic_cast<const models::Embedding*>(&layer))
    return embed(*embedding, *in[0], at);
  if (const auto* const linear = dynamic_cast<const models::Linear*>(&layer))
    return linear_rows(linear->outputs(), linear->options().bias, *in[0], at);
  if (const auto* const norm = dynamic_cast<const models::PositionNorm*>(&layer)) return norm_rows(*norm, *in[0], at);
  if (const auto* const attention = dynamic_cast<const models::Attention*>(&layer))
    return attention_rows(attention->options(), *in[0], positions);
  if (const auto* const gelu = dynamic_cast<const models::Gelu*>(&layer)) return gelu_rows(gelu->form(), *in[0]);
  if (layer.kind() == "SwiGLU") return swiglu_rows(*in[0]);
  Rows out = *in[0];
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const auto count = static_cast<std::size_t>(positions * out.width);
    if (layer.kind() == "positions")
      out.values[i] += at.weight[i % count];
    else if (layer.kind() == "add")
      out.values[i] += in[1]->values[i];
    else if (layer.kind() == "ReLU")
      out.values[i] = std::max(0.0, out.values[i]);
    else
      throw std::logic_error("no reference of " + layer.kind());
  }
  return out;
}

double cross_entropy(const Rows& scores, std::span<const std::int32_t> labels) {
  double sum = 0;
  for (std::int64_t i = 0; i < scores.count(); ++i) {
    const std::int32_t label = labels[static_cast<std::size_t>(i)];
    if (label == kIgnoredLabel) continue;
    double all = 0;
    for (std::int64_t c = 0; c < scores.width; ++c) all += std::exp(scores.row(i)[c]);
    sum += std::log(all) - scores.row(i)[label];
  }
  return sum;
}

}  // namespace

double sequence_loss(const models::Graph& graph, const Batch& batch, std::int64_t positions,
                     std::span<const double> parameters) {
  std::vector<Rows> values{{1, {batch.values.begin(), batch.values.end()}}};
  std::map<std::string, Parameters> tensors;
  for (const models::Graph::Entry& entry : graph.layers()) {
    std::vector<const Rows*> in;
    for (const models::Graph::Node node : entry.inputs)
      in.push_back(&values[static_cast<std::size_t>(node.number + 1)]);
    Parameters own;
    if (entry.layer->has_tensors()) {
      own.weight = parameters.data();
      for (const auto& tensor : entry.layer->tensors({.channels = in[0]->width, .height = positions, .sequence = true}))
        own.floats += tensor.info.size();
      parameters = parameters.subspan(own.floats);
      tensors[entry.name] = own;
    }
    if (!entry.layer->tied_to().empty()) own = tensors.at(entry.layer->tied_to());
    Rows out = layer_rows(*entry.layer, in, positions, own);
    values.push_back(std::move(out));
  }
  return cross_entropy(values.back(), batch.labels);
}

}  // namespace troupe::test
