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
#include "troupe/predictor.hpp"
#include "troupe/sgd.hpp"

namespace troupe::cli {

/// The command-line options for model, data and workers, which the commands `train` and `evaluate` share.
struct CommandOptions {
  /// Name of the model. If --model was not typed, a model in the file of `load` is used instead.
  std::string model = "cnn";
  std::optional<std::string> data;  ///< not set: the model's default data
  /// Validation set: a fraction of the training set, such as "0.1", a fold of the training set, such as "fold:2/5", or
  /// the name of other data; empty: no validation set.
  std::string validate;
  /// Transforms of each sample, in the format of `troupe::data::transform`. If not set, the transforms in the file of
  /// `load` are applied.
  std::optional<std::string> transform;
  std::optional<std::string> loss;  ///< name of the loss function; not set: the first one that fits the data
  std::vector<std::string> metrics;
  std::vector<std::string> model_options;  ///< texts of the form NAME=NUMBER
  std::int64_t batch_size = 64;
  std::int64_t micro_batch = 0;
  std::string placement = "in-process";
  std::string precision = "f32";
  std::optional<std::string> load;
  bool measures = false;  ///< true: if the data has no test set, all of the data is evaluated as the test set
  /// True: the last layer of the network in `load` is replaced, because the data has other classes or targets.
  bool new_head = false;
  Options sgd;
  OptimizerSettings optimizer;
  std::string faults;  ///< faults to inject, in the format of `faults_of`
  AlgorithmOptions algorithm;

  /// Adds the options to a command.
  void add_to(CLI::App& app);
  /// Hides the options that have an effect only on training steps in the output of `--help`. The command still accepts
  /// these options, because configuration files for `train` contain them.
  void hide_training(CLI::App& app) const;
  /// Converts these options to the library's `Options`, whose `config` contains the configuration of the model.
  Options to_sgd_options() const;
  /// Starts the run and its workers, and returns the run. If `load` is set and no checkpoint was resumed, loads the
  /// weights of `load`. Logs a message if bf16 is requested but not available.
  DistributedSGD start() const;
  /// Returns the name of the network for messages: the name of the model, such as "cnn", or "the network of FILE" if
  /// the file of `load` describes the network.
  std::string model_text() const;
  /// Returns whether the loss of an evaluation is the squared error. If so, the evaluation has no accuracy.
  bool learns_squares(const Evaluation& evaluation) const;
  /// Returns whether the name of the data (`--data`) selects a fold, as in "fold:2/5:DATA".
  bool has_fold() const;
  /// Returns whether these options select a validation set.
  bool validates() const { return !validate.empty() || has_fold(); }

 private:
  /// Returns the network to train or evaluate. If `load` is set, reads its file on the first call.
  const TrainedNetwork& trained() const;

  mutable std::optional<TrainedNetwork> trained_;
  const CLI::Option* said_model_ = nullptr;
  const CLI::Option* said_batch_size_ = nullptr;
};

/// Returns a number as text with at most six significant digits, such as "60", "0.5" or "1e-06".
std::string short_text(double value);

/// Adds an option that sets `time`. The option's value is in seconds, more than 0 and at most 1,000,000. The default is
/// the value that `time` has now.
/// @param text the description of the option in the help
CLI::Option* add_seconds(CLI::App& app, const char* flag, std::chrono::milliseconds& time, const char* text);
/// Adds the option --data-cache, which sets the environment variable of the cache for this process and its children.
void add_data_cache(CLI::App& app);
/// Adds an option that sets `time`, the maximum time without a sign of life from a worker or node. The option's value
/// is in seconds. The value 0 means no limit.
/// @param text the description of the option in the help
CLI::Option* add_limit(CLI::App& app, const char* flag, std::chrono::milliseconds& time, const char* text);

/// Returns a check for an option that accepts only whole numbers of at least `least`. Without this check, CLI11 would
/// convert -1 to a large unsigned number.
CLI::Validator whole_number(std::uint64_t least);

/// Returns a check for an option that accepts any text except an empty text. An empty text is usually an error: a shell
/// passes one for a variable that is not set.
CLI::Validator not_empty();

/// Returns a check for an option that accepts only the given words. For another word, the error message suggests a
/// similar word from the list.
CLI::Validator one_of(std::vector<std::string> words);

/// Returns a check for an option that accepts only names of registered optimizers. For another name, the error message
/// lists the registered names.
CLI::Validator registered_optimizer();

/// Adds the options that set PredictorOptions, such as `--device`.
void add_predictor_options(CLI::App& app, PredictorOptions& options);
/// Adds the options for workers, their devices and memory, and the cluster, such as `--placement` and `--workers`.
void add_worker_options(CLI::App& app, Options& sgd, std::string& placement);
/// Returns the placement with the name `name`, such as "in-process". The name must be valid.
Placement parse_placement(const std::string& name);

}  // namespace troupe::cli
