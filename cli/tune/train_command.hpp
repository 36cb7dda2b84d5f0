#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// A `troupe train` command for the trials of a search. Some arguments are fixed for all trials, others are a trial's
/// values.
class TrainCommand {
 public:
  /// @param arguments {KEY} in an argument is replaced by a trial's value. @throws Error invalid_argument for arguments
  /// that are not allowed in trials, such as --save
  explicit TrainCommand(std::vector<std::string> arguments);

  /// Returns the arguments of `troupe train` for these values. @throws Error invalid_argument for a key that is neither
  /// an option nor a placeholder in an argument
  std::vector<std::string> words(const nlohmann::json& values) const;
  /// Checks the values. @throws Error invalid_argument as for typed arguments
  void check(const nlohmann::json& values) const;
  /// Trains with such arguments. @throws Error as `troupe train`; worker_lost if a signal ended the training
  static void run(const std::vector<std::string>& words);
  /// Returns the value that was typed after a flag; empty if the flag was not typed.
  std::string typed(const std::string& flag) const;

 private:
  std::vector<std::string> arguments_;
};

}  // namespace troupe::cli
