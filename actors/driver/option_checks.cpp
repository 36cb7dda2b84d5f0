#include "actors/driver/option_checks.hpp"

#include <algorithm>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/messages/bounds.hpp"
#include "actors/placements/placements.hpp"
#include "actors/rounds/members.hpp"
#include "models/network/device_network.hpp"
#include "models/optimizers/update_rules.hpp"
#include "runtime/files/absolute_path.hpp"
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

void check_checkpoints(const CheckpointOptions& o) {
  if (o.every_steps < 0 || o.every.count() < 0)
    throw_invalid("checkpoint.every_steps and checkpoint.every are 0 or more");
  if (o.keep < 1) throw_invalid("checkpoint.keep is " + std::to_string(o.keep) + ", at least 1 is needed");
  if (o.keep_best > KeepBest::lowest) throw_invalid("checkpoint.keep_best is none of KeepBest");
  if (o.folder.empty() && is_periodic(o)) throw_invalid("checkpoint.folder must say where checkpoints go");
}

}  // namespace

bool is_periodic(const CheckpointOptions& options) { return options.every_steps > 0 || options.every.count() > 0; }

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
  make_paths_absolute(options.algorithm);
  check_algorithm(options);
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
  const AlgorithmTraits traits = traits_of(options.algorithm);
  const int wanted = traits.has_servers ? traits.servers : options.parameter_servers;
  const int servers = fewer ? std::min(wanted, nodes) : wanted;
  return {options.strategy, options.deterministic, servers, topology};
}

}  // namespace troupe
