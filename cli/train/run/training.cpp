#include "cli/train/run/training.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "actors/messages/bounds.hpp"
#include "actors/placements/hosting.hpp"
#include "cli/commands.hpp"
#include "cli/evaluate/scores.hpp"
#include "cli/profile.hpp"
#include "cli/stragglers.hpp"
#include "cli/train/run/best_weights.hpp"
#include "cli/train/run/epoch.hpp"
#include "cli/train/run/evaluations.hpp"
#include "cli/train/run/patience.hpp"
#include "cli/train/run/progress.hpp"
#include "cli/train/run/report_file.hpp"
#include "cli/train/run/sentences.hpp"
#include "cli/train/run/stop_signals.hpp"
#include "models/files/checkpoint/series.hpp"
#include "runtime/hash.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "troupe/algorithms.hpp"
#include "troupe/error.hpp"
#include "troupe/task_context.hpp"
#include "troupe/tune.hpp"

namespace troupe::cli {
namespace {

/// Default number of epochs of a training.
constexpr std::int64_t kUsualEpochs = 2;
/// Default maximum number of steps of a training with L-BFGS, which usually ends earlier by itself.
constexpr std::int64_t kLbfgsSteps = 100;

/// Returns the number of the last step of a training for which `steps` steps were requested. With local SGD, each call
/// makes several steps, so the last call may make more steps than requested.
std::int64_t planned_steps(const Algorithm& algorithm, std::int64_t steps) {
  const auto* const local = std::get_if<LocalSgd>(&algorithm);
  if (local == nullptr || local->steps < 1 || steps <= local->warm_start) return steps;
  const std::int64_t each = local->steps;
  const std::int64_t first = local->warm_start;
  return first + (steps - first + each - 1) / each * each;
}

std::int64_t planned_steps(const Algorithm& algorithm, std::int64_t epochs, std::int64_t epoch_steps) {
  if (epochs > kMostSteps / std::max<std::int64_t>(epoch_steps, 1))
    throw Error(ErrorCode::invalid_argument, "--epochs " + std::to_string(epochs) + " is too large");
  const auto* const lbfgs = std::get_if<Lbfgs>(&algorithm);
  if (lbfgs != nullptr && epochs == 0) return lbfgs->warm_start + kLbfgsSteps;
  return planned_steps(algorithm, (epochs > 0 ? epochs : kUsualEpochs) * epoch_steps);
}

/// The number of steps at the start of a run whose phases are printed even without --verbose.
constexpr std::int64_t kStepsShown = 3;

/// One training: by the command `train`, or of one fold in a cross-validation.
class Training {
 public:
  /// Starts the run and its workers.
  /// @param fold title of the fold, such as "fold 2 of 5"; empty: no cross-validation
  explicit Training(const TrainOptions& options, std::string fold = {})
      : options_(options), fold_(std::move(fold)), sgd_(options.run.start()) {
    if (!options_.report.empty()) report_.open(options_.report, sgd_.precision(), sgd_.steps_done());
    epoch_steps_ = sgd_.steps_per_epoch();
    const Algorithm algorithm = options_.run.algorithm.chosen();
    total_steps_ = options_.steps > 0 ? planned_steps(algorithm, options_.steps)
                                      : planned_steps(algorithm, options_.epochs, epoch_steps_);
    *options_.last_step = total_steps_;
    if (!options_.checkpoint.keep_best.empty() && (!evaluates() || !evaluations_.of(watched_)))
      throw Error(ErrorCode::invalid_argument,
                  "--keep-best needs data with a test or validation set, and either epochs of several steps "
                  "or --evaluate-every");
    if (watches_accuracy() && options_.run.learns_squares(*evaluations_.of(watched_)))
      throw Error(ErrorCode::invalid_argument, "--keep-best accuracy needs classes; otherwise use --keep-best loss");
    if (options_.patience > 0 && !evaluates())
      throw Error(ErrorCode::invalid_argument, "--patience needs epochs of several steps, or --evaluate-every");
  }

  /// Trains, prints the results, and returns the exit status.
  int run() {
    take_steps();
    if (is_broken_off()) return end_by(*stop_->came());
    finish();
    if (has_checkpoints() && sgd_.steps_done() > begun_) save();
    return report_.is_broken() || broken_record_ || failed_best_ || options_.log.is_broken() ? 1 : 0;
  }

  FoldResult run_fold() {
    take_steps();
    FoldResult result{.steps = sgd_.steps_done()};
    if (!is_broken_off()) {
      if (options_.profile) say_profile();
      result.evaluation = evaluations_.of(EvaluationSet::validation);
      if (!result.evaluation)
        throw_invalid(options_.run.model_text() + " cannot leave out a fold of its data, which --cross-validate needs");
    }
    report_.close();
    if (stopped()) result.signal = stop_->came();
    return result;
  }

 private:
  void take_steps() {
    say_hello();
    stop_.emplace();
    judge_where_begun();
    Progress progress(begun_, total_steps_, options_.quiet || options_.verbose || options_.log.shows_progress());
    EpochTally epoch;
    for (std::int64_t done = sgd_.steps_done();
         done < total_steps_ && !patience_.is_over() && !stopped() && !sgd_.should_stop() && !has_told_enough();) {
      const auto report = take_step(progress);
      if (!report) break;
      epoch.add(*report);
      last_loss_ = report->loss;
      if (report->lbfgs.end != LbfgsEnd::none) {
        progress.end_line();
        say_end(*report);
        break;
      }
      const std::int64_t before = std::exchange(done, report->step);
      const bool epoch_ends = epoch_steps_ > 1 && done / epoch_steps_ > before / epoch_steps_;
      const bool measures = every_.is_due(before, done, epoch_steps_ > 1 ? epoch_steps_ : 0);
      if (!(epoch_ends || measures) || !epochs_count()) continue;
      progress.pause();
      progress.end_line();
      epoch_ends ? end_epoch(epoch.end(), *report, measures) : end_stretch(*report);
      if (epoch_ends) epoch = {};
      progress.go_on();
    }
    progress.end_line();
  }

  /// Returns whether the results of epochs are shown, written or used. If they are not, no set is evaluated during the
  /// training.
  bool epochs_count() const {
    return !options_.quiet || report_.is_open() || !options_.checkpoint.keep_best.empty() || options_.patience > 0 ||
           !options_.log.texts.empty() || (here().in_worker() && options_.cross_validate == 0);
  }

  void say_end(const StepReport& report) {
    ended_ = true;
    if (!options_.quiet) std::printf("%s\n", end_text(report).c_str());
  }
  /// Returns whether the watched set is evaluated during the training.
  bool evaluates() const { return epoch_steps_ > 1 || every_.steps > 0; }
  bool has_checkpoints() const { return !options_.checkpoint.folder.empty(); }
  bool stopped() const { return stop_ && stop_->came(); }
  /// Returns whether a signal has stopped the run before its last step.
  bool is_broken_off() const { return stopped() && !ended_ && sgd_.steps_done() < total_steps_; }

  bool watches_accuracy() const { return options_.checkpoint.keep_best == "accuracy"; }

  /// Saves a checkpoint of the current state, unless there is already a checkpoint of the current step. Returns the
  /// path of the checkpoint.
  /// @param metric the value of the metric of --keep-best, which is stored in the checkpoint; none: no metric is stored
  std::string save(std::optional<double> metric = {}) {
    if (saved_step_ == sgd_.steps_done()) return saved_;
    saved_ = sgd_.checkpoint(metric);
    saved_step_ = sgd_.steps_done();
    return saved_;
  }

  /// Saves the current weights for --keep-best. With --checkpoint, saves a checkpoint with their metric. Without it,
  /// saves the weights to the file of --save if they are the best so far. After a write error, the training continues.
  /// If a lost worker exceeds the failure budget, throws.
  void keep_if_best(const Evaluation& test) try {
    const auto metric = options_.checkpoint.metric_of(test);
    has_checkpoints() ? static_cast<void>(save(metric)) : best_.offer(sgd_, metric);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::worker_lost) throw;
    log_line(LogLevel::warning,
             std::string(has_checkpoints() ? "cannot write a checkpoint" : "cannot write better weights") +
                 "; the run continues: " + error.what());
    failed_best_ = true;
  }

  /// Uses an evaluation of the watched set for --patience and --keep-best. The value for --patience is stored before
  /// the checkpoint of --keep-best is written. If the process ends in between, the run resumes from an earlier step,
  /// and ignores the stored value.
  void judge(const Evaluation& evaluation) {
    patience_.watch(sgd_.steps_done(), watches_accuracy() ? -evaluation.accuracy : evaluation.loss);
    if (!options_.checkpoint.keep_best.empty()) keep_if_best(evaluation);
  }

  /// Must be called at the start of the training. If the run resumes directly after a step at which an evaluation was
  /// due, evaluates for --patience and --keep-best. The earlier process may have been killed after this step, before it
  /// finished the evaluation.
  void judge_where_begun() {
    const bool judges = options_.patience > 0 || !options_.checkpoint.keep_best.empty();
    const AlgorithmOptions& algorithm = options_.run.algorithm;
    const bool local = std::holds_alternative<LocalSgd>(algorithm.chosen()) && begun_ > algorithm.warm_start();
    // With local SGD, a call may end up to this many steps after the step at which the evaluation was due.
    const std::int64_t steps_a_call = local ? algorithm.local_steps() : 1;
    const std::int64_t each = every_.steps > 0 ? every_.steps : every_.epochs * epoch_steps_;
    if (!judges || !evaluates() || begun_ < each || begun_ % each >= steps_a_call) return;
    const auto evaluation = evaluations_.of(watched_);
    if (evaluation) judge(*evaluation);
  }

  /// Saves the state after a signal has stopped the training, prints where it is saved, and returns the exit status.
  int end_by(int signal) {
    std::string kept = has_checkpoints() ? save_or_newest() : "";
    report_.close();
    if (best_.is_kept()) {
      kept += "; " + best_.text();
    } else if (!options_.save.empty()) {
      const bool is_there = is_trial() ? told_ > 0 : options_.checkpoint.save_best(options_.save);
      if (!is_there) sgd_.save(options_.save);
      kept += "; the weights are in " + options_.save;
    }
    // Not in a trial, because its command line is that of the search.
    if (!is_trial()) kept += "; " + how_to_go_on(options_);
    std::printf("stopped by %s after step %lld%s\n", signal_text(signal), static_cast<long long>(sgd_.steps_done()),
                kept.c_str());
    return kSignalled + signal;
  }

  /// Saves a checkpoint, and returns a text with its path. If the checkpoint cannot be saved, logs a warning, and
  /// returns a text about the newest existing checkpoint. @throws Error if there is none
  std::string save_or_newest() try { return ", saved in " + save(); } catch (const Error& error) {
    const auto saved = CheckpointSeries(options_.checkpoint.folder).list();
    if (saved.empty()) throw;
    log_line(LogLevel::warning, std::string("the last step is not saved: ") + error.what());
    return "; the newest checkpoint is of step " + std::to_string(saved.front().step) + ", in " + saved.front().path;
  }

  /// Makes a step, and returns its report. If a signal has reached this program and its workers at the same time, the
  /// workers end and the step cannot be finished; then returns none.
  std::optional<StepReport> try_step() try { return sgd_.step(); } catch (const Error& error) {
    if (!stopped() || (error.code() != ErrorCode::worker_lost && error.code() != ErrorCode::timeout)) throw;
    return std::nullopt;
  }

  std::optional<StepReport> take_step(Progress& progress) {
    auto step = try_step();
    if (!step) return std::nullopt;
    const StepReport& report = *step;
    if (report_.is_open()) report_.write(report, options_.hash ? std::optional(hash_of(report)) : std::nullopt);
    broken_record_ = !report.asynchronous.record_failure.empty();
    note_straggler(report, progress);
    if (!report.repairs.empty()) progress.end_line();
    for (const Repair& repair : report.repairs)
      log_line(LogLevel::warning, "step " + std::to_string(report.step) + " was repaired: " + repair_text(repair));
    const bool first = report.step <= kStepsShown * std::max(1, report.local.steps) && fold_.empty();
    if (options_.verbose || (first && !options_.quiet)) {
      progress.end_line();
      std::cout << "step " << report.step << ", loss " << report.loss;
      if (const auto accuracy = report.accuracy()) std::cout << ", accuracy " << *accuracy;
      std::cout << '\n' << report.seconds << report.slowest << report.local << report.lbfgs << std::flush;
    }
    progress.step(report);
    return step;
  }

  /// Adds the step's slowest worker to the statistics of stragglers. If `Stragglers::text` reports a straggler, prints
  /// a line about it, but only one line in the whole run.
  void note_straggler(const StepReport& report, Progress& progress) {
    stragglers_.add(report.slowest);
    if (straggler_told_ || options_.quiet) return;
    const std::string text = stragglers_.text();
    if (text.empty()) return;
    straggler_told_ = true;
    progress.end_line();
    std::printf("straggler: %s\n", text.c_str());
  }

  StepHash hash_of(const StepReport& report) {
    StepHash hash{report.loss, report.gradient_norm, 0};
    sgd_.read_weights([&](std::span<const float> weights) { hash.weights = checksum(std::as_bytes(weights)); });
    return hash;
  }

  void say_hello() const {
    if (options_.quiet) return;
    const Options& o = options_.run.sgd;
    std::printf("%s%s\n", fold_.empty() ? "" : (fold_ + ": ").c_str(),
                hello_text(options_.run, sgd_, total_steps_).c_str());
    if (std::holds_alternative<LocalSgd>(options_.run.algorithm.chosen()))
      std::printf("weights, and the optimizer state of each of %d shards, take %.1f MB%s\n", o.num_shards,
                  static_cast<double>(sgd_.state_bytes()) / 1e6,
                  on_one_machine(o.placement) ? "" : " of the largest node");
    if (options_.checkpoint.resume && begun_ == 0) std::printf("no checkpoint yet: starting from the beginning\n");
    if (begun_ > 0) std::printf("resuming after step %lld\n", static_cast<long long>(begun_));
    std::fflush(stdout);
  }

  bool validates() const { return watched_ == EvaluationSet::validation; }

  /// Evaluates the watched set, and prints and reports the results. The caller calls this if an evaluation is due after
  /// step `last.step`, and this step does not end an epoch.
  void end_stretch(const StepReport& last) {
    const auto evaluation = evaluations_.of(watched_);
    tell(last.loss, evaluation);
    if (!evaluation) return;
    report_.write(*evaluation, watched_, last.step);
    judge(*evaluation);
    if (options_.quiet) return;
    std::printf("step %lld: loss %.4f%s\n", static_cast<long long>(last.step), last.loss,
                watched_text(*evaluation).c_str());
    say_patience();
  }

  /// Returns the loss and the score in an evaluation of the watched set, as a text such as ", test loss 0.2345, test
  /// accuracy 0.9312".
  std::string watched_text(const Evaluation& evaluation) const {
    const char* const set = validates() ? "validation" : "test";
    std::array<char, 64> loss{};
    std::snprintf(loss.data(), loss.size(), ", %s loss %.4f, ", set, evaluation.loss);
    return loss.data() + score_text(set, evaluation);
  }

  void say_patience() const {
    if (patience_.is_over())
      std::printf("no improvement for %lld %s: training ends\n", static_cast<long long>(patience_.since_best()),
                  every_.steps > 0 || every_.epochs > 1 ? "evaluations" : "epochs");
    std::fflush(stdout);
  }

  /// Prints and reports the results of an epoch that has ended.
  /// @param last the report of the epoch's last step
  /// @param measures whether an evaluation of the watched set is due
  void end_epoch(EpochReport epoch, const StepReport& last, bool measures) {
    epoch.epoch = last.step / epoch_steps_;
    epoch.step = last.step;
    epoch.learning_rate = last.learning_rate;
    const auto evaluation = measures ? evaluations_.of(watched_) : std::nullopt;
    (validates() ? epoch.validation : epoch.test) = evaluation;
    if (measures) tell(epoch.loss, evaluation, epoch.epoch);
    // The line must be written before `judge` saves a checkpoint of this step. A run that resumes from this checkpoint
    // does not write the line again.
    report_.write(epoch);
    if (evaluation) judge(*evaluation);
    if (options_.quiet) return;
    std::printf("epoch %lld: %s, last loss %.4f", static_cast<long long>(epoch.epoch),
                throughput_text(epoch.samples_per_second(), epoch.unit).c_str(), last.loss);
    if (epoch.accuracy) std::printf(", accuracy %.4f", *epoch.accuracy);
    std::printf("%s\n", evaluation ? watched_text(*evaluation).c_str() : "");
    say_patience();
  }

  bool has_told_enough() const { return most_told_ > 0 && told_ >= most_told_; }
  static bool is_trial() { return !tune::trial_folder().empty(); }

  /// Reports the training loss and the results on the watched set to the hyperparameter search, if this process is a
  /// trial.
  void tell(double train_loss, const std::optional<Evaluation>& evaluation, std::optional<std::int64_t> epoch = {}) {
    if (options_.cross_validate > 0 || told_step_ == sgd_.steps_done()) return;
    told_step_ = sgd_.steps_done();
    ++told_;
    // Saves the weights before the report is sent: once the search has received the report, the file of --save must
    // contain the weights that were evaluated.
    if (is_trial() && !options_.save.empty() && options_.checkpoint.keep_best.empty()) sgd_.save(options_.save);
    Json metrics = {{"step", told_step_}, {"train_loss", train_loss}, {"loss", train_loss}};
    if (epoch) metrics["epoch"] = *epoch;
    if (evaluation) {
      metrics["loss"] = evaluation->loss;
      const bool squares = options_.run.learns_squares(*evaluation);
      metrics[squares ? "r2" : "accuracy"] = squares ? evaluation->all_targets.r2 : evaluation->accuracy;
      for (const NamedMetric& metric : evaluation->metrics) metrics[metric.name] = metric.value;
    }
    here().report(metrics);
  }

  /// Prints the times of the network's layers, and writes them to the report. Must be called before the last
  /// evaluation, because its time is not a part of the training.
  void say_profile() {
    const auto rows = profile_rows(read_layer_times(sgd_.call_model(kProfileFunction)));
    report_.write(rows);
    if (rows.empty()) {
      std::printf("no profile: %s does not measure its time\n", options_.run.model_text().c_str());
    } else {
      std::printf("time of the first replica:\n%s", profile_table(rows).c_str());
    }
    if (const std::string text = stragglers_.text(); !text.empty()) std::printf("straggler: %s\n", text.c_str());
  }

  /// Loads the best weights from the file of --save, so that the results at the end are those of the best weights. From
  /// then on, logs get no more reports: a log shows the results after each step, and the results of the best weights
  /// belong to an earlier step.
  void return_to_best() try {
    if (has_checkpoints() && sgd_.steps_done() > begun_) save();
    options_.log.end_reports();
    sgd_.load(options_.save);
    evaluations_.forget();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::worker_lost) throw;
    log_line(LogLevel::warning, std::string("the results are those of the last weights: ") + error.what());
    failed_best_ = true;
  }

  void finish() {
    if (options_.profile) say_profile();
    report_.close();
    if (!options_.checkpoint.keep_best.empty())
      if (const auto last = evaluations_.of(watched_)) keep_if_best(*last);
    const bool best = best_.is_kept() || (!options_.save.empty() && options_.checkpoint.save_best(options_.save));
    if (best_.is_kept()) std::printf("%s\n", best_.text().c_str());
    if (!options_.save.empty() && !best) {
      sgd_.save(options_.save);
      if (!options_.quiet) std::printf("weights saved to %s\n", options_.save.c_str());
    }
    tell(last_loss_, evaluations_.of(watched_));
    if (best) return_to_best();
    std::string hash;
    sgd_.read_weights([&](std::span<const float> weights) { hash = sha256_hex(std::as_bytes(weights)); });
    if (watched_ == EvaluationSet::validation)
      if (const auto validation = evaluations_.of(watched_)) print_evaluation("validation", *validation);
    if (const auto test = evaluations_.of(EvaluationSet::test)) print_evaluation("test", *test);
    std::printf("weights sha256 %s\n", hash.c_str());
  }

  const TrainOptions& options_;
  std::string fold_;
  DistributedSGD sgd_;
  Evaluations evaluations_{sgd_};
  ToleratedReport report_;
  bool broken_record_ = false;
  bool failed_best_ = false;  ///< true: the weights of --keep-best could not be written or read
  Stragglers stragglers_;
  bool straggler_told_ = false;
  std::optional<StopSignals> stop_;
  EvaluationSet watched_ = options_.run.validates() ? EvaluationSet::validation : EvaluationSet::test;
  const EvaluateEvery every_ = options_.evaluate_every;
  BestWeights best_{options_.checkpoint.keep_best,
                    options_.checkpoint.keep_best.empty() || has_checkpoints() ? "" : options_.save};
  Patience patience_{options_.patience,
                     std::string(watches_accuracy() ? "-accuracy" : "loss") + " of " + options_.run.validate,
                     options_.checkpoint.folder, sgd_.steps_done()};
  std::int64_t begun_ = sgd_.steps_done();  ///< number of steps that were done before this process started
  std::string saved_;                       ///< path of the last checkpoint that this process has saved
  std::int64_t saved_step_ = -1;
  bool ended_ = false;  ///< true: L-BFGS has ended by itself
  double last_loss_ = 0;
  std::int64_t told_step_ = -1;
  std::int64_t told_ = 0;  ///< number of results that were reported to the search
  const std::int64_t most_told_ = tune::most_reports();
  std::int64_t epoch_steps_ = 0;
  std::int64_t total_steps_ = 0;
};

}  // namespace

int train(const TrainOptions& options) { return Training(options).run(); }

FoldResult train_fold(const TrainOptions& options, const std::string& title) {
  return Training(options, title).run_fold();
}

}  // namespace troupe::cli
