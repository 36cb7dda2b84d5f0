#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "troupe/batches.hpp"
#include "troupe/metric.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The base class of models that learn from samples with classes or targets. It requests batches from a BatchSource and
/// passes the batches to the derived class.
class SupervisedModel : public Model {
 public:
  /// @param metrics the user's metrics, which every evaluation measures
  /// @throws Error invalid_argument if two metrics have the same name, or a metric has no function.
  explicit SupervisedModel(std::unique_ptr<BatchSource> source, std::vector<Metric> metrics = {});

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) final;
  EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights) final;

 protected:
  /// Calls `prepare_weights`. Returns the description of the model that `prepare_weights` returned, and adds the number
  /// of samples, the steps per epoch and the names of the metrics.
  ModelInfo prepare(const ReplicaContext& context) final;

  const DataInfo& data_info() const { return source_->info(); }

  /// Prepares the derived class, and returns the description of the model as Model::prepare does. The derived class
  /// need not set the members `num_samples`, `steps_per_epoch` and `metrics`, because the caller, `prepare`, sets them.
  virtual ModelInfo prepare_weights(const ReplicaContext& context) = 0;

  /// Returns the sum of the losses of all samples of `batch`, and writes the gradient of this sum with respect to the
  /// weights: all `info().size` floats. The batch is never empty. The size of batches may differ from call to call.
  /// @param correct receives the number of samples whose class the model predicts correctly. A model that does not
  /// count correct samples must leave `correct` unchanged
  virtual double batch_gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                std::span<float> gradient, std::int64_t& correct) = 0;

  /// Returns the number of bytes that this model has copied so far between main memory and the memory of an
  /// accelerator, in both directions.
  virtual std::int64_t bytes_over_bus() const { return 0; }

  /// Evaluates one batch of the test set or of the validation set. Returns the sum of the losses, the number of
  /// correctly predicted samples, and the number of samples of the batch.
  /// @param metrics null, or an object to which the function must add every sample of the batch
  virtual EvaluationResult batch_evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                          SampleMetrics* metrics) = 0;

 private:
  /// @throws Error unsupported, with `what` in the message, if samples have several labels.
  void check_one_label(const std::string& what) const;

  std::unique_ptr<BatchSource> source_;
  std::vector<Metric> metrics_;
};

}  // namespace troupe
