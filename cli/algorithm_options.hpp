#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "troupe/algorithms.hpp"

namespace troupe::cli {

/// The command-line options that select an algorithm, such as L-BFGS, and set the parameters of the algorithms.
class AlgorithmOptions {
 public:
  /// Adds the options to a command.
  void add_to(CLI::App& app);

  /// Hides these options in the output of `--help`. The command still accepts them.
  void hide(CLI::App& app) const;
  /// Returns the algorithm that the user has selected, with its parameters.
  /// @throws Error invalid_argument if the user typed an option that is only valid for another algorithm
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
  /// Marks `option` as valid only for the algorithms with the names `algorithms`. Returns `option`.
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
