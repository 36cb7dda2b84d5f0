#include "actors/driver/gathered_evaluation.hpp"

#include <numeric>
#include <utility>

#include "actors/rounds/reply_checks.hpp"
#include "collectives/plan/tree.hpp"
#include "models/files/network_text.hpp"
#include "models/metrics/summary.hpp"

namespace troupe {
namespace {

/// Returns the description of the data that `network` (ModelInfo::network) contains. Returns an empty description if
/// `network` is empty or invalid.
DataInfo data_told_by(const std::string& network) {
  if (network.empty()) return {};
  try {
    return network_from_json("", network).data;
  } catch (const Error&) {
    return {};
  }
}

/// Returns `names` if there are exactly `count` names, or if `count` is 0. Otherwise returns an empty list.
std::vector<std::string> names_for(std::size_t count, std::vector<std::string> names) {
  return count == 0 || names.size() == count ? std::move(names) : std::vector<std::string>();
}

}  // namespace

void GatheredEvaluation::add(const Evaluated& evaluated, const std::string& text, const Where& where) {
  const std::int64_t samples = std::accumulate(evaluated.samples.begin(), evaluated.samples.end(), std::int64_t{0});
  check_alike(evaluated, samples, where);
  for (std::size_t i = 0; i < evaluated.shards.size(); ++i) {
    losses_.at(static_cast<std::size_t>(evaluated.shards[i])) = from_bits(evaluated.loss_bits[i]);
    correct_ += evaluated.correct[i];
    samples_ += evaluated.samples[i];
  }
  if (samples == 0 || !evaluated.shape().any()) return;  // a worker without samples may report another shape
  Measures measures = measures_from_text(evaluated.shape(), evaluated.samples, text);
  check_measures(measures, ErrorCode::protocol, where);
  add_counts(measures.confusion);
  measured_.resize(losses_.size());
  for (std::size_t i = 0; i < evaluated.shards.size(); ++i)
    measured_.at(static_cast<std::size_t>(evaluated.shards[i])) = std::move(measures.shards[i]);
}

void GatheredEvaluation::check_alike(const Evaluated& evaluated, std::int64_t samples, const Where& where) {
  if (!metrics_) {
    metrics_ = evaluated.metrics;
    first_ = where.worker;
  }
  if (samples > 0 && !shape_) shape_ = evaluated.shape();
  if (*metrics_ == evaluated.metrics && (samples == 0 || *shape_ == evaluated.shape())) return;
  throw Error(ErrorCode::model_mismatch,
              "worker " + std::to_string(where.worker) + "'s model returns other measurements than worker " +
                  std::to_string(first_) + "'s model",
              {.phase = where.phase, .step = where.step});
}

void GatheredEvaluation::add_counts(const std::vector<std::int64_t>& counts) {
  if (confusion_.empty()) confusion_.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) confusion_[i] += counts[i];
}

Evaluation GatheredEvaluation::evaluation(const EvaluationOptions& measure) const {
  Evaluation evaluation{.samples = samples_, .top_k = measure.top_k};
  if (samples_ == 0) return evaluation;
  const auto samples = static_cast<double>(samples_);
  evaluation.loss = tree_sum(losses_) / samples;
  evaluation.accuracy = static_cast<double>(correct_) / samples;
  tell_classes(evaluation);
  tell_targets(evaluation);
  for (std::size_t i = 0; i < metrics_->size(); ++i)
    evaluation.metrics.push_back({(*metrics_)[i], tree_sum(metric_sums(i)) / samples});
  return evaluation;
}

void GatheredEvaluation::tell_classes(Evaluation& evaluation) const {
  if (shape_->top_k) {
    std::int64_t hits = 0;
    for (const EvaluationResult& shard : measured_) hits += shard.top_k_correct.value_or(0);
    evaluation.top_k_accuracy = static_cast<double>(hits) / static_cast<double>(samples_);
  }
  if (shape_->classes == 0) return;
  evaluation.confusion = confusion_;
  evaluation.classes = class_metrics(confusion_);
  evaluation.macro = macro_metrics(evaluation.classes);
}

void GatheredEvaluation::tell_targets(Evaluation& evaluation) const {
  if (shape_->targets == 0) return;
  std::vector<TargetSums> targets;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape_->targets); ++i) {
    targets.push_back(target_sums(i));
    evaluation.targets.push_back(target_metrics(targets.back(), samples_));
  }
  evaluation.all_targets = overall_metrics(targets, samples_);
}

std::vector<double> GatheredEvaluation::metric_sums(std::size_t metric) const {
  std::vector<double> sums;
  for (const EvaluationResult& shard : measured_)
    sums.push_back(shard.metric_sums.empty() ? 0 : shard.metric_sums[metric]);
  return sums;
}

TargetSums GatheredEvaluation::target_sums(std::size_t target) const {
  TargetSums sums;
  std::int64_t samples = 0;
  for (const EvaluationResult& shard : measured_) {
    if (shard.samples == 0) continue;
    merge(sums, samples, shard.targets[target], shard.samples);
    samples += shard.samples;
  }
  return sums;
}

Evaluation evaluate_on(const Members& members, Rounds& rounds, Transfers& transfers, const Evaluate& request,
                       const EvaluationOptions& measure, const Phase& phase) {
  GatheredEvaluation gathered(members.topology().num_shards);
  for (const auto& [worker, reply] : rounds.ask(request, members.workers(), phase)) {
    const Where where = rounds.where(worker, phase);
    check_reply(reply, members.shards_of(worker), measure, where);
    gathered.add(reply, transfers.fetch_texts(worker, {reply.measure_bytes}, phase).front(), where);
  }
  return gathered.evaluation(measure);
}

void name_measured(Evaluation& evaluation, const std::string& network) {
  const DataInfo data = data_told_by(network);
  evaluation.class_names = names_for(evaluation.classes.size(), data.class_names);
  evaluation.target_names = names_for(evaluation.targets.size(), data.target_names);
}

}  // namespace troupe
