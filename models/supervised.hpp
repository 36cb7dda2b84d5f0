#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/data/batches/batch_source.hpp"
#include "models/metrics/sample_metrics.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The base class of models that learn from samples with classes or targets. It requests batches from a BatchSource and
/// passes them to the derived class.
class SupervisedModel : public Model {
 public:
  /// @param metrics are measured by every evaluation
  /// @throws Error invalid_argument if two metrics have the same name, or a metric has no function.
  explicit SupervisedModel(std::unique_ptr<BatchSource> source, std::vector<Metric> metrics = {});

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) final;
  EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights) final;

 protected:
  /// Returns the description from `prepare_weights`, with the number of samples, the steps per epoch and the names of
  /// the metrics added.
  ModelInfo prepare(const ReplicaContext& context) final;

  const DataInfo& data_info() const { return source_->info(); }

  /// Prepares the derived class and returns its description, as Model::prepare does. `prepare` fills in the members
  /// about data and metrics afterwards.
  virtual ModelInfo prepare_weights(const ReplicaContext& context) = 0;

  /// Returns the sum of the losses of the batch, and writes the gradient of that sum: all `info().size` floats. The
  /// batch is never empty. Its size may differ from call to call.
  /// @param correct receives the number of samples that the model got right; must stay unchanged if the model does not
  /// count them
  virtual double batch_gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                std::span<float> gradient, std::int64_t& correct) = 0;

  /// Returns the number of bytes copied so far between the host and an accelerator, in both directions.
  virtual std::int64_t bytes_over_bus() const { return 0; }

  /// Returns the sum of the losses, the number of correct samples and the number of samples of a batch. The batch is
  /// from the test set or the validation set.
  /// @param metrics null, or an object to which every sample must be added
  virtual EvaluationResult batch_evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                          SampleMetrics* metrics) = 0;

 private:
  std::unique_ptr<BatchSource> source_;
  std::vector<Metric> metrics_;
};

}  // namespace troupe
