#include "actors/driver/option_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "actors/algorithms/algorithm.hpp"
#include "actors/messages/bounds.hpp"
#include "actors/placements/placements.hpp"
#include "actors/rounds/members.hpp"
#include "models/network/device_network.hpp"
#include "models/optimizers/update_rules.hpp"
#include "runtime/silence.hpp"

namespace troupe {
namespace {

/// Says what an open range ends with.
void check_workers(Options& o) {
  WorkerCount& workers = o.num_workers;
  if (workers.is_range() && workers.max == 0) {
    if (o.num_shards == 0) throw_invalid("num_workers has no end, so that num_shards has to be told");
    workers.max = std::max(workers.min, o.num_shards / o.devices_per_worker);
  }
  if (workers.min < 1) throw_invalid("num_workers is " + std::to_string(workers.min) + ", at least 1 is needed");
  if (workers.min > workers.max)
    throw_invalid("num_workers is " + std::to_string(workers.min) + " to " + std::to_string(workers.max));
  if (workers.is_range() && o.placement == Placement::cluster)
    throw_invalid("num_workers is a number with placement cluster");
}

void check_numbers(Options& o) {
  if (o.devices_per_worker < 1)
    throw_invalid("devices_per_worker is " + std::to_string(o.devices_per_worker) + ", at least 1 is needed");
  check_workers(o);
  const std::int64_t replicas = std::int64_t{o.num_workers.max} * o.devices_per_worker;
  if (replicas > 4096)
    throw_invalid(std::to_string(replicas) + " replicas are more than the 4096 that one run can have");
  if (o.num_shards == 0) o.num_shards = static_cast<int>(replicas);
  if (o.num_shards < replicas)
    throw_invalid(
        std::to_string(o.num_shards) + " shards are too few for " + std::to_string(replicas) +
        " replicas (num_workers x devices_per_worker), since each needs one; a checkpoint keeps its number of shards "
        "unless it is resharded");
  if (o.num_shards > 1'000'000) throw_invalid(std::to_string(o.num_shards) + " shards are too many");
}

void check_backups(const Options& o) {
  constexpr int kMostBackups = 8;
  if (o.backup_workers < 0 || o.backup_workers > kMostBackups)
    throw_invalid("backup_workers is " + std::to_string(o.backup_workers) + ", not 0 to " +
                  std::to_string(kMostBackups));
  if (o.backup_workers > 0 && o.backup_workers >= o.num_workers.max)
    throw_invalid("backup_workers is " + std::to_string(o.backup_workers) + ", not less than the " +
                  std::to_string(o.num_workers.max) + " workers");
  if (o.backup_workers > 0 && o.placement == Placement::cluster)
    throw Error(ErrorCode::unsupported, "workers of a cluster do not back each other up");
}

[[noreturn]] void refuse(const Options& o, const char* what) {
  throw Error(ErrorCode::unsupported, "algorithm " + o.algorithm + " does not go with " + what);
}

/// As it is meant now: the process may go to another folder later.
void make_absolute(std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (!path.empty() && !error) path = absolute.string();
}

void check_local(const Options& o) {
  const LocalOptions& l = o.local;
  if (l.steps < 1 || l.steps > kMostLocalSteps)
    throw_invalid("local.steps is " + std::to_string(l.steps) + ", not 1 to " + std::to_string(kMostLocalSteps));
  if (l.outer > OuterRule::nesterov) throw_invalid("local.outer is none of OuterRule");
  check_learning_rate(l.outer_learning_rate, "local.outer_learning_rate");
  if (!(l.outer_momentum >= 0 && l.outer_momentum < 1))
    throw_invalid("local.outer_momentum is " + std::to_string(l.outer_momentum) + ", not from 0 on and below 1");
  if (o.algorithm != "local") return;
  if (o.strategy == Strategy::driver) refuse(o, "strategy driver: owners of slices make the mean");
  if (o.backup_workers > 0) refuse(o, "backup workers: what a shard's optimizer remembers is with its worker");
}

void check_lbfgs(const Options& o) {
  const LbfgsOptions& l = o.lbfgs;
  const auto check = [](const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
      throw_invalid("lbfgs." + std::string(name) + " is " + std::to_string(value) + ", not " + std::to_string(least) +
                    " to " + std::to_string(most));
  };
  check("history", l.history, 1, kMostHistory);
  check("max_evaluations", l.max_evaluations, 1, 1000);
  check("portions", l.portions, 0, kMostPortions);
  check("backup_portions", l.backup_portions, 0, 1000);
  if (!(l.tolerance >= 0 && l.tolerance <= std::numeric_limits<double>::max()))
    throw_invalid("lbfgs.tolerance is " + std::to_string(l.tolerance) + ", not a number from 0 on");
  if (o.algorithm != "lbfgs") return;
  if (o.strategy == Strategy::driver) refuse(o, "strategy driver: the driver of L-BFGS holds no vector");
  if (o.backup_workers > 0) refuse(o, "backup workers: portions have backups of their own (lbfgs.backup_portions)");
  if (o.optimizer.clip_norm > 0) refuse(o, "clip_norm: a line search says how far to go");
}

void check_checkpoints(const CheckpointOptions& o) {
  if (o.every_steps < 0 || o.every.count() < 0)
    throw_invalid("checkpoint.every_steps and checkpoint.every are 0 or more");
  if (o.keep < 1) throw_invalid("checkpoint.keep is " + std::to_string(o.keep) + ", at least 1 is needed");
  if (o.keep_best > KeepBest::lowest) throw_invalid("checkpoint.keep_best is none of KeepBest");
  if (o.folder.empty() && is_periodic(o)) throw_invalid("checkpoint.folder must say where checkpoints go");
}

}  // namespace

bool is_periodic(const CheckpointOptions& options) { return options.every_steps > 0 || options.every.count() > 0; }

void make_absolute(AsynchronousOptions& options) {
  for (std::string* const path : {&options.record, &options.replay}) make_absolute(*path);
}

void check_algorithm(const Options& o) {
  check_local(o);
  check_lbfgs(o);
  const AsynchronousOptions& a = o.asynchronous;
  const bool servers = has_servers(o);
  const AsynchronousOptions usual;
  if (a.warm_start < 0) throw_invalid("warm_start is " + std::to_string(a.warm_start) + ", not a number of steps");
  if (!servers && !(a.record.empty() && a.replay.empty()))
    throw_invalid("record and replay are for downpour, and for ssp with a staleness above 0");
  std::error_code ignored;
  const bool same = a.record == a.replay || std::filesystem::equivalent(a.record, a.replay, ignored);
  if (!a.record.empty() && same) throw_invalid("record and replay name the same file, " + a.record);
  if (!a.replay.empty() && is_periodic(o.checkpoint))
    throw_invalid("a replay writes no checkpoints: they would be made at other times than in the run it replays");
  if (o.algorithm == "ssp" && (a.fetch_every != usual.fetch_every || a.push_every != usual.push_every ||
                               a.max_staleness != usual.max_staleness))
    throw_invalid(
        "fetch_every, push_every and max_staleness are for downpour: with ssp workers fetch and push each step");
  if (!servers) return;
  const bool says_who_serves = o.strategy == Strategy::parameter_server && o.placement == Placement::cluster;
  if (o.strategy != Strategy::automatic && !says_who_serves) refuse(o, "a strategy, since nothing is reduced");
  if (o.backup_workers > 0) refuse(o, "backup workers: nobody waits for who is late");
  if (o.optimizer.clip_norm > 0) refuse(o, "clip_norm: a parameter server knows its slice alone");
  if (!o.optimizer.groups.empty()) refuse(o, "groups of tensors, frozen or not");
  constexpr int kMostServers = 256;
  if (o.parameter_servers < 0 || o.parameter_servers > kMostServers)
    throw_invalid("parameter_servers is " + std::to_string(o.parameter_servers) + ", not 0 to " +
                  std::to_string(kMostServers));
}

void check_options(Options& options, const ModelCreator& creator) {
  if (options.strategy > Strategy::parameter_server) throw_invalid("strategy is none of Strategy");
  check_numbers(options);
  if (options.placement != Placement::cluster) check_device(options.use_cpus);  // else nodes compute, and check
  if (options.accelerator < -1 || (options.use_cpus && options.accelerator >= 0))
    throw_invalid("accelerator is " + std::to_string(options.accelerator) +
                  (options.use_cpus ? ", and use_cpus is set" : ", not -1 or a device's number"));
  if (options.tf32 && options.use_cpus)
    throw_invalid("tf32 is of accelerators: without them (use_cpus) products are in f32 or, by precision, in bf16");
  if (options.max_failures < 0)
    throw_invalid("max_failures is " + std::to_string(options.max_failures) + ", not a number from 0 on");
  check_backups(options);
  make_absolute(options.asynchronous);
  check_algorithm(options);
  if (options.algorithm != "lbfgs" && options.lbfgs.freeze) throw_invalid("lbfgs.freeze is for algorithm lbfgs");
  for (const auto timeout : {options.step_timeout, options.start_timeout, options.evaluate_timeout,
                             options.save_timeout, options.call_timeout})
    if (timeout.count() <= 0) throw_invalid("timeouts must be positive");
  Silence::check(options.suspect_after, "suspect_after");
  Silence::check(options.cut_after, "cut_after");
  check_checkpoints(options.checkpoint);
  make_absolute(options.checkpoint.folder);
  make_absolute(options.resume_from);
  const Rules& rules = rules_of(options.placement);
  rules.check(options);
  const Members members(options.num_workers.max, options.devices_per_worker, rules.num_nodes(options),
                        options.num_shards);
  make_plan(plan_request_of(options, members.topology()), 1);
  if (creator.name().empty() && !creator.function()) throw_invalid("a creator or the name of one is needed");
  if (creator.name().empty() && !rules.takes_lambdas)
    throw_invalid(
        "workers in other processes cannot be handed a lambda: register it with register_model and give its name");
}

FaultPlan fault_plan_of(const Options& options) {
  FaultPlan plan(options.faults, options.num_workers.max, rules_of(options.placement).num_nodes(options));
  if (plan.hurts_workers() && options.placement != Placement::processes)
    throw_invalid("faults of workers are for worker processes of this machine");
  return plan;
}

PlanRequest plan_request_of(const Options& options, const Topology& topology) {
  const int nodes = topology.num_nodes();
  const bool fewer = nodes < options.cluster.num_nodes;  // than all, for which the options were checked
  const int servers = fewer ? std::min(options.parameter_servers, nodes) : options.parameter_servers;
  return {options.strategy, options.deterministic, servers, topology};
}

bool warms_up(const Options& options) {
  const bool synchronous = !has_servers(options) && options.algorithm != "local" && options.algorithm != "lbfgs";
  return !synchronous && options.asynchronous.warm_start > 0;
}

}  // namespace troupe
