#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace troupe::cli {

/// `troupe train`, as trials of a search run it: some arguments are typed once for all, others are a trial's values.
class TrainCommand {
 public:
  /// @param arguments {KEY} in one of them becomes that value of a trial. @throws Error invalid_argument for those that
  /// a trial cannot have, such as --save
  explicit TrainCommand(std::vector<std::string> arguments);

  /// What would be typed behind `troupe train` for these values. @throws Error invalid_argument for a key that is
  /// neither an option nor in an argument
  std::vector<std::string> words(const nlohmann::json& values) const;
  /// @throws Error invalid_argument, as for what is typed
  void check(const nlohmann::json& values) const;
  /// Trains by such words. @throws Error as `troupe train`; worker_lost where a signal ended it
  static void run(const std::vector<std::string>& words);
  /// What was typed behind a flag; empty where it was not.
  std::string typed(const std::string& flag) const;

 private:
  std::vector<std::string> arguments_;
};

}  // namespace troupe::cli
