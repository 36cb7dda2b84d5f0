#include "actors/trainer/worker_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "actors/driver/forming/recovery.hpp"
#include "actors/placements/placements.hpp"
#include "models/network/accelerators.hpp"
#include "runtime/invalid.hpp"
#include "runtime/processes/cores.hpp"
#include "runtime/silence.hpp"

namespace troupe {
namespace {

constexpr int kMostWorkers = 4096;
/// The number of files that the object store needs in addition to one per worker: for the shared memory of a group, and
/// for texts in transfer.
constexpr int kGroupFiles = 3;

int resolve_workers(TrainerOptions& o) {
  WorkerCount& workers = o.num_workers;
  if (o.cpus_per_worker < 1)
    throw_invalid("cpus_per_worker is " + std::to_string(o.cpus_per_worker) + ", at least 1 is needed");
  if (o.gpus_per_worker < 0)
    throw_invalid("gpus_per_worker is " + std::to_string(o.gpus_per_worker) + "; it must be at least 0");
  const Rules& rules = rules_of(o.placement);
  int room = std::max(1, usable_cores() / o.cpus_per_worker);
  if (o.gpus_per_worker > 0 && rules.on_one_machine())
    room = std::clamp(accelerator_count() / o.gpus_per_worker, 1, room);
  if (workers.max == inf && !rules.on_one_machine())
    throw_invalid(
        "num_workers is unbounded; set its maximum in a cluster, where workers are distributed over the nodes");
  if (workers.max == inf) workers.max = std::max(workers.min, room);
  if (workers.min < 1) throw_invalid("num_workers is " + std::to_string(workers.min) + ", at least 1 is needed");
  if (workers.min > workers.max)
    throw_invalid("num_workers.min is " + std::to_string(workers.min) + ", but num_workers.max is " +
                  std::to_string(workers.max));
  if (workers.max > kMostWorkers)
    throw_invalid(std::to_string(workers.max) + " workers are more than the " + std::to_string(kMostWorkers) +
                  " that one trainer can have");
  if (!workers.is_range() || !rules.replaces_workers()) return workers.max;
  return std::clamp(room, workers.min, workers.max);
}

/// If the workers run on this machine, checks that it has the CUDA devices that they need. On nodes of a cluster, the
/// workers check this.
void check_resources(const TrainerOptions& o, int workers) {
  if (!on_one_machine(o.placement)) return;
  note_shared_cores(workers, o.cpus_per_worker);
  require_accelerators(
      std::int64_t{workers} * o.gpus_per_worker,
      std::to_string(workers) + " workers with gpus_per_worker " + std::to_string(o.gpus_per_worker) + " need");
}

void check_backend(const TrainerOptions& o) {
  const std::string own = rules_of(o.placement).backend;
  if (o.backend.empty() || o.backend == own) return;
  if (o.backend != "store" && o.backend != "data-plane" && o.backend != "mpi")
    throw_invalid("backend is '" + o.backend + "'; it must be store, data-plane or mpi");
  throw Error(
      ErrorCode::unsupported,
      "with this placement the backend is " + own + ", not " + o.backend +
          (o.backend == "mpi" ? ": ranks of mpi are started by mpirun and cannot be workers of a trainer" : ""));
}

Hosting hosting_of(const TrainerOptions& o, int workers) {
  Hosting hosting{.placement = o.placement,
                  .cluster = o.cluster,
                  .min_workers = o.num_workers.is_range() ? o.num_workers.min : workers,
                  .num_workers = workers,
                  .cores_per_worker = o.cpus_per_worker,
                  .num_shards = workers,
                  .store_files = workers + kGroupFiles,
                  .store_bytes = o.memory.store_bytes,
                  .end_time = o.timeouts.stop,
                  .suspect_after = o.fault_tolerance.suspect_after,
                  .cut_after = o.fault_tolerance.cut_after};
  rules_of(o.placement).check(hosting);
  return hosting;
}

void check_times(const TrainerOptions& o) {
  for (const auto& time : {o.timeouts.start, o.timeouts.collective, o.timeouts.stop})
    if (time.count() < 1) throw_invalid("timeouts.start, timeouts.collective and timeouts.stop must be at least 1 ms");
}

void check_fault_tolerance(const TrainerFaultTolerance& o) {
  if (o.max_failures < 0)
    throw_invalid("max_failures is " + std::to_string(o.max_failures) + "; it must be at least 0");
  Silence::check(o.suspect_after, "suspect_after");
  Silence::check(o.cut_after, "cut_after");
}

/// Returns the resident memory in bytes of the process `pid` on this machine; -1 if the number cannot be read.
std::int64_t memory_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::int64_t all = 0, resident = -1;
  if (!(file >> all >> resident)) return -1;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

WorkerPool::WorkerPool(TrainerOptions options, MakeRuntime make_runtime)
    : options_(std::move(options)),
      wanted_(resolve_workers(options_)),
      budget_(options_.fault_tolerance.max_failures),
      make_runtime_(std::move(make_runtime)) {
  check_resources(options_, wanted_);
  check_backend(options_);
  check_times(options_);
  check_fault_tolerance(options_.fault_tolerance);
  hosting_ = hosting_of(options_, wanted_);
  try {
    settle();
  } catch (...) {
    shut_down();
    throw;
  }
}

WorkerPool::~WorkerPool() { shut_down(); }

/// Creates the runtime of the pool and, in a cluster, waits until the nodes have joined. If an error occurs, the pool
/// is left without a runtime.
void WorkerPool::form() try {
  runtime_ = make_runtime_(hosting_, wanted_);
  runtime_->host = runtime_->make_host({});
  rounds_ = std::make_unique<Rounds>(runtime_->mailbox, runtime_->members, *runtime_->host);
  runtime_->host->gather(expected_nodes_, NeededCopies(), Deadline(options_.timeouts.start));
  expected_nodes_ = 0;
  node_changes_.note_formed(names_of_nodes(*runtime_->host, runtime_->members), -1, Clock::now());
  runtime_->host->note_changes(node_changes_.history());
} catch (...) {
  shut_down();
  throw;
}

void WorkerPool::fill_up() {
  if (!rules_of(options_.placement).replaces_workers()) return;
  while (runtime_->members.num_workers() < wanted_) runtime_->members.add();
}

void WorkerPool::follow_nodes() {
  if (!runtime_) return;
  const Host& host = *runtime_->host;
  const auto expected = node_changes_.due(host.newcomers(), static_cast<int>(host.leavers().size()),
                                          runtime_->members.num_nodes(), hosting_.cluster.num_nodes, Clock::now());
  if (!expected) return;
  shut_down();
  expected_nodes_ = *expected;
}

void WorkerPool::settle() {
  follow_nodes();
  if (!runtime_) form();
  fill_up();
  rounds_->listen({"start", -1, Deadline(options_.timeouts.start)});
  rounds_->forget_untold();
  replace_lost();
}

void WorkerPool::replace_lost() {
  Runtime& r = *runtime_;
  if (r.members.lost_workers().empty()) return;
  Recovery(*r.host, r.mailbox, r.members, *rounds_).replace_lost({"start", -1, Deadline(options_.timeouts.start)}, {});
}

void WorkerPool::count_loss(const Error& loss) {
  if (!budget_.allows(loss, Clock::now())) throw budget_.spent();
}

void WorkerPool::recover() {
  if (!rules_of(options_.placement).replaces_workers()) return form_again();
  Runtime& r = *runtime_;
  for (const int worker : r.members.lost_workers()) {
    if (!options_.num_workers.is_range() || r.members.num_workers() <= options_.num_workers.min) break;
    r.host->end(worker);
    r.mailbox.unseat(worker);
    r.members.drop(worker);
  }
  Clock::sleep_for(budget_.pause());
  replace_lost();
}

/// Ends all workers of a cluster, and starts workers on the nodes that then join. The nodes of the old run detect its
/// end. They then end functions that hang, and may join again.
void WorkerPool::form_again() {
  if (runtime_) expected_nodes_ = nodes_after_loss(*runtime_->host, runtime_->members, hosting_.cluster.num_nodes);
  shut_down();
  Clock::sleep_for(budget_.pause());
  settle();
}

void WorkerPool::give_up(int worker) {
  runtime_->mailbox.unseat(worker);
  runtime_->host->end(worker);
  runtime_->members.lose(worker);
  if (rules_of(options_.placement).reach == Reach::threads) hangs_ = true;
}

std::vector<WorkerInfo> WorkerPool::workers() const {
  std::vector<WorkerInfo> all;
  if (!runtime_) return all;
  for (const int worker : runtime_->members.workers()) {
    WorkerInfo info;
    info.worker = worker;
    info.pid = runtime_->host->pid(worker);
    info.node = runtime_->host->node(worker);
    info.cpus = options_.cpus_per_worker;
    info.gpus = options_.gpus_per_worker;
    if (on_one_machine(options_.placement)) info.memory_bytes = memory_of(info.pid);
    info.state = runtime_->members.lost(worker) ? "lost" : "idle";
    all.push_back(std::move(info));
  }
  return all;
}

/// Ends all workers. All functions must have ended before, except functions that hang and were abandoned.
void WorkerPool::shut_down() noexcept {
  if (!runtime_) return;
  Runtime& r = *runtime_;
  rounds_.reset();
  for (const int worker : r.members.workers()) r.mailbox.unseat(worker);
  if (r.host && (!r.host->end_all(!hangs_) || hangs_)) {
    leave_running(std::move(runtime_));
    return;
  }
  runtime_.reset();
}

}  // namespace troupe
