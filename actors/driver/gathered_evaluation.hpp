#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/driver/transfers.hpp"
#include "actors/messages/evaluate.hpp"
#include "actors/rounds/rounds.hpp"
#include "troupe/report.hpp"

namespace troupe {

/// Combines the evaluation results of all shards into one result. Sums are added in the order of shards. Therefore the
/// result does not depend on which worker evaluates which shard.
class GatheredEvaluation {
 public:
  explicit GatheredEvaluation(int num_shards) : losses_(static_cast<std::size_t>(num_shards)) {}

  /// Adds the results of one worker's shards.
  /// @param evaluated the worker's reply, already checked with `check_reply`
  /// @param text the text with the measurements that the reply announces; empty if the reply announces none
  /// @throws Error protocol if numbers are invalid; model_mismatch if workers return different kinds of measurements
  void add(const Evaluated& evaluated, const std::string& text, const Where& where);

  /// Returns the combined result. Call it after the results of all workers were added.
  Evaluation evaluation(const EvaluationOptions& measure) const;

 private:
  void check_alike(const Evaluated& evaluated, std::int64_t samples, const Where& where);
  void add_counts(const std::vector<std::int64_t>& counts);
  std::vector<double> metric_sums(std::size_t metric) const;
  TargetSums target_sums(std::size_t target) const;
  void tell_classes(Evaluation& evaluation) const;
  void tell_targets(Evaluation& evaluation) const;

  std::vector<double> losses_;
  std::int64_t correct_ = 0;
  std::int64_t samples_ = 0;
  std::optional<std::vector<std::string>> metrics_;
  int first_ = -1;                     ///< the worker whose reply contained `metrics_`
  std::optional<MeasureShape> shape_;  ///< the shape of the measurements, the same for all workers with samples
  std::vector<std::int64_t> confusion_;
  std::vector<EvaluationResult>
      measured_;  ///< by shard: the measurements; empty if only loss and correct samples are measured
};

/// Requests all workers to evaluate the model on their shards. Returns the combined results.
/// @throws Error as `Rounds::ask` and GatheredEvaluation::add do
Evaluation evaluate_on(const Members& members, Rounds& rounds, Transfers& transfers, const Evaluate& request,
                       const EvaluationOptions& measure, const Phase& phase);

/// Sets the names of classes and targets in `evaluation`, if the description of the network contains these names.
/// @param network ModelInfo::network
void name_measured(Evaluation& evaluation, const std::string& network);

}  // namespace troupe
