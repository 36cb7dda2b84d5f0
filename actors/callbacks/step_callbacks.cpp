#include "actors/callbacks/step_callbacks.hpp"

#include <algorithm>

#include "runtime/log.hpp"
#include "runtime/printable.hpp"
#include "runtime/redaction.hpp"

namespace troupe {
namespace {

/// Adds the duration in seconds of the step and of each phase to `metrics`. For the phase "data", whose durations are
/// per worker, adds the longest duration.
void add_seconds(const PhaseSeconds& seconds, Json& metrics) {
  const auto& [step, compute, reduce, apply, data] = kPhaseTimes;
  metrics[step] = seconds.step;
  metrics[compute] = seconds.compute_all;
  metrics[reduce] = seconds.reduce;
  metrics[apply] = seconds.apply_all;
  if (!seconds.data.empty()) metrics[data] = *std::ranges::max_element(seconds.data);
}

Json metrics_of(const StepReport& report, std::int64_t epoch_steps) {
  Json metrics{{"loss", report.loss}, {"learning_rate", report.learning_rate}, {"samples", report.samples}};
  if (report.seconds.step > 0)
    metrics[report.unit + "_per_second"] = static_cast<double>(report.samples) / report.seconds.step;
  if (const auto accuracy = report.accuracy()) metrics["accuracy"] = *accuracy;
  add_seconds(report.seconds, metrics);
  if (report.gradient_norm > 0) metrics["gradient_norm"] = report.gradient_norm;
  if (epoch_steps > 0) metrics["epoch"] = (report.step - 1) / epoch_steps + 1;
  return metrics;
}

Json metrics_of(const Evaluation& evaluation, const std::string& set) {
  Json metrics{{set + "_loss", evaluation.loss}, {set + "_accuracy", evaluation.accuracy}};
  if (const auto perplexity = evaluation.perplexity()) metrics[set + "_perplexity"] = *perplexity;
  if (evaluation.top_k_accuracy) metrics[set + "_top_k_accuracy"] = *evaluation.top_k_accuracy;
  if (!evaluation.targets.empty()) metrics[set + "_r2"] = evaluation.all_targets.r2;
  for (const NamedMetric& each : evaluation.metrics) metrics[set + "_" + each.name] = each.value;
  return metrics;
}

}  // namespace

void StepCallbacks::start(const Options& options, int workers, std::int64_t steps_done) {
  steps_ = steps_done;
  callbacks_.start(
      {.name = "step", .world_size = workers, .config = without_secrets(options.config), .resumed = steps_done > 0});
}

void StepCallbacks::step(const StepReport& report, std::int64_t before, std::int64_t epoch_steps) {
  steps_ = report.step;
  failed_ = false;
  if (callbacks_.empty()) return;  // creating a report's metrics takes longer than many steps
  for (const Repair& repair : report.repairs)
    callbacks_.failure_passed(
        Error(ErrorCode::worker_lost, repair.what,
              {.worker = repair.worker, .node = repair.node, .phase = repair.phase, .step = report.step}));
  if (report.step == before) return;  // the step number is unchanged, because L-BFGS has converged or stopped
  const bool epoch_ends = epoch_steps > 0 && report.step / epoch_steps > before / epoch_steps;
  callbacks_.report({report.step, watch_.seconds(), metrics_of(report, epoch_steps)}, epoch_ends);
}

void StepCallbacks::evaluation(const Evaluation& evaluation, EvaluationSet set, std::int64_t step) {
  const char* const name = set == EvaluationSet::test ? "test" : "validation";
  callbacks_.report({step, watch_.seconds(), metrics_of(evaluation, name)}, /*epoch_ends=*/false);
}

void StepCallbacks::failure(const Error& error) noexcept {
  failed_ = true;
  callbacks_.failure(error);
}

void StepCallbacks::checkpoints(const std::vector<CheckpointInfo>& written) {
  for (const CheckpointInfo& each : written) callbacks_.checkpoint(each);
}

void StepCallbacks::end(const std::vector<CheckpointInfo>& written) noexcept {
  try {
    checkpoints(written);
  } catch (const std::exception& error) {
    log_line(LogLevel::warning, printable(std::string("a callback failed at the end of the run: ") + error.what()));
  }
  callbacks_.close({watch_.seconds(), steps_, failed_});
}

}  // namespace troupe
