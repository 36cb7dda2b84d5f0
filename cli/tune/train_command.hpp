#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// The command `troupe train` that the trials of a hyperparameter search run. Some of its arguments are the same for
/// all trials. The other arguments are the values of one trial.
class TrainCommand {
 public:
  /// @param arguments the arguments that are the same for all trials. An argument may contain placeholders {KEY}, which
  /// are replaced by a trial's value of KEY.
  /// @throws Error invalid_argument for arguments that are not allowed in trials, such as --save
  explicit TrainCommand(std::vector<std::string> arguments);

  /// Returns the arguments of `troupe train` for a trial.
  /// @param values the values of the trial: a JSON object whose keys are options or placeholders
  /// @throws Error invalid_argument for a key that is neither an option nor a placeholder in an argument
  std::vector<std::string> words(const nlohmann::json& values) const;
  /// Checks the arguments of `troupe train` for the trial with the values `values`. Does not train.
  /// @throws Error invalid_argument for arguments that `troupe train` would refuse
  void check(const nlohmann::json& values) const;
  /// Runs `troupe train` in this process, with arguments that the member function `words` has returned.
  /// @throws Error as `troupe train`; worker_lost if the training ends with a status other than 0, for example after a
  /// signal
  static void run(const std::vector<std::string>& words);
  /// Returns the value of an option in the arguments that are the same for all trials. Returns an empty text if these
  /// arguments do not contain the option.
  /// @param flag the option with dashes, such as "--epochs"
  std::string typed(const std::string& flag) const;

 private:
  std::vector<std::string> arguments_;
};

}  // namespace troupe::cli
