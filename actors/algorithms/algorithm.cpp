#include "actors/algorithms/algorithm.hpp"

#include "actors/algorithms/asynchronous.hpp"
#include "actors/algorithms/lbfgs/lbfgs.hpp"
#include "actors/algorithms/local.hpp"
#include "actors/algorithms/synchronous.hpp"
#include "actors/messages/bounds.hpp"
#include "runtime/invalid.hpp"
#include "runtime/suggestion.hpp"

namespace troupe {
namespace {

void check_between(int value, int least, const char* name) {
  if (value < least || value > kMostGradients)
    throw_invalid(std::string(name) + " is " + std::to_string(value) + ", not " + std::to_string(least) + " to " +
                  std::to_string(kMostGradients));
}

}  // namespace

StateDescription Algorithm::state(const UpdateRules& optimizer, int /*num_shards*/,
                                  std::int64_t /*steps_per_epoch*/) const {
  StateDescription state;
  for (int vector = 0; vector < optimizer.state_vectors(); ++vector)
    state.saved.push_back(optimizer.state_name(vector));
  state.shape.vectors = 1 + optimizer.state_vectors();
  return state;
}

bool has_servers(const Options& options) {
  const AsynchronousOptions& o = options.asynchronous;
  check_between(o.fetch_every, 1, "fetch_every");
  check_between(o.push_every, 1, "push_every");
  check_between(o.staleness, 0, "staleness");
  check_between(o.max_staleness, -1, "max_staleness");
  const std::string& name = options.algorithm;
  if (name == "synchronous" || name == "downpour") return name == "downpour";
  // With no worker ahead of another a clock's gradients make one version: the synchronous step.
  if (name == "ssp") return o.staleness > 0;
  if (name == "local" || name == "lbfgs") return false;
  throw_invalid("there is no algorithm '" + name + "'; there are synchronous, downpour, ssp, local, lbfgs" +
                did_you_mean(name, {"synchronous", "downpour", "ssp", "local", "lbfgs"}));
}

std::unique_ptr<Algorithm> make_algorithm(const Options& options) {
  const bool servers = has_servers(options);
  if (options.algorithm == "local") return std::make_unique<Local>(options.local);
  if (options.algorithm == "lbfgs") return std::make_unique<Lbfgs>(options.lbfgs);
  if (!servers) return std::make_unique<Synchronous>();
  const RecordedRun run{{"algorithm", options.algorithm},
                        {"optimizer", options.optimizer.kind},
                        {"seed", std::to_string(options.seed)},
                        {"shards", std::to_string(options.num_shards)},
                        {"workers", std::to_string(options.num_workers.max)}};
  AsynchronousOptions o = options.asynchronous;
  if (options.algorithm == "downpour")
    return std::make_unique<Asynchronous>(Clocks::Rules{o.fetch_every, o.push_every, std::nullopt}, o, run);
  o.max_staleness = -1;
  return std::make_unique<Asynchronous>(Clocks::Rules{1, 1, o.staleness}, o, run);
}

}  // namespace troupe
