#include "actors/algorithms/known_algorithms.hpp"

#include <filesystem>
#include <limits>
#include <type_traits>

#include "actors/algorithms/asynchronous.hpp"
#include "actors/algorithms/lbfgs/lbfgs.hpp"
#include "actors/algorithms/local.hpp"
#include "actors/algorithms/synchronous.hpp"
#include "actors/messages/bounds.hpp"
#include "models/optimizers/update_rules.hpp"
#include "runtime/files/absolute_path.hpp"
#include "runtime/invalid.hpp"
#include "runtime/suggestion.hpp"

namespace troupe {
namespace {

constexpr int kMostServers = 256;

template <class Kind>
constexpr const char* kName = "";
template <>
constexpr const char* kName<Synchronous> = "synchronous";
template <>
constexpr const char* kName<Downpour> = "downpour";
template <>
constexpr const char* kName<Ssp> = "ssp";
template <>
constexpr const char* kName<LocalSgd> = "local";
template <>
constexpr const char* kName<Lbfgs> = "lbfgs";

template <class Kind>
constexpr bool kHasServers = std::is_same_v<Kind, Downpour> || std::is_same_v<Kind, Ssp>;

/// Calls `use` once for each algorithm, with the algorithm's default options.
template <class Use, class... Kinds>
void each_kind(const Use& use, const std::variant<Kinds...>* /*of*/) {
  (use(Kinds()), ...);
}
template <class Use>
void each_kind(const Use& use) {
  each_kind(use, static_cast<const Algorithm*>(nullptr));
}

/// Checks options of one algorithm. If an option is invalid, throws an error that contains the option's full name, such
/// as "ssp.staleness".
template <class Kind>
struct Refuses {
  void range(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) const {
    if (value < least || value > most)
      throw_invalid(full(name) + " is " + std::to_string(value) + ", not " + std::to_string(least) + " to " +
                    std::to_string(most));
  }
  void number(const char* name, double value, const char* wanted, bool good) const {
    if (!good) throw_invalid(full(name) + " is " + std::to_string(value) + ", not " + wanted);
  }
  static std::string full(const char* name) { return std::string(kName<Kind>) + "." + name; }
};

[[noreturn]] void refuse(const Options& o, const char* what) {
  throw Error(ErrorCode::unsupported,
              std::string("algorithm ") + to_string(o.algorithm) + " cannot be combined with " + what);
}

void check(const Synchronous& /*kind*/, const Options& /*options*/) {}

/// Returns whether SSP with these options is run as synchronous steps. With staleness 0, no worker may be ahead of
/// another. Therefore each version is computed from one gradient of every shard, as in a synchronous step.
bool is_in_step(const Ssp& ssp) { return ssp.staleness == 0; }
bool is_in_step(const Downpour& /*downpour*/) { return false; }

template <class Kind>
void check_record(const Kind& kind, const Options& o) {
  if (is_in_step(kind) && !(kind.record.empty() && kind.replay.empty()))
    throw_invalid("record and replay are for downpour, and for ssp with a staleness above 0");
  std::error_code ignored;
  const bool same = kind.record == kind.replay || std::filesystem::equivalent(kind.record, kind.replay, ignored);
  if (!kind.record.empty() && same) throw_invalid("record and replay name the same file, " + kind.record);
  if (!kind.replay.empty() && (o.checkpoint.every_steps > 0 || o.checkpoint.every.count() > 0))
    throw_invalid("a replay writes no checkpoints: they would be written at other times than in the recorded run");
}

template <class Kind>
void check_servers(const Kind& kind, const Options& o) {
  Refuses<Kind>().range("servers", kind.servers, 0, kMostServers);
  check_record(kind, o);
  if (is_in_step(kind)) return;
  if (o.gradients.slice_owners > 0) refuse(o, "slice_owners: parameter servers own the slices");
  if (o.fault_tolerance.backup_workers > 0) refuse(o, "backup workers: they are for steps that wait for all workers");
  if (o.gradients.clip_norm > 0) refuse(o, "clip_norm: a parameter server knows only the gradient of its slice");
  if (!settings_of(o).groups.empty()) refuse(o, "groups of tensors (parameter groups or frozen tensors)");
}

void check(const Downpour& kind, const Options& o) {
  const Refuses<Downpour> refuses;
  refuses.range("fetch_every", kind.fetch_every, 1, kMostGradients);
  refuses.range("push_every", kind.push_every, 1, kMostGradients);
  refuses.range("max_staleness", kind.max_staleness, -1, kMostGradients);
  check_servers(kind, o);
}

void check(const Ssp& kind, const Options& o) {
  Refuses<Ssp>().range("staleness", kind.staleness, 0, kMostGradients);
  check_servers(kind, o);
}

void check(const LocalSgd& kind, const Options& o) {
  const Refuses<LocalSgd> refuses;
  refuses.range("steps", kind.steps, 1, kMostLocalSteps);
  if (kind.outer) {
    check_learning_rate(kind.outer->learning_rate, "local.outer.learning_rate");
    const double momentum = kind.outer->momentum;
    refuses.number("outer.momentum", momentum, "in [0, 1)", momentum >= 0 && momentum < 1);
  }
  if (o.gradients.strategy == Strategy::driver) refuse(o, "strategy driver: the owners of slices compute the mean");
  if (o.fault_tolerance.backup_workers > 0)
    refuse(o, "backup workers: only a shard's own worker has its optimizer state");
}

void check(const Lbfgs& kind, const Options& o) {
  const Refuses<Lbfgs> refuses;
  refuses.range("history", kind.history, 1, kMostHistory);
  refuses.range("max_evaluations", kind.max_evaluations, 1, 1000);
  refuses.range("portions", kind.portions, 0, kMostPortions);
  refuses.range("backup_portions", kind.backup_portions, 0, 1000);
  refuses.number("tolerance", kind.tolerance, "a finite number >= 0",
                 kind.tolerance >= 0 && kind.tolerance <= std::numeric_limits<double>::max());
  if (o.gradients.strategy == Strategy::driver) refuse(o, "strategy driver: the driver of L-BFGS holds no vector");
  if (o.fault_tolerance.backup_workers > 0) refuse(o, "backup workers: use lbfgs.backup_portions instead");
  if (o.gradients.clip_norm > 0) refuse(o, "clip_norm: a line search determines the step length");
}

AlgorithmTraits traits(const Synchronous& /*kind*/) { return {.in_step = true}; }
AlgorithmTraits traits(const LocalSgd& /*kind*/) { return {.built_for = {.hears = true}}; }
AlgorithmTraits traits(const Lbfgs& kind) {
  return {.built_for = {.all_shards = true, .frozen = kind.freeze, .hears = true}, .passes = kind.full_batch};
}
template <class Kind>
requires kHasServers<Kind> AlgorithmTraits traits(const Kind& kind) {
  return {.in_step = is_in_step(kind), .has_servers = !is_in_step(kind), .servers = kind.servers};
}

RecordedRun recorded_run(const Options& options) {
  return {{"algorithm", to_string(options.algorithm)},
          {"optimizer", to_string(options.optimizer)},
          {"seed", std::to_string(options.seed)},
          {"shards", std::to_string(options.num_shards)},
          {"workers", std::to_string(options.num_workers.max)}};
}

std::unique_ptr<AlgorithmRunner> make(const Synchronous& /*kind*/, const Options& /*options*/) {
  return std::make_unique<SynchronousRunner>();
}
std::unique_ptr<AlgorithmRunner> make(const Downpour& kind, const Options& options) {
  const Clocks::Rules rules{kind.fetch_every, kind.push_every, std::nullopt};
  return std::make_unique<AsynchronousRunner>(rules, ServerFiles{kind.record, kind.replay, recorded_run(options)},
                                              kind.max_staleness);
}
std::unique_ptr<AlgorithmRunner> make(const Ssp& kind, const Options& options) {
  if (is_in_step(kind)) return make(Synchronous(), options);
  const Clocks::Rules rules{1, 1, kind.staleness};
  return std::make_unique<AsynchronousRunner>(rules, ServerFiles{kind.record, kind.replay, recorded_run(options)});
}
std::unique_ptr<AlgorithmRunner> make(const LocalSgd& kind, const Options& /*options*/) {
  return std::make_unique<LocalRunner>(kind);
}
std::unique_ptr<AlgorithmRunner> make(const Lbfgs& kind, const Options& /*options*/) {
  return std::make_unique<LbfgsRunner>(kind);
}

}  // namespace

const char* to_string(const Algorithm& algorithm) {
  return std::visit([]<class Kind>(const Kind& /*kind*/) { return kName<Kind>; }, algorithm);
}

AlgorithmTraits traits_of(const Algorithm& algorithm) {
  return std::visit(
      []<class Kind>(const Kind& kind) {
        AlgorithmTraits its = traits(kind);
        if constexpr (!std::is_same_v<Kind, Synchronous>) its.warm_start = its.in_step ? 0 : kind.warm_start;
        return its;
      },
      algorithm);
}

void check_algorithm(const Options& options) {
  std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (!std::is_same_v<Kind, Synchronous>)
          Refuses<Kind>().range("warm_start", kind.warm_start, 0, std::numeric_limits<std::int64_t>::max());
        check(kind, options);
      },
      options.algorithm);
}

std::unique_ptr<AlgorithmRunner> make_runner(const Options& options) {
  return std::visit([&](const auto& kind) { return make(kind, options); }, options.algorithm);
}

void make_paths_absolute(Algorithm& algorithm) {
  std::visit(
      []<class Kind>(Kind& kind) {
        if constexpr (kHasServers<Kind>)
          for (std::string* const path : {&kind.record, &kind.replay}) make_absolute(*path);
      },
      algorithm);
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  each_kind([&]<class Kind>(const Kind& /*kind*/) { names.emplace_back(kName<Kind>); });
  return names;
}

Algorithm algorithm_by_name(const std::string& name) {
  std::optional<Algorithm> found;
  each_kind([&]<class Kind>(const Kind& kind) {
    if (name == kName<Kind>) found = kind;
  });
  if (found) return *found;
  std::string all;
  for (const std::string& each : algorithm_names()) all += (all.empty() ? "" : ", ") + each;
  throw_invalid("unknown algorithm '" + name + "'; the algorithms are " + all + did_you_mean(name, algorithm_names()));
}

}  // namespace troupe
