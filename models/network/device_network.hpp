#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "models/data/batches/batch.hpp"
#include "models/metrics/sample_metrics.hpp"
#include "models/network/network_plan.hpp"
#include "troupe/loss.hpp"

namespace troupe {

/// Writes the values of one canonical tensor to `tensor`. Called once for each tensor, in canonical order.
using ReadTensor = std::function<void(std::span<float> tensor)>;

/// A planned network with its loss on one device. Implementations exist for each kind of device. Only the
/// implementation knows the layout of the flat parameter vector. Not thread-safe.
class DeviceNetwork {
 public:
  /// @param frozen ReplicaContext::frozen
  explicit DeviceNetwork(bool frozen) : frozen_(frozen) {}
  DeviceNetwork(const DeviceNetwork&) = delete;
  DeviceNetwork& operator=(const DeviceNetwork&) = delete;
  virtual ~DeviceNetwork() = default;

  /// Creates everything that training needs, so that the first step is as fast as later steps.
  /// @param memory true: also allocates the memory for the values of a training pass
  virtual void prepare_training(bool memory) = 0;

  /// Returns the number of floats of the flat parameter vector, with padding.
  virtual std::size_t size() const = 0;
  /// Returns the number of learned floats at the start of the vector; see ModelInfo::learned_size.
  virtual std::size_t learned_size() const = 0;
  /// Returns a text that identifies layout, precision, libraries and device; see ModelInfo::fingerprint.
  virtual std::string fingerprint() const = 0;
  virtual Precision precision() const = 0;

  /// Writes the gradient of the sum of the losses over the batch to `gradient`, and returns the sum. Writes all
  /// `size()` floats, except those of layers whose tensors are frozen (PlannedLayer::keeps_tensors).
  /// @param correct receives BatchResult::correct; may be null
  virtual double gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                          std::span<float> gradient, std::int64_t* correct) = 0;
  double gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights, std::span<float> gradient) {
    return this->gradient(at, batch, weights, gradient, nullptr);
  }
  /// See Model::update_statistics. Frozen statistics do not change.
  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const;
  /// Returns the sum of the losses, the number of hits and the number of samples.
  /// @param metrics measures the outputs of each sample; may be null
  virtual EvaluationResult evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                    SampleMetrics* metrics) = 0;
  EvaluationResult evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights) {
    return evaluate(at, batch, weights, nullptr);
  }
  /// Computes the outputs of samples as in evaluations. `to` receives one row for each sample; its length determines
  /// the number of samples. `samples` and `to` are row-major.
  virtual void outputs(std::span<const float> samples, std::span<const float> weights, std::span<float> to) = 0;

  /// Writes the canonical floats [begin, begin + part.size()) of `weights`, a whole flat vector, to `part`.
  virtual void to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const = 0;
  /// Writes a whole flat vector to `weights`. Obtains each canonical tensor by a call of `read`.
  virtual void from_canonical(const ReadTensor& read, std::span<float> weights) const = 0;
  /// Does the same as `from_canonical` for canonical tensors that lie one after the other in `canonical`.
  void copy_canonical(std::span<const float> canonical, std::span<float> weights) const;

  virtual std::vector<LayerTime> profile() const = 0;
  /// Returns the number of bytes copied so far between the host and an accelerator.
  virtual std::int64_t bytes_over_bus() const { return 0; }

 protected:
  bool frozen() const { return frozen_; }

 private:
  virtual void learn_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                                std::span<const float> statistics, std::span<float> updated) const = 0;

  bool frozen_;
};

/// Checks that this build supports a kind of device. Whether the machine has such a device is checked later, when the
/// network is created.
/// @throws Error unsupported that lists the supported devices
void check_device(Device device);

/// Rejects accelerators for a model that supports CPUs only.
/// @param what the name of the model for the error message, such as "linear regression"
/// @throws Error unsupported if the replica is assigned to an accelerator
void require_cpus(const ReplicaContext& context, const char* what);

/// Creates the network on the device of the replica's context.
/// @param loss must need as many outputs as the plan has
/// @param batch_size the usual batch size, for which memory layouts are chosen; other sizes work, but may be slower
/// @param context contains the requested precision (DeviceNetwork::precision returns the one in use), device and
/// `frozen`
/// @throws Error unsupported like check_device
std::unique_ptr<DeviceNetwork> make_network(NetworkPlan plan, std::shared_ptr<const Loss> loss, std::int64_t batch_size,
                                            const ReplicaContext& context);

/// Measures the time of forward and backward passes of some layers in f32 and in bf16, on the device of the replica's
/// context. Returns zeros for accelerators, for devices without bf16, and for networks without layers that run in bf16.
PrecisionSeconds measure_precisions(const NetworkPlan& plan, std::int64_t batch_size, const ReplicaContext& context);

// The implementations of `make_network` and `measure_precisions` for each kind of device are in the folders cpu and
// cuda.
std::unique_ptr<DeviceNetwork> make_cpu_network(NetworkPlan plan, std::shared_ptr<const Loss> loss,
                                                std::int64_t batch_size, Precision precision, bool frozen);
/// Null in programs that do not link troupe::cuda.
/// @throws Error unsupported if the machine has no such device or no driver for it.
[[gnu::weak]] std::unique_ptr<DeviceNetwork> make_cuda_network(const NetworkPlan& plan,
                                                               std::shared_ptr<const Loss> loss,
                                                               std::int64_t batch_size, const ReplicaContext& context);
PrecisionSeconds measure_cpu_precisions(const NetworkPlan& plan, std::int64_t batch_size);

}  // namespace troupe
