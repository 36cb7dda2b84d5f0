#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/algorithm_options.hpp"
#include "cli/trained_network.hpp"
#include "models/optimizers/settings.hpp"
#include "troupe/sgd.hpp"

namespace troupe::cli {

/// The options of `train` and `evaluate` for model, data and workers.
struct CommandOptions {
  std::string model = "cnn";        ///< unless `load` has another model and the command line names none
  std::optional<std::string> data;  ///< empty: the model's default data
  std::string validate;             ///< a share or fold of the training set, or the name of other data; empty: none
  /// See `troupe::data::transform`. If empty, the transforms in the file of `load` apply.
  std::optional<std::string> transform;
  std::optional<std::string> loss;  ///< empty: chosen by the data
  std::vector<std::string> metrics;
  std::vector<std::string> model_options;  ///< NAME=NUMBER
  std::int64_t batch_size = 64;
  std::string placement = "in-process";
  std::string precision = "f32";
  std::optional<std::string> load;
  bool measures = false;  ///< data without a test set is itself evaluated
  bool new_head = false;  ///< the data has other classes or targets than the network in `load`
  Options sgd;
  OptimizerSettings optimizer;
  std::string faults;  ///< see faults_of
  AlgorithmOptions algorithm;

  /// Adds the options that the commands share.
  void add_to(CLI::App& app);
  /// Hides options that matter only for training steps from `--help`. They are still accepted, because configurations
  /// contain them.
  void hide_training(CLI::App& app) const;
  /// Returns the library's options, with the model's configuration.
  Options to_sgd_options() const;
  /// Starts the workers, with the weights of `load` if it is given and no checkpoint was resumed. Logs if bf16 is
  /// requested but not available.
  DistributedSGD start() const;
  /// Returns "cnn", or "the network of FILE".
  std::string model_text() const;
  /// Returns whether an evaluation measures squared errors, so that there is no accuracy.
  bool learns_squares(const Evaluation& evaluation) const;
  /// Returns whether the name of the data selects a fold.
  bool has_fold() const;
  /// Returns whether there is a validation set.
  bool validates() const { return !validate.empty() || has_fold(); }

 private:
  /// Reads the network of `load` on the first call.
  const TrainedNetwork& trained() const;

  mutable std::optional<TrainedNetwork> trained_;
  const CLI::Option* said_model_ = nullptr;
  const CLI::Option* said_batch_size_ = nullptr;
};

/// Formats a number as short as it is usually written: "60", "0.5", "1e-06".
std::string short_text(double value);

/// Adds an option of seconds, greater than 0, with the current value of `time` as default.
CLI::Option* add_seconds(CLI::App& app, const char* flag, std::chrono::milliseconds& time, const char* text);
/// The same for a limit on silence: 0 means never.
CLI::Option* add_limit(CLI::App& app, const char* flag, std::chrono::milliseconds& time, const char* text);

/// Accepts whole numbers of at least `least`. (CLI11 alone converts -1 to a large unsigned number.)
CLI::Validator whole_number(std::uint64_t least);

/// Accepts any text except an empty one, which a shell passes for an unset variable.
CLI::Validator not_empty();

/// Accepts these words, and suggests a similar one for other words.
CLI::Validator one_of(std::vector<std::string> words);

/// Accepts names of registered optimizers, and lists them in the error for other names.
CLI::Validator registered_optimizer();

/// Adds `--placement`, `--strategy`, `--workers`, `--devices-per-worker` and `--store-bytes`.
void add_worker_options(CLI::App& app, Options& sgd, std::string& placement);
Placement parse_placement(const std::string& name);

}  // namespace troupe::cli
