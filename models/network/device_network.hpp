#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "models/network/network_plan.hpp"
#include "troupe/batches.hpp"
#include "troupe/loss.hpp"
#include "troupe/metric.hpp"

namespace troupe {

/// A function that writes the values of one canonical tensor to `tensor`. It is called once for each tensor, in
/// canonical order.
using ReadTensor = std::function<void(std::span<float> tensor)>;

/// The place of a micro-batch among those of a batch, whose gradients are added. Each has at least one sample, except
/// that of a batch without samples.
struct MicroBatch {
  int number = 0;    ///< BatchContext::slice
  bool last = true;  ///< whether the gradient of the batch is complete after this micro-batch
};

/// Base class: a planned network with its loss on one device. There is a derived class for each kind of device. Only
/// the derived class knows the layout of the flat vector. Not thread-safe.
class DeviceNetwork {
 public:
  /// @param frozen ReplicaContext::frozen
  explicit DeviceNetwork(bool frozen) : frozen_(frozen) {}
  DeviceNetwork(const DeviceNetwork&) = delete;
  DeviceNetwork& operator=(const DeviceNetwork&) = delete;
  virtual ~DeviceNetwork() = default;

  /// Creates everything that training needs, so that the first step is as fast as later steps.
  /// @param memory true: also allocates the memory for the values of a training pass
  /// @param slices whether batches consist of several micro-batches; see `gradient`
  virtual void prepare_training(bool memory, bool slices) = 0;

  /// Returns the number of floats of the flat vector, including padding.
  virtual std::size_t size() const = 0;
  /// Returns the number of learned floats, which are at the start of the flat vector; see ModelInfo::learned_size.
  virtual std::size_t learned_size() const = 0;
  /// Returns a text that identifies layout, precision, libraries and device; see ModelInfo::fingerprint.
  virtual std::string fingerprint() const = 0;
  virtual Precision precision() const = 0;

  /// Returns the sum of the losses over the batch, and writes the gradient of this sum to `gradient`. Writes all
  /// `size()` floats, except those of layers whose tensors are frozen (PlannedLayer::keeps_tensors).
  /// @param correct receives BatchResult::correct; may be null
  /// @param part if `batch` is a micro-batch: its place. The gradient of the first micro-batch replaces the content of
  /// `gradient`, those of later ones are added. `gradient` must not change in between, and it is complete after the
  /// last one
  virtual double gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                          std::span<float> gradient, std::int64_t* correct, MicroBatch part) = 0;
  double gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights, std::span<float> gradient,
                  std::int64_t* correct = nullptr) {
    return this->gradient(at, batch, weights, gradient, correct, {});
  }
  /// Computes new statistics for a range of the flat vector; see Model::update_statistics. Frozen statistics do not
  /// change.
  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const;
  /// Evaluates a batch. Returns the sum of the losses, the number of correctly classified samples and the number of
  /// samples.
  /// @param metrics measures the outputs of each sample; may be null
  virtual EvaluationResult evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                    SampleMetrics* metrics) = 0;
  EvaluationResult evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights) {
    return evaluate(at, batch, weights, nullptr);
  }
  /// Computes the outputs of samples as in evaluations, and writes one row for each sample to `to`. The length of `to`
  /// determines the number of samples. `samples` and `to` are row-major.
  /// @param version of `weights`, as ShardStep::weights
  virtual void outputs(std::span<const float> samples, std::span<const float> weights, WeightsVersion version,
                       std::span<float> to) = 0;

  /// Converts `weights`, a whole flat vector, to canonical order, and writes the canonical floats [begin, begin +
  /// part.size()) to `part`.
  virtual void to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const = 0;
  /// Writes a whole flat vector to `weights`. Calls `read` once for each canonical tensor to obtain its values.
  virtual void from_canonical(const ReadTensor& read, std::span<float> weights) const = 0;
  /// Converts `canonical`, all canonical tensors one after the other, to a flat vector, and writes it to `weights`.
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

/// Creates the network on the device that `context` specifies.
/// @param loss must need as many outputs as the plan has
/// @param batch_size the usual batch size, for which memory layouts are chosen; other sizes work, but may be slower
/// @param context contains the device, the requested precision and `frozen`. DeviceNetwork::precision returns the
/// precision that the network uses, which may differ
/// @throws Error unsupported if this program does not support the kind of device, or the machine has no such device
std::unique_ptr<DeviceNetwork> make_network(NetworkPlan plan, std::shared_ptr<const Loss> loss, std::int64_t batch_size,
                                            const ReplicaContext& context);

/// Measures the time of forward and backward passes of some layers in f32 and in bf16, on the device that `context`
/// specifies. Returns zeros for accelerators, for CPUs without bf16, and for networks without layers that run in bf16.
PrecisionSeconds measure_precisions(const NetworkPlan& plan, std::int64_t batch_size, const ReplicaContext& context);

// The implementations of `make_network` and `measure_precisions` for each kind of device. They are defined in the
// folders cpu and cuda.
std::unique_ptr<DeviceNetwork> make_cpu_network(NetworkPlan plan, std::shared_ptr<const Loss> loss,
                                                std::int64_t batch_size, Precision precision, bool frozen);
/// Null in programs that do not link troupe::cuda.
/// @throws Error unsupported if the machine has no such device or no driver for it.
[[gnu::weak]] std::unique_ptr<DeviceNetwork> make_cuda_network(const NetworkPlan& plan,
                                                               std::shared_ptr<const Loss> loss,
                                                               std::int64_t batch_size, const ReplicaContext& context);
PrecisionSeconds measure_cpu_precisions(const NetworkPlan& plan, std::int64_t batch_size);

}  // namespace troupe
