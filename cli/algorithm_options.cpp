#include "cli/algorithm_options.hpp"

#include <algorithm>
#include <utility>

#include "actors/algorithms/known_algorithms.hpp"
#include "cli/config/config_keys.hpp"
#include "cli/run_options.hpp"
#include "runtime/invalid.hpp"

namespace troupe::cli {

void AlgorithmOptions::add_to(CLI::App& app) {
  app.add_option("--algorithm", name_,
                 "How steps update weights: synchronous; downpour (workers fetch and push independently); ssp (a "
                 "worker may be ahead of the slowest by --staleness); local (each shard takes --local-steps on its "
                 "own copy of the weights, then the copies are averaged); or lbfgs")
      ->check(one_of(algorithm_names()));
  add_lbfgs(app);
  add_local(app);
  add_servers(app);
}

void AlgorithmOptions::add_lbfgs(CLI::App& app) {
  const auto own = [this](CLI::Option* option) { return of({"lbfgs"}, option); };
  own(app.add_option("--history", lbfgs_.history, "lbfgs: pairs of step and gradient change to keep, 1 to 100"))
      ->check(whole_number(1));
  own(app.add_option("--tolerance", lbfgs_.tolerance,
                     "lbfgs: stop once no float of the gradient (with penalty) is larger"));
  own(app.add_option("--max-evaluations", lbfgs_.max_evaluations, "lbfgs: maximum evaluations per line search"))
      ->check(whole_number(1));
  own(app.add_option("--portions", lbfgs_.portions,
                     "lbfgs: number of portions of the samples, which free workers take; each needs memory for a "
                     "gradient; 0: 16"))
      ->check(whole_number(0));
  own(app.add_option("--backup-portions", lbfgs_.backup_portions,
                     "lbfgs: how many of the last portions a second worker also computes; the first result counts"))
      ->check(whole_number(0));
  own(app.add_flag("--freeze", lbfgs_.freeze, "lbfgs: batch-norm and dropout compute as in evaluations"));
}

void AlgorithmOptions::add_local(CLI::App& app) {
  const auto own = [this](CLI::Option* option) { return of({"local"}, option); };
  own(app.add_option("--local-steps", local_.steps, "local: steps of each shard between two averages"))
      ->check(whole_number(1));
  own(app.add_option("--outer", outer_,
                     "local: how the mean of the copies is used: as the new weights (average), or its change as a "
                     "gradient with momentum (nesterov; the shards' own steps then use adamw, unless --optimizer is "
                     "given)"))
      ->check(one_of({"average", "nesterov"}));
  of_nesterov_ = {
      own(app.add_option("--outer-learning-rate", nesterov_.learning_rate, "local: rate of --outer nesterov")),
      own(app.add_option("--outer-momentum", nesterov_.momentum, "local: momentum of --outer nesterov"))};
}

void AlgorithmOptions::add_servers(CLI::App& app) {
  const auto of_downpour = [this](CLI::Option* option) { return of({"downpour"}, option); };
  const auto of_both = [this](CLI::Option* option) { return of({"downpour", "ssp"}, option); };
  of_downpour(app.add_option("--fetch-every", downpour_.fetch_every,
                             "downpour: steps of a worker between two fetches of weights"))
      ->check(whole_number(1));
  of_downpour(app.add_option("--push-every", downpour_.push_every,
                             "downpour: steps whose gradients a worker adds up for a push"))
      ->check(whole_number(1));
  of_downpour(
      app.add_option("--max-staleness", downpour_.max_staleness,
                     "downpour: drop a push if others have pushed more often since the worker's fetch; -1: never"));
  of_both(app.add_option("--servers", servers_,
                         "downpour, ssp: parameter servers; 0: one per core, or all nodes of a cluster"))
      ->check(whole_number(0));
  of_both(
      app.add_option("--record", files_.record, "downpour, ssp: record the order of pushes and fetches in this file"));
  of_both(app.add_option("--replay", files_.replay, "downpour, ssp: replay such a file, bitwise identical"));
  of({"downpour", "ssp", "local", "lbfgs"},
     app.add_option("--warm-start", warm_start_, "Except synchronous: number of synchronous steps at the start"))
      ->check(whole_number(0));
  of({"ssp"}, app.add_option("--staleness", ssp_.staleness,
                             "ssp: steps by which a worker may be ahead of the slowest; 0: synchronous"))
      ->check(whole_number(0));
}

CLI::Option* AlgorithmOptions::of(std::vector<std::string> algorithms, CLI::Option* option) {
  owned_.push_back({option, std::move(algorithms)});
  return option;
}

void AlgorithmOptions::hide(CLI::App& app) const {
  app.get_option("--algorithm")->group("");
  for (const Owned& each : owned_) app.get_option(flag_of(*each.option))->group("");
}

Algorithm AlgorithmOptions::chosen() const {
  for (const auto& [option, algorithms] : owned_)
    if (option->count() > 0 && std::ranges::count(algorithms, name_) == 0)
      throw_invalid(flag_of(*option) + " is for algorithm " + algorithms.front() + ", but this is " + name_);
  for (const CLI::Option* option : of_nesterov_)
    if (option->count() > 0 && outer_ != "nesterov")
      throw_invalid(flag_of(*option) + " is for --outer nesterov, but this is " + outer_);
  Algorithm algorithm = algorithm_by_name(name_);
  const auto fill = [&](auto& kind) {
    kind.servers = servers_;
    kind.warm_start = warm_start_;
    kind.record = files_.record;
    kind.replay = files_.replay;
  };
  if (auto* const downpour = std::get_if<Downpour>(&algorithm)) fill(*downpour = downpour_);
  if (auto* const ssp = std::get_if<Ssp>(&algorithm)) fill(*ssp = ssp_);
  if (auto* const local = std::get_if<LocalSgd>(&algorithm)) {
    *local = local_;
    local->warm_start = warm_start_;
    if (outer_ == "nesterov") local->outer = nesterov_;
  }
  if (auto* const lbfgs = std::get_if<Lbfgs>(&algorithm)) {
    *lbfgs = lbfgs_;
    lbfgs->warm_start = warm_start_;
  }
  return algorithm;
}

}  // namespace troupe::cli
