#include "cli/train/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "cli/evaluate/scores.hpp"
#include "cli/train/run/sentences.hpp"
#include "cli/train/run/training.hpp"
#include "models/data/arguments.hpp"
#include "models/data/pipeline/folds.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "troupe/task_context.hpp"
#include "troupe/tune.hpp"

namespace troupe::cli {
namespace {

void check(const TrainOptions& options) {
  const auto refuse = [](const std::string& why) { throw_invalid("--cross-validate " + why); };
  const auto refuse_one = [&](const char* option) {
    refuse(std::string("trains a model for each fold and drops it afterwards: ") + option + " is for one run");
  };
  if (!options.run.validate.empty()) refuse("validates on folds of the training set: give no --validate");
  if (options.run.has_fold())
    refuse("makes its own folds, but --data '" + printable(*options.run.data) + "' is a fold");
  if (!options.checkpoint.folder.empty()) refuse_one("--checkpoint");
  if (!options.save.empty()) refuse_one("--save");
  if (!options.run.algorithm.record().empty()) refuse_one("--record");
  if (!options.run.algorithm.replay().empty()) refuse_one("--replay");
  Options unused;
  options.log.apply(unused);
}

/// Returns the path of the file for one fold: for "steps.csv" and fold 2, returns "steps-fold-2.csv".
std::string path_of_fold(const std::string& path, int fold) {
  const std::filesystem::path whole(path);
  const std::string name = whole.stem().string() + "-fold-" + std::to_string(fold) + whole.extension().string();
  return (whole.parent_path() / name).string();
}

/// Returns the value of --log for one fold. If the log is a file, its path is that of `path_of_fold`. If the log is a
/// TensorBoard folder, the fold has a subfolder, so that TensorBoard shows all folds together.
/// @param text the value of --log that the user typed
std::string log_of_fold(const std::string& text, int fold) {
  constexpr std::string_view kFolder = "tensorboard:";
  const std::size_t colon = text.find(':');
  if (text.starts_with(kFolder)) return text + "/fold-" + std::to_string(fold);
  return colon == std::string::npos ? text : text.substr(0, colon + 1) + path_of_fold(text.substr(colon + 1), fold);
}

TrainOptions options_of_fold(const TrainOptions& options, int fold) {
  TrainOptions of = options;
  of.run.validate = data::kFoldPrefix + std::to_string(fold) + "/" + std::to_string(options.cross_validate);
  if (!options.report.empty()) of.report = path_of_fold(options.report, fold);
  of.log.texts.clear();
  for (const std::string& several : options.log.texts)
    for (const std::string& text : split_text(several, ',')) of.log.texts.push_back(log_of_fold(text, fold));
  of.log.apply(of.run.sgd);
  return of;
}

/// A table of the results of all folds: the loss, the accuracy or R2, and the metrics.
class FoldTable {
 public:
  void add(const Evaluation& evaluation) {
    if (rows_.empty()) squares_ = has_squares(evaluation);
    add_to(0, "loss", evaluation.loss);
    add_to(1, squares_ ? "R2" : "accuracy", squares_ ? evaluation.all_targets.r2 : evaluation.accuracy);
    for (std::size_t i = 0; i < evaluation.metrics.size(); ++i)
      add_to(2 + i, evaluation.metrics[i].name, evaluation.metrics[i].value);
  }

  void print_last(const std::string& title) const {
    std::printf("%s: ", title.c_str());
    for (std::size_t i = 0; i < rows_.size(); ++i)
      std::printf("%s%s %.6g", i == 0 ? "" : ", ", rows_[i].name.c_str(), rows_[i].values.back());
    std::printf("\n");
    std::fflush(stdout);
  }

  /// Reports the means of the results over the folds so far to the hyperparameter search, if this process is a trial.
  void tell(int fold) const {
    Json metrics = {{"cv", fold}};
    for (const Row& row : rows_) metrics[row.name == "R2" ? "r2" : row.name] = mean_of(row);
    here().report(metrics);
  }

  /// Prints the mean of each result over the folds, and the sample standard deviation, whose divisor is the number of
  /// folds minus one.
  void print_means() const {
    for (const Row& row : rows_) {
      const auto folds = static_cast<double>(row.values.size());
      const double mean = mean_of(row);
      double squares = 0;
      for (const double value : row.values) squares += (value - mean) * (value - mean);
      std::printf("validation %s: mean %.6g, deviation %.6g\n", row.name.c_str(), mean,
                  std::sqrt(squares / (folds - 1)));
    }
  }

 private:
  struct Row {
    std::string name;
    std::vector<double> values = {};
  };

  static double mean_of(const Row& row) {
    return std::accumulate(row.values.begin(), row.values.end(), 0.0) / static_cast<double>(row.values.size());
  }

  void add_to(std::size_t row, const std::string& name, double value) {
    if (row == rows_.size()) rows_.push_back({name});
    rows_[row].values.push_back(value);
  }

  std::vector<Row> rows_;
  bool squares_ = false;
};

}  // namespace

int cross_validate(const TrainOptions& options) {
  check(options);
  const int folds = options.cross_validate;
  FoldTable table;
  // In a trial, each fold makes one report, and their number may be limited.
  const std::int64_t most = tune::most_reports();
  for (int fold = 1; fold <= folds && (most == 0 || fold <= most); ++fold) {
    const std::string title = "fold " + std::to_string(fold) + " of " + std::to_string(folds);
    const FoldResult result = train_fold(options_of_fold(options, fold), title);
    if (result.evaluation) {
      table.add(*result.evaluation);
      table.tell(fold);
    }
    if (result.evaluation && !options.quiet) table.print_last(title);
    if (result.signal && (fold < folds || !result.evaluation)) {
      std::printf("stopped by %s after step %lld of %s; a cross-validation cannot be resumed\n",
                  signal_text(*result.signal), static_cast<long long>(result.steps), title.c_str());
      return kSignalled + *result.signal;
    }
  }
  table.print_means();
  return 0;
}

}  // namespace troupe::cli
