#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// The `troupe train` command of the trials of a search. Some of its arguments are the same for all trials, the others
/// are values of a trial.
class TrainCommand {
 public:
  /// @param arguments the arguments that are the same for all trials. A text {KEY} in an argument is replaced by the
  /// trial's value of KEY.
  /// @throws Error invalid_argument for arguments that are not allowed in trials, such as --save
  explicit TrainCommand(std::vector<std::string> arguments);

  /// Returns the arguments of `troupe train` for the values of a trial. @throws Error invalid_argument for a key that
  /// is neither an option nor a placeholder in an argument
  std::vector<std::string> words(const nlohmann::json& values) const;
  /// Checks the arguments for the values of a trial, without training. @throws Error invalid_argument as for typed
  /// arguments
  void check(const nlohmann::json& values) const;
  /// Trains with the arguments that `words` returns. @throws Error as `troupe train`; worker_lost if the training ends
  /// with a status other than 0, for example after a signal
  static void run(const std::vector<std::string>& words);
  /// Returns the value of a flag in the arguments that are the same for all trials; empty if they do not contain the
  /// flag.
  std::string typed(const std::string& flag) const;

 private:
  std::vector<std::string> arguments_;
};

}  // namespace troupe::cli
