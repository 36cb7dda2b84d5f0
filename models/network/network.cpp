#include "models/network/network.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "models/converts_parts.hpp"
#include "models/data/batches/slices.hpp"
#include "models/data/naming.hpp"
#include "models/losses/loss_registry.hpp"
#include "models/network/device_network.hpp"
#include "models/network/graph_text.hpp"
#include "models/network/layer_text.hpp"
#include "models/network/network_plan.hpp"
#include "models/supervised.hpp"
#include "runtime/invalid.hpp"
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

/// Checks that a network and data with tokens, or with several labels per sample, fit each other.
void check_tokens_of(const NetworkPlan& plan, const DataInfo& data) {
  for (const PlannedLayer& layer : plan.layers) {
    if (data.labels_per_sample > 1 && dynamic_cast<const BatchNorm*>(layer.layer.get()) != nullptr)
      throw Error(ErrorCode::unsupported,
                  "batch-norm needs one label per sample, but this data has " + std::to_string(data.labels_per_sample));
    const auto* const attention = dynamic_cast<const Attention*>(layer.layer.get());
    if (attention != nullptr && !attention->options().causal && data.padded)
      throw Error(ErrorCode::unsupported,
                  "attention that is not causal would attend to the padding of this data: give "
                  "all sequences the same length");
    const auto* const embedding = dynamic_cast<const Embedding*>(layer.layer.get());
    if (embedding == nullptr) continue;
    if (data.vocabulary == 0)
      throw Error(ErrorCode::bad_data, "the network reads tokens, but the data has none; see text:FILE,predict=each",
                  {.object = data.origin});
    if (data.vocabulary > embedding->vocabulary())
      throw Error(ErrorCode::bad_data,
                  "the data has a vocabulary of " + std::to_string(data.vocabulary) + " tokens, but the embedding '" +
                      layer.name + "' has only " + std::to_string(embedding->vocabulary()),
                  {.object = data.origin});
  }
}

/// Returns the number of samples that are computed together.
std::int64_t slice_of(std::int64_t batch_size, std::int64_t micro_batch) {
  if (micro_batch < 0) throw_invalid("micro_batch must not be negative");
  if (micro_batch == 0) return batch_size;
  return batch_size == 0 ? micro_batch : std::min(batch_size, micro_batch);
}

class Network final : public SupervisedModel, public ConvertsParts {
 public:
  Network(const Graph& graph, std::unique_ptr<BatchSource> batches, std::int64_t batch_size,
          std::shared_ptr<const Loss> loss, std::vector<Metric> metrics, std::int64_t micro_batch)
      : SupervisedModel(std::move(batches), std::move(metrics)),
        loss_(loss ? std::move(loss) : default_loss(data_info())),
        plan_(naming(data_info().origin,
                     [&] {
                       return plan_network(graph, data_info().shape, loss_->num_outputs(data_info()),
                                           data_info().labels_per_sample);
                     })),
        micro_batch_(micro_batch),
        batch_size_(slice_of(batch_size, micro_batch)),
        text_(to_json({.model = "", .layers = text_of(graph), .data = data_info(), .loss = loss_->name()})) {
    check_batch(plan_, batch_size_);
    if (micro_batch > 0 && batch_size % batch_size_ > 0) check_batch(plan_, batch_size % batch_size_);
    check_tokens_of(plan_, data_info());
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
    const bool in_slices = micro_batch_ > 0;
    device_->prepare_training(/*memory=*/context.replica < context.replicas_at_a_time, in_slices);
    ModelInfo info{.size = device_->size(),
                   .learned_size = device_->learned_size(),
                   .fingerprint = device_->fingerprint(),
                   .device = context.device,
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
    if (micro_batch_ == 0 || batch.size == 0) return device().gradient(at, batch, weights, gradient, &correct);
    double loss = 0;
    std::int64_t all_correct = 0;
    int number = 0;
    for (std::int64_t first = 0; first < batch.size; first += micro_batch_, ++number) {
      const std::int64_t left = batch.size - first;
      const Batch part = slice(batch, first, std::min(micro_batch_, left));
      loss +=
          device().gradient(at, part, weights, gradient, &correct, {.number = number, .last = left <= micro_batch_});
      all_correct += correct;
    }
    if (correct != BatchResult::kNotCounted) correct = all_correct;
    return loss;
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
  std::int64_t micro_batch_;  ///< number of samples of a micro-batch; 0: batches are not divided
  std::int64_t batch_size_;   ///< usual number of samples that are computed together
  std::string text_;          ///< the description of the network (ModelInfo::network)
  std::unique_ptr<DeviceNetwork> device_;
};

}  // namespace

std::unique_ptr<Model> network(const Graph& graph, std::unique_ptr<BatchSource> source, std::int64_t batch_size,
                               std::shared_ptr<const Loss> loss, std::vector<Metric> metrics,
                               std::int64_t micro_batch) {
  return std::make_unique<Network>(graph, std::move(source), batch_size, std::move(loss), std::move(metrics),
                                   micro_batch);
}

std::unique_ptr<Model> network(const Graph& graph, TrainingData data, std::int64_t batch_size,
                               std::shared_ptr<const Loss> loss, std::vector<Metric> metrics,
                               std::int64_t micro_batch) {
  return network(graph, dataset_batches(std::move(data), batch_size), batch_size, std::move(loss), std::move(metrics),
                 micro_batch);
}

std::unique_ptr<Model> network(const std::vector<Layer>& layers, TrainingData data, std::int64_t batch_size,
                               std::shared_ptr<const Loss> loss, std::vector<Metric> metrics,
                               std::int64_t micro_batch) {
  return network(Graph(layers), std::move(data), batch_size, std::move(loss), std::move(metrics), micro_batch);
}

}  // namespace troupe::models
