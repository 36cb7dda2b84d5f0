#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "troupe/algorithms.hpp"

namespace troupe::cli {

/// The options of a command that choose an algorithm, such as L-BFGS, and set its parameters.
class AlgorithmOptions {
 public:
  /// Adds the options to a command.
  void add_to(CLI::App& app);

  /// Hides the options from `--help`.
  void hide(CLI::App& app) const;
  /// Returns the chosen algorithm with its parameters. @throws Error invalid_argument if an option of another algorithm
  /// was typed
  Algorithm chosen() const;

  const std::string& name() const { return name_; }
  const std::string& record() const { return files_.record; }
  const std::string& replay() const { return files_.replay; }
  std::int64_t warm_start() const { return warm_start_; }
  int local_steps() const { return local_.steps; }
  const Lbfgs& lbfgs() const { return lbfgs_; }

 private:
  void add_servers(CLI::App& app);
  void add_local(CLI::App& app);
  void add_lbfgs(CLI::App& app);
  /// Marks an option as valid only for the given algorithms. Returns the option.
  CLI::Option* of(std::vector<std::string> algorithms, CLI::Option* option);

  struct Files {
    std::string record;
    std::string replay;
  };
  /// An option, and the algorithms for which it is valid.
  struct Owned {
    const CLI::Option* option;
    std::vector<std::string> algorithms;
  };

  std::string name_ = "synchronous";
  Downpour downpour_;
  Ssp ssp_;
  LocalSgd local_;
  std::string outer_ = "average";
  OuterNesterov nesterov_;
  Lbfgs lbfgs_;
  Files files_;
  int servers_ = 0;
  std::int64_t warm_start_ = 0;
  std::vector<Owned> owned_;
  std::vector<const CLI::Option*> of_nesterov_;
};

}  // namespace troupe::cli
