#include <algorithm>
#include <numeric>
#include <random>

#include "actors/driver/driver_rounds.hpp"
#include "actors/driver/reply_checks.hpp"
#include "actors/expiry_notice.hpp"
#include "actors/launch.hpp"
#include "actors/messages/options_json.hpp"
#include "actors/placements/start_needs.hpp"
#include "runtime/processes/held_signals.hpp"
#include "runtime/processes/limits.hpp"

// How workers come, are replaced and go.
namespace troupe {
namespace {

/// How long the others may take to end when a worker of this process hangs, which makes waiting useless.
constexpr std::chrono::milliseconds kHungStopTimeout{3000};
constexpr std::chrono::milliseconds kLookForLate{200};

/// By lane; on one machine all are 0.
std::vector<std::int32_t> node_of_lane(const Options& options) {
  const int devices = options.devices_per_worker;
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(options.num_workers) * static_cast<std::size_t>(devices));
  if (options.placement == Placement::cluster)
    for (std::size_t lane = 0; lane < nodes.size(); ++lane)
      nodes[lane] = node_of_worker(static_cast<int>(lane) / devices, options.num_workers, options.cluster.num_nodes);
  return nodes;
}

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::invalid_argument, message); }

}  // namespace

Driver::Runtime::Runtime(const Options& options)
    : store(options.store_bytes),
      config(scheduler_threads(options), options.placement),
      system(config),
      mailbox(system) {}

Driver::Driver(ModelCreator creator, Options options)
    : creator_(std::move(creator)), options_(std::move(options)), optimizer_(options_.optimizer) {
  check_options();
  try_start(needs_of_driver(options_, optimizer_.state_vectors()), "the driver");
  {
    const HeldSignals held;  // signals are for the user's threads, not for ours
    runtime_ = std::make_unique<Runtime>(options_);
  }
  layout_.run = (std::uint64_t{std::random_device{}()} << 32) | std::random_device{}();
  slots_.resize(static_cast<std::size_t>(options_.num_workers));
  try {
    store_ = runtime_->store.connect();
    if (options_.placement == Placement::cluster) gather_nodes(Deadline(options_.start_timeout));
    runtime_->host = make_host();
    weights_ = make_weights();
    settle();
  } catch (const std::bad_alloc&) {
    shut_down();
    throw no_memory("the driver cannot start");
  } catch (...) {
    shut_down();
    throw;
  }
}

Driver::~Driver() { shut_down(); }

void Driver::check_options() {
  Options& o = options_;
  if (o.num_workers < 1) refuse("num_workers is " + std::to_string(o.num_workers) + ", at least 1 is needed");
  if (o.devices_per_worker < 1)
    refuse("devices_per_worker is " + std::to_string(o.devices_per_worker) + ", at least 1 is needed");
  const std::int64_t replicas = std::int64_t{o.num_workers} * o.devices_per_worker;
  if (replicas > 4096) refuse(std::to_string(replicas) + " replicas are more than the 4096 that one run can have");
  if (o.num_shards == 0) o.num_shards = static_cast<int>(replicas);
  if (o.num_shards < replicas)
    refuse(std::to_string(o.num_shards) + " shards are too few for " + std::to_string(replicas) +
           " replicas (num_workers x devices_per_worker); each needs one");
  if (o.num_shards > 1'000'000) refuse(std::to_string(o.num_shards) + " shards are too many");
  if (!o.use_cpus) throw Error(ErrorCode::unsupported, "this build has no accelerator devices; set use_cpus");
  if (o.step_timeout.count() <= 0 || o.start_timeout.count() <= 0) refuse("timeouts must be positive");
  if (o.placement != Placement::cluster && !(o.cluster.listen.empty() && o.cluster.certs.empty()))
    refuse("a cluster's address and certificates need placement cluster");
  if (o.placement == Placement::cluster) {
    find_cluster();
    check_cluster_options();
  }
  make_plan(plan_request(), 1);
  if (creator_.name().empty() && !creator_.function()) refuse("a creator or the name of one is needed");
  if (o.placement == Placement::in_process) return;
  if (creator_.name().empty())
    refuse("workers in other processes cannot be handed a lambda: register it with register_model and give its name");
  if (o.placement == Placement::cluster) return;
  if (!is_initialised()) refuse("call troupe::init first in main: worker processes are started from this program");
}

/// What the options leave open, Slurm says.
void Driver::find_cluster() {
  ClusterOptions& cluster = options_.cluster;
  const auto slurm = cluster.listen.empty() ? find_slurm_cluster() : std::nullopt;
  if (!slurm) return;
  cluster.listen = Address{"0.0.0.0", slurm->task.port}.text();
  cluster.num_nodes = slurm->task.tasks - 1;
  if (cluster.certs.empty()) cluster.certs = slurm->certs + "/driver";
}

void Driver::check_cluster_options() const {
  const ClusterOptions& cluster = options_.cluster;
  if (cluster.num_nodes < 1)
    refuse("cluster.num_nodes is " + std::to_string(cluster.num_nodes) + ", at least 1 is needed");
  if (cluster.num_nodes > 1024)
    refuse(std::to_string(cluster.num_nodes) + " nodes are more than the 1024 that one run can have");
  if (options_.num_workers < cluster.num_nodes)
    refuse(std::to_string(options_.num_workers) + " workers are too few for " + std::to_string(cluster.num_nodes) +
           " nodes; each needs one");
  if (cluster.streams < 1 || cluster.streams > 64) refuse("cluster.streams must be 1 to 64");
  if (options_.config.size() > kLongestSetting)
    refuse("config has " + std::to_string(options_.config.size()) + " bytes, and nodes take " +
           std::to_string(kLongestSetting));
  if (cluster.listen.empty()) refuse("cluster.listen must say ADDRESS:PORT, where nodes dial");
}

std::unique_ptr<WorkerHost> Driver::make_host() {
  Runtime& r = *runtime_;
  if (options_.placement == Placement::cluster) return host_in_cluster(*r.cluster, r.mailbox);
  if (options_.placement == Placement::processes)
    return host_processes(r.system, r.mailbox.address(), r.store, options_.num_workers);
  return host_in_process(r.system, r.mailbox.address(), r.store, creator_.function());
}

std::unique_ptr<CommittedWeights> Driver::make_weights() {
  if (options_.placement != Placement::cluster) return keep_weights_here(*store_);
  return keep_weights_in_nodes(
      *runtime_->cluster, *store_,
      [this](const NodeTask& task, const std::vector<int>& nodes, const Deadline& deadline) {
        std::vector<int> members(nodes);
        for (int& member : members) member = member_of_node(member);
        ask<TaskDone>(task, members, "transfer", deadline, [](NodeTask& own, int member) { own.member = member; });
      },
      [this](const BeginGeneration& message, const Deadline& deadline) {
        std::vector<int> members(static_cast<std::size_t>(runtime_->cluster->size()));
        std::iota(members.begin(), members.end(), member_of_node(0));
        ask<TaskDone>(message, members, "start", deadline, [this](BeginGeneration& own, int member) {
          own.member = member;
          own.self = member - options_.num_workers;
        });
      });
}

/// Waits until as many nodes have joined as the run is to have.
void Driver::gather_nodes(const Deadline& deadline) {
  Runtime& r = *runtime_;
  const auto replicas =
      static_cast<std::size_t>(options_.num_workers) * static_cast<std::size_t>(options_.devices_per_worker);
  r.cluster = std::make_unique<Cluster>(r.system, r.mailbox.address(), options_.cluster,
                                        RunLimits{static_cast<std::size_t>(options_.num_shards), replicas,
                                                  static_cast<std::size_t>(options_.cluster.num_nodes) + 1},
                                        options_.num_workers);
  note_expiry(options_.cluster.certs);
  while (!r.cluster->complete()) {
    const auto event = r.mailbox.next(Deadline(std::min(deadline.left(), kLookForLate)));
    r.cluster->drop_late();
    if (!event && !deadline.passed()) continue;
    if (!event)
      throw Error(ErrorCode::timeout,
                  std::to_string(r.cluster->missing()) + " of " + std::to_string(options_.cluster.num_nodes) +
                      " nodes did not join in time at " + options_.cluster.listen,
                  {.phase = "start"});
    if (const auto* joined = std::get_if<NodeJoined>(&*event))
      if (r.cluster->accept(*joined)) r.mailbox.watch(joined->node);
    if (const auto* ended = std::get_if<Ended>(&*event)) note_end(*ended);
  }
}

PlanRequest Driver::plan_request() const {
  return {strategy_of(options_.strategy),
          options_.deterministic,
          options_.parameter_servers,
          {node_of_lane(options_), options_.num_shards}};
}

void Driver::settle() {
  const bool none_lost = std::none_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.lost; });
  if (settled_ && none_lost && attached_ > 0 && attached_ == layout_.generation) return;
  const Deadline deadline(options_.start_timeout);
  // Among nodes a round that failed leaves connections and windows in an unknown state.
  const bool broken = runtime_->cluster && !settled_;
  if (!none_lost) replace_lost_workers(deadline);
  const bool all_built = std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.built; });
  if (!all_built) build_replicas(deadline);
  run_task({}, all_workers(), "settle", deadline);
  if (!all_built || broken || attached_ != layout_.generation) start_generation(deadline);
}

void Driver::replace_lost_workers(const Deadline& deadline) {
  // The folder of the workers' socket must be gone before Ctrl-C can end this process.
  const HeldSignals held;
  try {
    start_lost_workers();
    wait_for_joins(deadline, held);
  } catch (...) {
    runtime_->host->stop_listening();
    throw;
  }
  runtime_->host->stop_listening();
}

void Driver::start_lost_workers() {
  for (const int worker : all_workers())
    if (slots_[static_cast<std::size_t>(worker)].lost) restart(worker);
}

void Driver::restart(int worker) {
  Slot& slot = slots_[static_cast<std::size_t>(worker)];
  if (slot.actor) {
    runtime_->mailbox.unwatch(slot.actor);
    hung_ = hung_ || options_.placement == Placement::in_process;
  }
  slot = {};
  runtime_->host->start(worker);
}

void Driver::wait_for_joins(const Deadline& deadline, const HeldSignals& held) {
  const auto missing = [this] {
    return std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.lost; });
  };
  while (missing() != slots_.end()) {
    // In small portions, because a process that ends before it joins says nothing.
    const Deadline portion(std::min(deadline.left(), std::chrono::milliseconds(50)));
    if (auto event = runtime_->mailbox.next(portion)) {
      if (const auto* joined = std::get_if<Joined>(&*event)) accept_join(*joined);
      if (const auto* ended = std::get_if<Ended>(&*event)) note_end(*ended);
      // The end of one that had joined may be heard of only now.
      for (const int worker : all_workers())
        if (const Slot& slot = slots_[static_cast<std::size_t>(worker)]; slot.lost && slot.actor) restart(worker);
      if (!deadline.passed()) continue;
    }
    if (missing() == slots_.end()) break;
    const int worker = static_cast<int>(missing() - slots_.begin());
    const std::string how = runtime_->host->how_it_ended(worker, std::chrono::milliseconds(0));
    if (const auto why = runtime_->host->why_not_started(worker, where(worker, "start")); why && !how.empty())
      throw Error(*why);
    if (!how.empty())
      throw Error(ErrorCode::worker_lost, "a worker was lost before it joined: " + how, where(worker, "start"));
    if (held.came()) throw Error(ErrorCode::system, "interrupted while workers start", where(worker, "start"));
    if (deadline.passed()) throw Error(ErrorCode::timeout, "a worker did not join in time", where(worker, "start"));
  }
}

void Driver::accept_join(const Joined& joined) {
  const Join& join = joined.join;
  if (join.worker < 0 || join.worker >= options_.num_workers || !joined.worker) return;
  Slot& slot = slots_[static_cast<std::size_t>(join.worker)];
  if (runtime_->cluster && !runtime_->cluster->is_home_of(join.worker, joined.worker)) return;
  if (!slot.lost || join.pid != runtime_->host->pid(join.worker)) return;
  if (join.protocol != kProtocolVersion)
    throw Error(
        ErrorCode::protocol,
        "a worker speaks protocol " + std::to_string(join.protocol) + ", not " + std::to_string(kProtocolVersion),
        where(join.worker, "start"));
  slot = {joined.worker, false, false};
  runtime_->mailbox.watch(joined.worker);
}

void Driver::build_replicas(const Deadline& deadline) {
  std::vector<int> unbuilt;
  for (const int worker : all_workers())
    if (!slots_[static_cast<std::size_t>(worker)].built) unbuilt.push_back(worker);
  Build request;
  request.num_workers = options_.num_workers;
  request.devices = options_.devices_per_worker;
  request.use_cpus = options_.use_cpus;
  request.plan = plan_request();
  request.seed = options_.seed;
  request.model = creator_.name();
  request.precision = static_cast<std::int32_t>(options_.precision);
  request.config = options_.config;
  for (const Built& built : ask<Built>(request, unbuilt, "start", deadline)) {
    check_built(built);
    slots_[static_cast<std::size_t>(built.worker)].built = true;
  }
}

void Driver::check_built(const Built& built) {
  check_reply(built, options_.devices_per_worker, where(built.worker, "start"));
  if (!facts_) {  // the first worker's answer, since answers come in order
    facts_ = ModelDescription{built.replicas.at(0), built.num_samples, built.steps_per_epoch, {}};
    for (std::size_t i = 0; i < built.tensor_names.size(); ++i)
      facts_->tensors.push_back({built.tensor_names[i], built.tensor_shapes[i]});
  }
  for (std::size_t device = 0; device < built.replicas.size(); ++device)
    check_alike(built.replicas[device], static_cast<int>(device), facts_->traits, where(built.worker, "start"));
  if (built.num_samples > 0 && built.num_samples < options_.num_shards)
    refuse(std::to_string(options_.num_shards) + " shards are more than the " + std::to_string(built.num_samples) +
           " training samples; each needs one");
}

/// A new membership: slabs made anew, since nobody can open a sealed one for writing, holding what was committed.
void Driver::start_generation(const Deadline& deadline) {
  plan_ = make_plan(plan_request(), facts_->traits.size);
  appliers_ = workers_with_slices();
  ++layout_.generation;
  layout_.size = facts_->traits.size;
  layout_.num_shards = options_.num_shards;
  layout_.end_shard = options_.num_shards;
  layout_.state_vectors = optimizer_.state_vectors();
  layout_.mean_gradient = plan_.driver_reduces;
  weights_->begin(layout_, plan_request(), initialized_ ? buffer_ : -1, deadline);
  if (initialized_) buffer_ = 0;
  attach_all(false, deadline);
  weights_->publish(deadline);
  attach_all(true, deadline);
  if (!initialized_) initialize_weights(deadline);
  attached_ = layout_.generation;
}

void Driver::attach_all(bool share, const Deadline& deadline) {
  Attach request;
  request.run = layout_.run;
  request.generation = layout_.generation;
  request.share = share;
  request.optimizer = to_json(options_.optimizer);
  ask<TaskDone>(request, all_workers(), "start", deadline);
}

void Driver::initialize_weights(const Deadline& deadline) {
  const Transfer flat(*this, deadline);
  weights_->create(flat.number, 0, facts_->traits.size, deadline);
  Task task;
  task.kind = TaskKind::initialize;
  task.transfer = flat.number;
  run_task(task, {0}, "start", deadline);
  place_weights(flat, deadline);
  initialized_ = true;
}

void Driver::shut_down() noexcept {
  if (!runtime_) return;
  bool all_stopped = true;
  try {
    Task stop;
    stop.kind = TaskKind::stop;
    std::vector<int> living;
    for (const int worker : all_workers())
      if (!slots_[static_cast<std::size_t>(worker)].lost) living.push_back(worker);
    for (const Slot& slot : slots_) hung_ = hung_ || (slot.lost && slot.actor);
    all_stopped = !hung_;
    if (options_.placement == Placement::in_process)
      run_task(stop, living, "stop", Deadline(hung_ ? kHungStopTimeout : options_.step_timeout));
  } catch (const std::exception&) {
    all_stopped = false;
  }
  weights_.reset();
  store_.reset();
  for (Slot& slot : slots_) slot.actor = {};
  if (runtime_->host && !runtime_->host->end_all(all_stopped)) {
    // A replica that hangs cannot be stopped, and waiting for it would hang us as well.
    [[maybe_unused]] auto* leaked = runtime_.release();
    return;
  }
  runtime_.reset();
}

std::vector<int> Driver::worker_pids() const {
  std::vector<int> pids;
  for (const int worker : all_workers()) pids.push_back(runtime_->host->pid(worker));
  return pids;
}

}  // namespace troupe
