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

/// Combines the results of all shards on one data set. Sums are added in the order of shards, so results do not depend
/// on the workers.
class GatheredEvaluation {
 public:
  explicit GatheredEvaluation(int num_shards) : losses_(static_cast<std::size_t>(num_shards)) {}

  /// Adds the results of one worker's shards.
  /// @param evaluated a reply that was checked with `check_reply`
  /// @param text the measurements that the reply announces; empty if their length is 0
  /// @throws Error protocol for invalid numbers; model_mismatch if workers return different measurements
  void add(const Evaluated& evaluated, const std::string& text, const Where& where);

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
  int first_ = -1;                     ///< the worker that has reported `metrics_`
  std::optional<MeasureShape> shape_;  ///< the shape for all workers with samples
  std::vector<std::int64_t> confusion_;
  std::vector<EvaluationResult> measured_;  ///< by shard; empty if only loss and correct samples are measured
};

/// Has all workers evaluate the model on their shards. Returns the combined results.
/// @throws Error as `Rounds::ask` and GatheredEvaluation::add
Evaluation evaluate_on(const Members& members, Rounds& rounds, Transfers& transfers, const Evaluate& request,
                       const EvaluationOptions& measure, const Phase& phase);

/// Sets the names of classes and targets in `evaluation`, if the network's text contains them.
/// @param network ModelInfo::network
void name_measured(Evaluation& evaluation, const std::string& network);

}  // namespace troupe
