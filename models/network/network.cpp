#include "models/network/network.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "models/converts_parts.hpp"
#include "models/data/naming.hpp"
#include "models/losses/loss_registry.hpp"
#include "models/network/device_network.hpp"
#include "models/network/graph_text.hpp"
#include "models/network/layer_text.hpp"
#include "models/network/network_plan.hpp"
#include "models/supervised.hpp"
#include "runtime/random.hpp"
#include "troupe/error.hpp"

namespace troupe::models {

namespace {

/// Writes the first values of a tensor, drawn from the distribution `tensor.start`, to `values`.
void draw_start(const LayerTensor& tensor, Random random, std::span<float> values) {
  const auto scale = static_cast<float>(tensor.scale);
  switch (tensor.start) {
    case LayerTensor::Start::constant:
      std::ranges::fill(values, scale);
      return;
    case LayerTensor::Start::uniform:
      for (float& value : values) value = (2 * random.uniform() - 1) * scale;
      return;
    case LayerTensor::Start::normal:
      for (float& value : values) value = static_cast<float>(tensor.scale * random.normal());
      return;
  }
}

void check_batch(const NetworkPlan& plan, std::int64_t batch_size) {
  for (const PlannedLayer& layer : plan.layers) try {
      layer.layer->check_batch(layer.input, batch_size);
    } catch (const Error& error) {
      const std::string who = layer_text(static_cast<std::size_t>(layer.number), layer.name, *layer.layer);
      throw Error(error.code(), who + ' ' + error.message(), error.where());
    }
}

/// Returns the kinds of those layers that depend on the batch, in the order of the layers, each kind once. Example:
/// "batch-norm, dropout".
std::string batch_dependent_kinds(const NetworkPlan& plan) {
  std::string text;
  std::set<std::string> seen;
  for (const PlannedLayer& layer : plan.layers)
    if (layer.layer->is_batch_dependent() && !layer.keeps_tensors && seen.insert(layer.layer->kind()).second)
      text += (text.empty() ? "" : ", ") + layer.layer->kind();
  return text;
}

class Network final : public SupervisedModel, public ConvertsParts {
 public:
  Network(const Graph& graph, std::unique_ptr<BatchSource> batches, std::int64_t batch_size,
          std::shared_ptr<const Loss> loss, std::vector<Metric> metrics)
      : SupervisedModel(std::move(batches), std::move(metrics)),
        loss_(loss ? std::move(loss) : default_loss(data_info())),
        plan_(naming(data_info().origin,
                     [&] {
                       return plan_network(graph, data_info().shape, loss_->num_outputs(data_info()),
                                           data_info().labels_per_sample);
                     })),
        batch_size_(batch_size),
        text_(to_json({.model = "", .layers = text_of(graph), .data = data_info(), .loss = loss_->name()})) {
    check_batch(plan_, batch_size);
  }

  std::vector<LayerTime> profile() const override { return device().profile(); }

  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const override {
    device().update_statistics(begin, mean, samples, statistics, updated);
  }

  void initialize(std::span<float> weights, std::uint64_t seed) override {
    std::size_t index = 0;
    const auto draw = [&](std::span<float> tensor) {
      draw_start(plan_.tensors[index], Random(seed, index), tensor);
      ++index;
    };
    device().from_canonical(draw, weights);
  }

  void to_canonical(std::span<const float> weights, std::span<float> canonical) const override {
    device().to_canonical(weights, 0, canonical);
  }
  void part_to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const override {
    device().to_canonical(weights, begin, part);
  }
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const override {
    device().copy_canonical(canonical, weights);
  }

 protected:
  ModelInfo prepare_weights(const ReplicaContext& context) override {
    ReplicaContext chosen = context;
    PrecisionSeconds measured;
    if (context.precision == Precision::bf16 && context.precision_check) {
      measured = measure_precisions(plan_, batch_size_, context);
      chosen.precision = measured.faster();
    }
    if (context.keeps) keep_tensors(plan_, context.keeps);
    device_ = make_network(plan_, loss_, batch_size_, chosen);
    device_->prepare_training(/*memory=*/context.replica < context.replicas_at_a_time);
    ModelInfo info{.size = device_->size(),
                   .learned_size = device_->learned_size(),
                   .fingerprint = device_->fingerprint(),
                   .precision = device_->precision(),
                   .network = text_};
    if (data_info().labels_per_sample > 1) info.unit = "tokens";
    if (info.precision == chosen.precision) info.measured = measured;  // otherwise the device has no bf16
    if (!context.frozen) info.batch_dependent = batch_dependent_kinds(plan_);
    for (const LayerTensor& tensor : plan_.tensors) info.tensors.push_back(tensor.info);
    return info;
  }

  double batch_gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                        std::span<float> gradient, std::int64_t& correct) override {
    return device().gradient(at, batch, weights, gradient, &correct);
  }
  std::int64_t bytes_over_bus() const override { return device().bytes_over_bus(); }
  EvaluationResult batch_evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                  SampleMetrics* metrics) override {
    return device().evaluate(at, batch, weights, metrics);
  }

 private:
  DeviceNetwork& device() const {
    info();  // throws an Error if the model was not started, because there is no device network before the start
    return *device_;
  }

  std::shared_ptr<const Loss> loss_;
  NetworkPlan plan_;
  std::int64_t batch_size_;
  std::string text_;  ///< the description of the network (ModelInfo::network)
  std::unique_ptr<DeviceNetwork> device_;
};

}  // namespace

std::unique_ptr<Model> network(const Graph& graph, std::unique_ptr<BatchSource> source, std::int64_t batch_size,
                               std::shared_ptr<const Loss> loss, std::vector<Metric> metrics) {
  return std::make_unique<Network>(graph, std::move(source), batch_size, std::move(loss), std::move(metrics));
}

std::unique_ptr<Model> network(const Graph& graph, TrainingData data, std::int64_t batch_size,
                               std::shared_ptr<const Loss> loss, std::vector<Metric> metrics) {
  return network(graph, dataset_batches(std::move(data), batch_size), batch_size, std::move(loss), std::move(metrics));
}

std::unique_ptr<Model> network(const std::vector<Layer>& layers, TrainingData data, std::int64_t batch_size,
                               std::shared_ptr<const Loss> loss, std::vector<Metric> metrics) {
  return network(Graph(layers), std::move(data), batch_size, std::move(loss), std::move(metrics));
}

}  // namespace troupe::models
