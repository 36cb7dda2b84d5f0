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

/// What `train` and `evaluate` are told about model, data and workers.
struct CommandOptions {
  std::string model = "cnn";        ///< unless `load` says another, and the command line none
  std::optional<std::string> data;  ///< without it the model's own
  std::string validate;             ///< a share or fold of the training set, or data by its name; empty: nothing
  /// See `troupe::data::transform`. Without it as `load` says that its network's samples were.
  std::optional<std::string> transform;
  std::optional<std::string> loss;  ///< without it by the data
  std::vector<std::string> metrics;
  std::vector<std::string> model_options;  ///< NAME=NUMBER
  std::int64_t batch_size = 64;
  std::string placement = "in-process";
  std::string precision = "f32";
  std::optional<std::string> load;
  bool measures = false;  ///< data without a test set is measured itself
  bool new_head = false;  ///< the data has other classes or targets than the network of `load`
  Options sgd;
  OptimizerSettings optimizer;
  std::string faults;  ///< see faults_of
  AlgorithmOptions algorithm;

  /// Adds the options that the commands share.
  void add_to(CLI::App& app);
  /// Lets `--help` say nothing of options that count for steps alone. They are taken, as configurations have them.
  void hide_training(CLI::App& app) const;
  /// The library's options and the model's configuration.
  Options to_sgd_options() const;
  /// Starts the workers, with the weights of `load` where it is given and no checkpoint was gone on from. Says where
  /// bf16 is asked for and not there.
  DistributedSGD start() const;
  /// "cnn", or "the network of FILE".
  std::string model_text() const;
  /// Whether what an evaluation measured has no accuracy, but squares.
  bool learns_squares(const Evaluation& evaluation) const;
  /// Whether the data is a fold, by its name.
  bool has_fold() const;
  /// Whether there is a validation set.
  bool validates() const { return !validate.empty() || has_fold(); }

 private:
  /// Read once.
  const TrainedNetwork& trained() const;

  mutable std::optional<TrainedNetwork> trained_;
  const CLI::Option* said_model_ = nullptr;
  const CLI::Option* said_batch_size_ = nullptr;
};

/// A number as short as it is said: "60", "0.5", "1e-06".
std::string short_text(double value);

/// Adds an option of seconds, above 0, that are `time` unless told.
CLI::Option* add_seconds(CLI::App& app, const char* flag, std::chrono::milliseconds& time, const char* text);
/// The same of silence: 0 is never.
CLI::Option* add_limit(CLI::App& app, const char* flag, std::chrono::milliseconds& time, const char* text);

/// Takes whole numbers from `least` on; CLI11 by itself turns -1 into a large unsigned number.
CLI::Validator whole_number(std::uint64_t least);

/// Takes any text but the empty one, which a shell makes of a variable that is not set.
CLI::Validator not_empty();

/// Takes these words, and suggests one for what is none of them.
CLI::Validator one_of(std::vector<std::string> words);

/// Takes names of optimizers that there are, and lists them for others.
CLI::Validator registered_optimizer();

/// Adds `--placement`, `--strategy`, `--workers`, `--devices-per-worker` and `--store-bytes`.
void add_worker_options(CLI::App& app, Options& sgd, std::string& placement);
Placement parse_placement(const std::string& name);

}  // namespace troupe::cli
