#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "troupe/algorithms.hpp"

namespace troupe::cli {

/// The command's options for algorithms. Options that belong to another algorithm than the chosen one are errors.
class AlgorithmOptions {
 public:
  void add_to(CLI::App& app);

  /// Hides the options from `--help`.
  void hide(CLI::App& app) const;
  /// @throws Error invalid_argument for options that belong to another algorithm
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
  /// Marks an option as valid for these algorithms only. Returns the option.
  CLI::Option* of(std::vector<std::string> algorithms, CLI::Option* option);

  struct Files {
    std::string record;
    std::string replay;
  };
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
