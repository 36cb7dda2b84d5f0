#include "actors/driver/algorithm_in_use.hpp"

#include <utility>

namespace troupe {

AlgorithmInUse::AlgorithmInUse(const Options& options, const UpdateRules& optimizer)
    : options_(options), optimizer_(optimizer), now_(make_runner({})) {}

void AlgorithmInUse::begin() {
  auto wanted = make_runner(options_);
  (traits().warm_start > 0 ? awaited_ : now_) = std::move(wanted);
}

const char* AlgorithmInUse::name() const { return awaited_ ? to_string(Synchronous()) : to_string(options_.algorithm); }

std::unique_ptr<AlgorithmRunner> AlgorithmInUse::exchange(std::unique_ptr<AlgorithmRunner> next) {
  awaited_.reset();
  return std::exchange(now_, std::move(next));
}

void AlgorithmInUse::begin_warm_start() {
  if (awaited_ || traits().warm_start == 0 || traits().has_servers) return;
  awaited_ = make_runner(options_);
  now_ = make_runner({});
}

bool AlgorithmInUse::warm_start_is_over(std::int64_t step) const { return awaited_ && step >= traits().warm_start; }

bool AlgorithmInUse::is_of_warm_start(std::int64_t step, const std::vector<std::string>& saved,
                                      std::int64_t steps_per_epoch) const {
  const std::int64_t left = traits().warm_start - step;
  if (awaited_ || traits().warm_start == 0 || traits().has_servers || left < 0) return false;
  if (saved != state_of_warm_start(steps_per_epoch).saved) return false;
  return left > 0 || saved != state(steps_per_epoch).saved;
}

/// During a warm start, replicas are built for synchronous steps, with one exception: if the awaited algorithm sends
/// requests to replicas while they compute (`hears`), the replicas are already built for this. This does not change
/// synchronous steps.
BuiltFor AlgorithmInUse::built_for() const {
  const BuiltFor built = traits().built_for;
  return awaited_ ? BuiltFor{.hears = built.hears} : built;
}

bool AlgorithmInUse::passes() const { return traits().passes && !awaited_; }

void AlgorithmInUse::check(const ModelDescription& model, const BuiltFor& built) const {
  if (!built.frozen) now_->check(model);
  if (awaited_ && !traits().built_for.frozen) awaited_->check(model);
}

}  // namespace troupe
