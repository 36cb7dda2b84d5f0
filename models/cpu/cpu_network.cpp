#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <utility>

#include "models/cpu/batch_network.hpp"
#include "models/cpu/precision_trial.hpp"
#include "models/data/batches/slices.hpp"
#include "models/devices/alike_sums.hpp"
#include "models/network/device_network.hpp"

namespace troupe {

namespace cpu {

namespace {

/// The batch size for which layouts are chosen if each batch is a whole shard. The actual batch size is then not known.
constexpr std::int64_t kUsualBatch = 64;
/// Maximum size in bytes of the largest activation in an evaluation. The batch size of evaluations is chosen so that no
/// activation of a batch is larger.
constexpr std::size_t kEvaluationBytes = std::size_t{1} << 26;

/// Calls `work`, in which oneDNN uses only the calling thread, and returns its result. Converts exceptions of oneDNN to
/// Error.
template <class Work>
auto with_onednn(const Work& work) {
  const OneThread one_thread;
  try {
    return work();
  } catch (const dnnl::error& error) {
    throw Error(error.status == dnnl_out_of_memory ? ErrorCode::system : ErrorCode::unsupported,
                std::string("oneDNN: ") + error.what());
  }
}

class CpuNetwork final : public DeviceNetwork {
 public:
  CpuNetwork(const NetworkPlan& plan, std::shared_ptr<const Loss> loss, std::int64_t batch_size, Element element,
             bool frozen)
      : DeviceNetwork(frozen),
        loss_(std::move(loss)),
        usual_batch_(batch_size > 0 ? batch_size : kUsualBatch),
        learns_(learning_values(plan)),
        network_(place(plan, element)),
        profile_(profiled_layers(network_)),
        pool_(ArenaPool::shared()) {}

  void prepare_training(bool memory, bool slices) override {
    with_onednn([&] {
      const BatchNetwork& network = network_for(usual_batch_, Mode::train);
      if (slices) context_.layer_gradient.reserve(network.added_bytes());
      if (memory) pool_->add(network.bytes() + context_.bytes());
    });
  }

  std::size_t size() const override { return network_.parameters.size(); }
  std::size_t learned_size() const override { return network_.parameters.learned_size(); }
  Precision precision() const override { return precision_; }

  std::string fingerprint() const override {
    return "onednn-" + onednn_version() + "-isa" + std::to_string(static_cast<int>(dnnl::get_effective_cpu_isa())) +
           (precision_ == Precision::f32 ? "-f32-" : "-bf16-") + network_.parameters.fingerprint();
  }

  using DeviceNetwork::gradient;
  double gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights, std::span<float> gradient,
                  std::int64_t* correct, MicroBatch part) override {
    return with_onednn([&] {
      if (batch.size == 0) {
        std::ranges::fill(gradient, 0.0F);
        return 0.0;
      }
      BatchNetwork& network = network_for(batch.size, Mode::train);
      const Arena arena(*pool_, network.bytes() + context_.bytes());
      context_.place(arena.data() + network.bytes());
      const BatchContext context{
          .shard = at.shard, .step = at.step, .seed = at.seed, .training = !frozen(), .slice = part.number};
      return network.train(arena.data(), context, batch, weights, gradient, profile_, correct);
    });
  }

  using DeviceNetwork::evaluate;
  EvaluationResult evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                            SampleMetrics* metrics) override {
    return with_onednn([&] {
      return evaluate_slices(batch, evaluation_batch(),
                             [&](const Batch& part) { return evaluate_slice(at, part, weights, metrics); });
    });
  }

  void outputs(std::span<const float> samples, std::span<const float> weights, WeightsVersion /*version*/,
               std::span<float> to) override {
    with_onednn([&] {
      predict_slices(
          samples, static_cast<std::size_t>(network_.input_shape.size()), to,
          static_cast<std::size_t>(network_.outputs_of_sample()),
          [&](std::size_t left) { return prediction_batch(left); },
          [&](std::span<const float> part, std::span<float> rows) { outputs_of_slice(part, weights, rows); });
    });
  }

  void to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const override {
    with_onednn([&] { network_.parameters.to_canonical(weights, begin, part); });
  }
  void from_canonical(const ReadTensor& read, std::span<float> weights) const override {
    with_onednn([&] { network_.parameters.from_canonical(read, weights); });
  }

  std::vector<LayerTime> profile() const override { return profile_.times(); }

 private:
  void learn_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                        std::span<const float> statistics, std::span<float> updated) const override {
    network_.parameters.update_statistics(begin, mean, samples, statistics, updated);
  }

  PlacedNetwork place(const NetworkPlan& plan, Element element) {
    PlacedNetwork network = place_network(context_, plan, usual_batch_, element);
    if (element == Element::bf16 && !sums_are_alike(network)) return place(plan, Element::f32);
    precision_ = element == Element::f32 ? Precision::f32 : Precision::bf16;
    return network;
  }

  std::int64_t evaluation_batch() const {
    std::size_t largest = network_.input.bytes(1);
    const bool has_head = network_.positions > 1;  // whose outputs are not stored
    for (const PlacedLayer& layer : std::span(network_.layers).first(network_.layers.size() - (has_head ? 1 : 0)))
      largest = std::max(largest, layer.output.bytes(1));
    const auto most = static_cast<std::size_t>(std::max(usual_batch_, kUsualBatch));
    return static_cast<std::int64_t>(std::clamp(kEvaluationBytes / largest, std::size_t{1}, most));
  }

  /// Returns the number of samples to predict next if `samples` samples remain. This number is the batch size of
  /// evaluations, or, if fewer samples remain, the largest power of two that does not exceed `samples`. So a few batch
  /// networks suffice for all numbers of samples.
  std::size_t prediction_batch(std::size_t samples) const {
    const auto most = static_cast<std::size_t>(evaluation_batch());
    return samples >= most ? most : std::bit_floor(samples);
  }

  BatchNetwork& network_for(std::int64_t batch, Mode mode) {
    auto& network = networks_[{batch, mode}];
    if (!network) network = std::make_unique<BatchNetwork>(context_, network_, *loss_, learns_, batch, mode);
    return *network;
  }

  EvaluationResult evaluate_slice(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                  SampleMetrics* metrics) {
    BatchNetwork& network = network_for(batch.size, Mode::evaluate);
    const Arena arena(*pool_, network.bytes() + context_.bytes());
    context_.place(arena.data() + network.bytes());
    return network.evaluate(arena.data(), at, batch, weights, metrics);
  }

  void outputs_of_slice(std::span<const float> samples, std::span<const float> weights, std::span<float> to) {
    BatchNetwork& network = network_for(std::ssize(to) / network_.outputs_of_sample(), Mode::evaluate);
    const Arena arena(*pool_, network.bytes() + context_.bytes());
    context_.place(arena.data() + network.bytes());
    network.outputs(arena.data(), samples.data(), weights, to);
  }

  std::shared_ptr<const Loss> loss_;
  std::int64_t usual_batch_;
  Precision precision_ = Precision::f32;
  std::vector<bool> learns_;
  Context context_;
  PlacedNetwork network_;
  Profile profile_;
  std::shared_ptr<ArenaPool> pool_;
  std::map<std::pair<std::int64_t, Mode>, std::unique_ptr<BatchNetwork>> networks_;
};

}  // namespace

}  // namespace cpu

std::unique_ptr<DeviceNetwork> make_cpu_network(NetworkPlan plan, std::shared_ptr<const Loss> loss,
                                                std::int64_t batch_size, Precision precision, bool frozen) {
  cpu::keep_to_what_runs();
  const bool bf16 = precision == Precision::bf16 && cpu::has_bf16();
  return cpu::with_onednn([&] {
    return std::make_unique<cpu::CpuNetwork>(plan, std::move(loss), batch_size, bf16 ? Element::bf16 : Element::f32,
                                             frozen);
  });
}

PrecisionSeconds measure_cpu_precisions(const NetworkPlan& plan, std::int64_t batch_size) {
  cpu::keep_to_what_runs();
  if (!cpu::has_bf16()) return {};
  const std::int64_t batch = batch_size > 0 ? batch_size : cpu::kUsualBatch;
  return cpu::with_onednn([&] { return cpu::compare_precisions(plan, batch); });
}

}  // namespace troupe
