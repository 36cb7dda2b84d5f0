#include "actors/driver/option_checks.hpp"

#include <algorithm>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/messages/bounds.hpp"
#include "actors/messages/options_json.hpp"
#include "actors/placements/placements.hpp"
#include "actors/rounds/members.hpp"
#include "models/optimizers/update_rules.hpp"
#include "runtime/files/absolute_path.hpp"
#include "runtime/silence.hpp"

namespace troupe {
namespace {

/// Checks the option `num_workers`. If it is a range without a maximum, sets the maximum.
void check_workers(Options& o) {
  WorkerCount& workers = o.num_workers;
  if (workers.is_range() && workers.max == 0) {
    if (o.num_shards == 0) throw_invalid("num_workers is unbounded; set num_shards");
    workers.max = std::max(workers.min, o.num_shards / o.compute.devices_per_worker);
  }
  if (workers.min < 1) throw_invalid("num_workers is " + std::to_string(workers.min) + ", at least 1 is needed");
  if (workers.min > workers.max)
    throw_invalid("num_workers is " + std::to_string(workers.min) + " to " + std::to_string(workers.max));
}

void check_numbers(Options& o) {
  if (o.compute.devices_per_worker < 1)
    throw_invalid("devices_per_worker is " + std::to_string(o.compute.devices_per_worker) + ", at least 1 is needed");
  check_workers(o);
  const std::int64_t replicas = std::int64_t{o.num_workers.max} * o.compute.devices_per_worker;
  if (replicas > kMostReplicas)
    throw_invalid(std::to_string(replicas) + " replicas are more than the " + std::to_string(kMostReplicas) +
                  " that one run can have");
  if (o.num_shards == 0) o.num_shards = static_cast<int>(replicas);
  if (o.num_shards < replicas)
    throw_invalid(std::to_string(o.num_shards) + " shards are too few for " + std::to_string(replicas) +
                  " replicas (num_workers x devices_per_worker), because each replica needs one; a resumed run keeps "
                  "the checkpoint's number of shards unless CheckpointOptions::reshard is set");
  if (o.num_shards > 1'000'000) throw_invalid(std::to_string(o.num_shards) + " shards are too many");
}

void check_backups(const Options& o) {
  constexpr int kMostBackups = 8;
  if (o.fault_tolerance.backup_workers < 0 || o.fault_tolerance.backup_workers > kMostBackups)
    throw_invalid("backup_workers is " + std::to_string(o.fault_tolerance.backup_workers) + ", not 0 to " +
                  std::to_string(kMostBackups));
  if (o.fault_tolerance.backup_workers > 0 && o.fault_tolerance.backup_workers >= o.num_workers.max)
    throw_invalid("backup_workers is " + std::to_string(o.fault_tolerance.backup_workers) + ", not less than the " +
                  std::to_string(o.num_workers.max) + " workers");
  if (o.fault_tolerance.backup_workers > 0 && !rules_of(o.placement).on_one_machine())
    throw Error(ErrorCode::unsupported, "backup_workers is not supported with placement cluster");
}

void check_compute(const ComputeOptions& o) {
  if (o.device > Device::cuda) throw_invalid("compute.device is not a value of Device");
  const bool on_cpu = o.device == Device::cpu;
  if (o.device_number < -1 || (on_cpu && o.device_number >= 0))
    throw_invalid("device_number is " + std::to_string(o.device_number) +
                  (on_cpu ? ", and the device is the CPU" : ", not -1 or a device's number"));
  if (o.tf32 && on_cpu) throw_invalid("tf32 is for CUDA devices only: CPUs compute in f32 or, with precision, in bf16");
}

void check_checkpoints(const CheckpointOptions& o) {
  if (o.every_steps < 0 || o.every.count() < 0)
    throw_invalid("checkpoint.every_steps and checkpoint.every must not be negative");
  if (o.keep < 1) throw_invalid("checkpoint.keep is " + std::to_string(o.keep) + ", at least 1 is needed");
  if (o.keep_best > KeepBest::lowest) throw_invalid("checkpoint.keep_best is not a value of KeepBest");
  if (o.folder.empty() && (is_periodic(o) || o.resume))
    throw_invalid("checkpoint.folder must be set for periodic checkpoints and for resume");
}

/// Returns the number of files that the driver's object store needs: for the vectors in all buffers, for the gradients
/// of all shards, and for the mean gradient.
int store_files(const Options& o) {
  const int buffers = (o.checkpoint.folder.empty() ? 2 : 3) + o.fault_tolerance.backup_workers;
  const int gradients = o.fault_tolerance.backup_workers > 0 ? 2 : 1;  // per shard
  const int state_vectors = UpdateRules(settings_of(o)).state_vectors();
  return buffers * (1 + state_vectors) + gradients * o.num_shards + 1;
}

}  // namespace

void check_servers(const Options& o) {
  const AlgorithmTraits traits = traits_of(o.algorithm);
  if (!traits.has_servers) return;
  const Rules& rules = rules_of(o.placement);
  // An algorithm with parameter servers reduces no gradients, so it accepts no strategy, with one exception: in a
  // cluster, the strategy parameter_server selects the nodes that have servers.
  const bool goes = o.gradients.strategy == Strategy::automatic ||
                    (o.gradients.strategy == Strategy::parameter_server && !rules.on_one_machine());
  if (!goes)
    throw Error(ErrorCode::unsupported, std::string("algorithm ") + to_string(o.algorithm) +
                                            " cannot be combined with a strategy, because it reduces no gradients");
  const int num_nodes = rules.num_nodes(o.cluster);
  if (num_nodes > 0 && traits.servers > num_nodes)
    throw_invalid(std::string(to_string(o.algorithm)) + ".servers is " + std::to_string(traits.servers) +
                  ", but there are " + std::to_string(num_nodes) + " nodes");
}

Hosting hosting_of(const Options& options) {
  return {.placement = options.placement,
          .cluster = options.cluster,
          .min_workers = options.num_workers.min,
          .num_workers = options.num_workers.max,
          .devices_per_worker = options.compute.devices_per_worker,
          .num_shards = options.num_shards,
          .store_files = store_files(options),
          .writes_checkpoints = !options.checkpoint.folder.empty(),
          .store_bytes = options.memory.store_bytes,
          .end_time = options.timeouts.step,
          .suspect_after = options.fault_tolerance.suspect_after,
          .cut_after = options.fault_tolerance.cut_after,
          .optimizer = to_json(settings_of(options)),
          .verbose = options.verbose};
}

bool is_periodic(const CheckpointOptions& options) { return options.every_steps > 0 || options.every.count() > 0; }

void check_options(Options& options, const ModelCreator& creator) {
  if (options.gradients.strategy > Strategy::parameter_server) throw_invalid("strategy is not a value of Strategy");
  check_numbers(options);
  check_compute(options.compute);
  const Rules& rules = rules_of(options.placement);
  if (options.fault_tolerance.copy_every < -1)
    throw_invalid("copy_every is " + std::to_string(options.fault_tolerance.copy_every) +
                  "; it must be a number of steps, 0 (automatic) or -1 (no copies)");
  if (options.fault_tolerance.max_failures < 0)
    throw_invalid("max_failures is " + std::to_string(options.fault_tolerance.max_failures) +
                  ", but must not be negative");
  check_backups(options);
  make_paths_absolute(options.algorithm);
  check_algorithm(options);
  for (const auto timeout : {options.timeouts.step, options.timeouts.start, options.timeouts.evaluate,
                             options.timeouts.save, options.timeouts.call})
    if (timeout.count() <= 0) throw_invalid("timeouts must be positive");
  Silence::check(options.fault_tolerance.suspect_after, "suspect_after");
  Silence::check(options.fault_tolerance.cut_after, "cut_after");
  check_checkpoints(options.checkpoint);
  make_absolute(options.checkpoint.folder);
  Hosting hosting = hosting_of(options);
  rules.check(hosting);
  options.cluster = hosting.cluster;
  if (!rules.on_one_machine() && options.config.size() > kLongestSetting)
    throw_invalid("config has " + std::to_string(options.config.size()) + " bytes; the limit for nodes is " +
                  std::to_string(kLongestSetting));
  check_servers(options);
  const Members members(hosting.num_workers, hosting.devices_per_worker, rules.num_nodes(hosting.cluster),
                        hosting.num_shards);
  make_plan(plan_request_of(options, members.topology()), 1);
  if (creator.name().empty() && !creator.function())
    throw_invalid("a model creator or the name of a registered model is required");
  if (creator.name().empty() && !rules.takes_lambdas)
    throw_invalid(
        "workers in other processes cannot receive a lambda: register the creator with register_model and pass its "
        "name");
}

FaultPlan fault_plan_of(const Options& options) {
  const Rules& rules = rules_of(options.placement);
  FaultPlan plan(options.fault_tolerance.faults, options.num_workers.max, rules.num_nodes(options.cluster));
  if (plan.hurts_workers() && rules.reach != Reach::processes)
    throw_invalid("faults of workers require worker processes on this machine");
  return plan;
}

PlanRequest plan_request_of(const Options& options, const Topology& topology) {
  const int nodes = topology.num_nodes();
  // The options were checked for the number of nodes in the options. A run that is formed again may have fewer nodes.
  const bool fewer = nodes < options.cluster.num_nodes;
  const AlgorithmTraits traits = traits_of(options.algorithm);
  const int wanted = traits.has_servers ? traits.servers : options.gradients.slice_owners;
  const int servers = fewer ? std::min(wanted, nodes) : wanted;
  return {options.gradients.strategy, options.gradients.deterministic, servers, topology};
}

}  // namespace troupe
