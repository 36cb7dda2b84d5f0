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

/// The options for model, data and workers that `train` and `evaluate` share.
struct CommandOptions {
  std::string model = "cnn";        ///< used unless the file of `load` has another model and --model was not typed
  std::optional<std::string> data;  ///< not set: the model's default data
  std::string validate;  ///< validation set: a share of the training set, such as "0.1", a fold of it, or the name of
                         ///< other data; empty: none
  /// Transforms of each sample, as for `troupe::data::transform`. If not set, the transforms in the file of `load`
  /// apply.
  std::optional<std::string> transform;
  std::optional<std::string> loss;  ///< not set: the first that fits the data
  std::vector<std::string> metrics;
  std::vector<std::string> model_options;  ///< texts NAME=NUMBER
  std::int64_t batch_size = 64;
  std::string placement = "in-process";
  std::string precision = "f32";
  std::optional<std::string> load;
  bool measures = false;  ///< whether to evaluate data that has no test set as if it were a test set
  bool new_head = false;  ///< whether to replace the last layer of the network in `load`, because the data has other
                          ///< classes or targets
  Options sgd;
  OptimizerSettings optimizer;
  std::string faults;  ///< see faults_of
  AlgorithmOptions algorithm;

  /// Adds the options to a command.
  void add_to(CLI::App& app);
  /// Hides options that matter only for training steps from `--help`. They are still accepted, because configuration
  /// files for `train` contain them.
  void hide_training(CLI::App& app) const;
  /// Returns the options as the library's `Options`, with the model's configuration.
  Options to_sgd_options() const;
  /// Starts the run and its workers. Loads the weights of `load`, unless it is not set or a checkpoint was resumed.
  /// Logs a message if bf16 is requested but not available.
  DistributedSGD start() const;
  /// Returns a name of the network for messages: the model's name, such as "cnn", or "the network of FILE".
  std::string model_text() const;
  /// Returns whether the loss of an evaluation is the squared error, so that the evaluation has no accuracy.
  bool learns_squares(const Evaluation& evaluation) const;
  /// Returns whether the name of the data selects a fold, as in "fold:2/5:DATA".
  bool has_fold() const;
  /// Returns whether there is a validation set.
  bool validates() const { return !validate.empty() || has_fold(); }

 private:
  /// Returns the network to train. Reads the file of `load` on the first call.
  const TrainedNetwork& trained() const;

  mutable std::optional<TrainedNetwork> trained_;
  const CLI::Option* said_model_ = nullptr;
  const CLI::Option* said_batch_size_ = nullptr;
};

/// Returns a number as text with at most six significant digits: "60", "0.5", "1e-06".
std::string short_text(double value);

/// Adds an option that sets `time`, in seconds. The value must be more than 0 and at most 1,000,000; the current value
/// of `time` is the default.
CLI::Option* add_seconds(CLI::App& app, const char* flag, std::chrono::milliseconds& time, const char* text);
/// Adds an option like `add_seconds` for a limit on silence. The value 0 is allowed, and means no limit.
CLI::Option* add_limit(CLI::App& app, const char* flag, std::chrono::milliseconds& time, const char* text);

/// Returns a check that accepts whole numbers of at least `least`. (CLI11 alone converts -1 to a large unsigned
/// number.)
CLI::Validator whole_number(std::uint64_t least);

/// Returns a check that accepts any text except an empty one. A shell passes an empty text for a variable that is not
/// set.
CLI::Validator not_empty();

/// Returns a check that accepts only the given words. Its error for another word suggests a similar one.
CLI::Validator one_of(std::vector<std::string> words);

/// Returns a check that accepts names of registered optimizers. Its error for another name lists them.
CLI::Validator registered_optimizer();

/// Adds the options for workers, their devices and memory, and the cluster, such as `--placement` and `--workers`.
void add_worker_options(CLI::App& app, Options& sgd, std::string& placement);
/// Returns the placement with this name, which must be valid.
Placement parse_placement(const std::string& name);

}  // namespace troupe::cli
