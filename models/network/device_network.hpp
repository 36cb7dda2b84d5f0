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

/// Fills the next tensor of the canonical weights; called once a tensor, in their order.
using ReadTensor = std::function<void(std::span<float> tensor)>;

/// A planned network with its loss on one device: the seam between what is computed and how. Only the device knows the
/// layout of the flat parameter vector. Used by one thread at a time.
class DeviceNetwork {
 public:
  /// @param frozen ReplicaContext::frozen
  explicit DeviceNetwork(bool frozen) : frozen_(frozen) {}
  DeviceNetwork(const DeviceNetwork&) = delete;
  DeviceNetwork& operator=(const DeviceNetwork&) = delete;
  virtual ~DeviceNetwork() = default;

  /// Makes what training needs beforehand, so that the first step is as fast as the others.
  /// @param memory for a pass, too
  virtual void prepare_training(bool memory) = 0;

  /// Floats of the flat parameter vector, padding included.
  virtual std::size_t size() const = 0;
  /// The first of them, which are learned; see ModelInfo::learned_size.
  virtual std::size_t learned_size() const = 0;
  /// Names the layout, the precision and the instruction set.
  virtual std::string fingerprint() const = 0;
  virtual Precision precision() const = 0;

  /// Writes the gradient of the sum of the losses, all `size()` floats of it but those of layers that keep their
  /// tensors, and returns that sum.
  /// @param correct null, or where to write BatchResult::correct
  virtual double gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                          std::span<float> gradient, std::int64_t* correct) = 0;
  double gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights, std::span<float> gradient) {
    return this->gradient(at, batch, weights, gradient, nullptr);
  }
  /// See Model::update_statistics. Frozen ones stay.
  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const;
  /// Loss sum and hits. @param metrics null, or to which the samples are added
  virtual EvaluationResult evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                    SampleMetrics* metrics) = 0;
  EvaluationResult evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights) {
    return evaluate(at, batch, weights, nullptr);
  }
  /// Writes the outputs of samples, row-major both, as an evaluation has them; as many rows as `to` holds.
  virtual void outputs(std::span<const float> samples, std::span<const float> weights, std::span<float> to) = 0;

  /// Writes the canonical floats from `begin` on, as many as `part` holds.
  virtual void to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const = 0;
  virtual void from_canonical(const ReadTensor& read, std::span<float> weights) const = 0;
  /// From all of them in a row.
  void copy_canonical(std::span<const float> canonical, std::span<float> weights) const;

  virtual std::vector<LayerTime> profile() const = 0;
  /// That calls so far have copied between the host and an accelerator.
  virtual std::int64_t bytes_over_bus() const { return 0; }

 protected:
  bool frozen() const { return frozen_; }

 private:
  virtual void learn_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                                std::span<const float> statistics, std::span<float> updated) const = 0;

  bool frozen_;
};

/// @throws Error unsupported for a kind of device that this build has not, saying what it has; whether the machine has
/// one is seen where the network is made.
void check_device(Device device);

/// For models that compute on CPUs only. @param what "linear regression"
/// @throws Error unsupported for a replica that is to have an accelerator
void require_cpus(const ReplicaContext& context, const char* what);

/// The network on the device that the replica's context names.
/// @param loss of the outputs, as many as planned.
/// @param batch_size that the layouts are chosen for; others work, perhaps slower.
/// @param context whose precision is asked for; DeviceNetwork::precision tells what it became; and which may be frozen.
/// @throws Error unsupported as check_device.
std::unique_ptr<DeviceNetwork> make_network(NetworkPlan plan, std::shared_ptr<const Loss> loss, std::int64_t batch_size,
                                            const ReplicaContext& context);

/// What layers of the network take in either precision on the device that the replica's context names, forward and
/// backward; zeros on accelerators, where it has no bf16, or the network no layer that is computed in it.
PrecisionSeconds measure_precisions(const NetworkPlan& plan, std::int64_t batch_size, const ReplicaContext& context);

// One for each kind of device, in the folder of its name.
std::unique_ptr<DeviceNetwork> make_cpu_network(NetworkPlan plan, std::shared_ptr<const Loss> loss,
                                                std::int64_t batch_size, Precision precision, bool frozen);
/// Null in programs that do not link troupe::cuda.
/// @throws Error unsupported where the machine has no such device, or no driver for it.
[[gnu::weak]] std::unique_ptr<DeviceNetwork> make_cuda_network(const NetworkPlan& plan,
                                                               std::shared_ptr<const Loss> loss,
                                                               std::int64_t batch_size, const ReplicaContext& context);
PrecisionSeconds measure_cpu_precisions(const NetworkPlan& plan, std::int64_t batch_size);

}  // namespace troupe
