#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "models/aligned.hpp"
#include "models/network/device_network.hpp"
#include "models/network_trial.hpp"
#include "runtime/random.hpp"
#include "troupe/models.hpp"

namespace troupe::test {

inline constexpr std::int64_t kVocabulary = 7;

/// A network of sequence layers with random weights, tokens and labels, and its loss and gradient.
struct SequenceTrial {
  SequenceTrial(models::Graph its_graph, std::int64_t num_positions, std::int64_t batch_size)
      : graph(std::move(its_graph)),
        positions(num_positions),
        batch(batch_size),
        plan(plan_network(graph, std::vector{positions}, kVocabulary, positions)),
        network(make_trial_network(plan, losses::softmax_cross_entropy(), batch, Precision::f32, /*frozen=*/false)) {
    Random random(3);
    for (const models::LayerTensor& tensor : plan.tensors)
      for (std::size_t i = 0; i < tensor.info.size(); ++i)
        parameters.push_back(static_cast<float>(
            (tensor.start == models::LayerTensor::Start::constant ? tensor.scale : 0) + 0.5 * random.normal()));
    for (std::int64_t i = 0; i < batch * positions; ++i) {
      values.push_back(static_cast<float>(random.below(kVocabulary)));
      labels.push_back(random.below(4) == 0 ? kIgnoredLabel : static_cast<std::int32_t>(random.below(kVocabulary)));
    }
    weights.resize(network->size());
    gradient.assign(network->size(), 7.0F);
    network->copy_canonical(parameters, weights);
    loss = network->gradient({}, samples(), weights, gradient);
  }

  Batch samples() const { return {batch, values, labels, {}}; }

  models::Graph graph;
  std::int64_t positions;
  std::int64_t batch;
  NetworkPlan plan;
  std::unique_ptr<DeviceNetwork> network;
  std::vector<float> parameters;  ///< canonical
  AlignedFloats values, weights, gradient;
  std::vector<std::int32_t> labels;
  double loss = 0;
};

inline models::Graph sequence_chain(const std::vector<models::Layer>& layers) { return models::Graph(layers); }

/// Returns a network for each kind of layer, and a GPT.
inline std::vector<models::Graph> sequence_graphs() {
  using namespace models;
  std::vector<Graph> all;
  all.push_back(sequence_chain({embedding(kVocabulary, 5), linear(kVocabulary)}));
  all.push_back(sequence_chain({embedding(kVocabulary, 4), positions(9), linear(kVocabulary, {.bias = false})}));
  all.push_back(sequence_chain({embedding(kVocabulary, 21), layer_norm(), linear(kVocabulary)}));
  all.push_back(sequence_chain({embedding(kVocabulary, 17), layer_norm(/*bias=*/false), linear(kVocabulary)}));
  all.push_back(sequence_chain({embedding(kVocabulary, 33), rms_norm(), linear(kVocabulary)}));
  all.push_back(sequence_chain({embedding(kVocabulary, 6), linear(18), attention({.heads = 2}), linear(kVocabulary)}));
  all.push_back(
      sequence_chain({embedding(kVocabulary, 12), attention({.heads = 1, .causal = false}), linear(kVocabulary)}));
  all.push_back(sequence_chain({embedding(kVocabulary, 8), linear(10), gelu(GeluForm::tanh), linear(kVocabulary)}));
  all.push_back(sequence_chain({embedding(kVocabulary, 8), linear(10), gelu(), linear(kVocabulary)}));
  all.push_back(sequence_chain({embedding(kVocabulary, 8), linear(10), swiglu(), linear(kVocabulary)}));
  all.push_back(sequence_chain({embedding(kVocabulary, 8), linear(10), relu(), linear(kVocabulary)}));
  all.push_back(gpt({.layers = 2, .heads = 2, .width = 8, .window = 9, .vocabulary = kVocabulary}));
  return all;
}

}  // namespace troupe::test
