#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "models/cuda/api/devices.hpp"
#include "models/cuda/api/page_lock.hpp"
#include "models/cuda/batch_network.hpp"
#include "models/data/batches/slices.hpp"
#include "models/network/device_network.hpp"
#include "runtime/processes/page_lock.hpp"
#include "troupe/error.hpp"

/// Programs that link troupe::cuda refer to this symbol, so that the linker includes this file. This file defines the
/// functions that the rest of Troupe declares as weak symbols.
extern "C" const char kTroupeCudaDevices;
extern "C" const char kTroupeCudaDevices = 1;

namespace troupe {

namespace cuda {

namespace {

/// The batch size for which a network is prepared if its batch size is not known: if the network only evaluates, or if
/// each batch is a whole shard.
constexpr std::int64_t kUsualBatch = 64;

/// Selects the replica's device in the calling thread, calls `work`, and returns its result. First waits until the
/// pages of new memory are locked. If `work` throws, blocks until all queued work of the device has ended, because that
/// work may use memory of the caller.
template <class Work>
auto on_device(const Context& context, const Work& work) {
  await_page_locks();
  check(cudaSetDevice(context.device()), "selecting a device");
  try {
    return work();
  } catch (...) {
    for (const Stream* stream : {&context.copies(), &context.early_copies(), &context.compute()})
      cudaStreamSynchronize(stream->get());
    forget_error();
    throw;
  }
}

/// Remembers the version of the weights that are on the device.
class HeldWeights {
 public:
  /// Returns the weights that a pass must copy to the device. The result is empty if the version `said` of the weights
  /// is already on the device. Until `end` is called, the version on the device counts as unknown, because the pass may
  /// fail.
  std::span<const float> begin(const WeightsVersion& said, std::span<const float> weights) {
    coming_ = said.data == weights.data() ? said : WeightsVersion{};
    const bool held = std::exchange(held_, {}) == coming_ && coming_.number != 0;
    return held ? std::span<const float>() : weights;
  }
  void end() { held_ = coming_; }

 private:
  WeightsVersion coming_;
  WeightsVersion held_;
};

class CudaNetwork final : public DeviceNetwork {
 public:
  CudaNetwork(const NetworkPlan& plan, std::shared_ptr<const Loss> loss, std::int64_t batch_size, Precision precision,
              bool frozen, bool tf32, int device)
      : DeviceNetwork(frozen),
        loss_(std::move(loss)),
        usual_batch_(batch_size > 0 ? batch_size : kUsualBatch),
        learns_(learning_values(plan)),
        network_(place_network(plan, precision == Precision::bf16 ? Element::bf16 : Element::f32)),
        context_(device, network_.element, tf32),
        times_(network_),
        transfers_(context_, network_, times_) {}

  ~CudaNetwork() override { cudaSetDevice(context_.device()); }  // selects the device on which members are destroyed

  void prepare_training(bool /*memory*/, bool slices) override {
    on_device(context_, [&] {
      if (slices) transfers_.reserve_sum();
      memory_for(network_for(usual_batch_, Mode::train));
      transfers_.reserve_samples(static_cast<std::size_t>(usual_batch_ * network_.input_shape.size()));
    });
  }

  std::size_t size() const override { return network_.parameters.size(); }
  std::size_t learned_size() const override { return network_.parameters.learned_size(); }
  Precision precision() const override { return context_.element() == Element::f32 ? Precision::f32 : Precision::bf16; }

  std::string fingerprint() const override {
    const std::string f32 = context_.tf32() ? "-tf32-" : "-f32-";
    const std::string precision = context_.element() == Element::f32 ? f32 : "-bf16-";
    return context_.libraries() + '-' + device_kind(context_.device()) + precision + network_.parameters.fingerprint();
  }

  using DeviceNetwork::gradient;
  double gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights, std::span<float> gradient,
                  std::int64_t* correct, MicroBatch part) override {
    if (batch.size == 0) {
      std::ranges::fill(gradient, 0.0F);
      return 0;
    }
    return on_device(context_, [&] {
      BatchNetwork& network = network_for(batch.size, Mode::train);
      const BatchContext context{
          .shard = at.shard, .step = at.step, .seed = at.seed, .training = !frozen(), .slice = part.number};
      const double loss =
          network.train(memory_for(network), context, batch, held_.begin(at.weights, weights), gradient, correct, part);
      held_.end();
      return loss;
    });
  }

  using DeviceNetwork::evaluate;
  EvaluationResult evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                            SampleMetrics* metrics) override {
    if (batch.size == 0) return {};
    return on_device(context_, [&] {
      const BatchContext context{.shard = at.shard, .step = at.step, .seed = at.seed};
      std::span<const float> unsent = held_.begin(at.weights, weights);
      EvaluationResult result = evaluate_slices(batch, usual_batch_, [&](const Batch& part) {
        BatchNetwork& network = network_for(part.size, Mode::evaluate);
        return network.evaluate(memory_for(network), context, part, std::exchange(unsent, {}), metrics);
      });
      held_.end();
      return result;
    });
  }

  void outputs(std::span<const float> samples, std::span<const float> weights, WeightsVersion version,
               std::span<float> to) override {
    if (to.empty()) return;
    on_device(context_, [&] {
      std::span<const float> unsent = held_.begin(version, weights);
      predict_slices(
          samples, static_cast<std::size_t>(network_.input_shape.size()), to,
          static_cast<std::size_t>(network_.outputs_of_sample()),
          [&](std::size_t left) { return std::min(left, static_cast<std::size_t>(usual_batch_)); },
          [&](std::span<const float> part, std::span<float> rows) {
            BatchNetwork& network = network_for(std::ssize(rows) / network_.outputs_of_sample(), Mode::evaluate);
            network.outputs(memory_for(network), part, std::exchange(unsent, {}), rows);
          });
      held_.end();
    });
  }

  void to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const override {
    network_.parameters.to_canonical(weights, begin, part);
  }
  void from_canonical(const ReadTensor& read, std::span<float> weights) const override {
    network_.parameters.from_canonical(read, weights);
  }

  std::vector<LayerTime> profile() const override { return times_.times(); }
  std::int64_t bytes_over_bus() const override { return context_.bytes_over_bus(); }

 private:
  void learn_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                        std::span<const float> statistics, std::span<float> updated) const override {
    network_.parameters.update_statistics(begin, mean, samples, statistics, updated);
  }

  BatchNetwork& network_for(std::int64_t batch, Mode mode) {
    auto& network = networks_[{batch, mode}];
    if (!network)
      network = std::make_unique<BatchNetwork>(context_, network_, transfers_, times_, *loss_, learns_, batch, mode);
    return *network;
  }

  std::byte* memory_for(const BatchNetwork& network) {
    context_.reserve_workspace(network.workspace_bytes());
    memory_.reserve(network.bytes());
    return memory_.data();
  }

  std::shared_ptr<const Loss> loss_;
  std::int64_t usual_batch_;
  std::vector<bool> learns_;
  PlacedNetwork network_;
  Context context_;
  PassTimes times_;
  Transfers transfers_;
  HeldWeights held_;
  DeviceMemory memory_;
  std::map<std::pair<std::int64_t, Mode>, std::unique_ptr<BatchNetwork>> networks_;
};

}  // namespace

}  // namespace cuda

std::unique_ptr<DeviceNetwork> make_cuda_network(const NetworkPlan& plan, std::shared_ptr<const Loss> loss,
                                                 std::int64_t batch_size, const ReplicaContext& context) {
  const int device = cuda::use_device(context.device_number, context.place);
  cuda::lock_slabs(device);
  cuda::check(cudaSetDevice(device), "selecting a device");  // because the thread may have selected another device
  return std::make_unique<cuda::CudaNetwork>(plan, std::move(loss), batch_size, context.precision, context.frozen,
                                             context.tf32, device);
}

}  // namespace troupe
