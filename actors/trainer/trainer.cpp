#include "troupe/trainer.hpp"

#include <ostream>

#include "actors/functions/function_table.hpp"
#include "actors/placements/placements.hpp"
#include "actors/trainer/trainer_run.hpp"
#include "runtime/fork/owning_process.hpp"
#include "runtime/invalid.hpp"
#include "runtime/json/bounded_json.hpp"
#include "runtime/text_table.hpp"

namespace troupe {

using Kind = RunHandle::Impl::Kind;

class WorkerGroup::Impl {
 public:
  explicit Impl(TrainerOptions options) : pool(make_owned_here<WorkerPool>(std::move(options))) {}

  std::shared_ptr<RunHandle::Impl> run(RunHandle::Impl::Request request) {
    if (!pool) throw_invalid("these workers were shut down");
    if (memory->running) throw Error(ErrorCode::in_use, "these workers run a function: one run at a time");
    return make_owned_here<RunHandle::Impl>(pool, memory, std::move(request));
  }
  std::shared_ptr<RunHandle::Impl> run(const std::string& function, const Json& config, Kind kind,
                                       const RunOptions& options) {
    check_depth(config, "config");
    RunHandle::Impl::Request request{function, config, kind, options};
    if (options.dataset.has_values()) {
      check_takes_values("data");
      lend(functions().of_trainers.find(function).function, request);
    }
    return run(std::move(request));
  }
  std::shared_ptr<RunHandle::Impl> run(const TrainFunction& function, const Json& config, Kind kind,
                                       const RunOptions& options) {
    if (!function) throw_invalid("the function has no body");
    check_takes_values("a function");
    check_depth(config, "config");
    RunHandle::Impl::Request request{"a function", config, kind, options};
    lend(function, request);
    return run(std::move(request));
  }

  const OwningProcess owner;
  std::shared_ptr<WorkerPool> pool;
  std::shared_ptr<TrainerMemory> memory = std::make_shared<TrainerMemory>();

 private:
  static void lend(const TrainFunction& function, RunHandle::Impl::Request& request) {
    TrainTask task{function};
    for (const RunData& each : request.options.dataset.all()) task.datasets.push_back(each.data());
    request.lent = std::make_unique<const FunctionTable<TrainTask>::Loan>(functions().of_trainers, std::move(task));
  }
  void check_takes_values(const char* what) const {
    if (pool && !rules_of(pool->options().placement).takes_lambdas)
      throw Error(ErrorCode::unsupported,
                  std::string("workers in other processes cannot receive ") + what + " by value: register it by name");
  }
};

WorkerGroup::WorkerGroup(TrainerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
WorkerGroup::~WorkerGroup() = default;
WorkerGroup::WorkerGroup(WorkerGroup&&) noexcept = default;
WorkerGroup& WorkerGroup::operator=(WorkerGroup&&) noexcept = default;

WorkerGroup::Impl& WorkerGroup::impl() const {
  if (!impl_) throw_invalid("these workers were moved from");
  impl_->owner.check("this group of workers");
  return *impl_;
}

int WorkerGroup::size() const { return impl().pool ? impl().pool->num_workers() : 0; }

const TrainerOptions& WorkerGroup::options() const {
  if (!impl().pool) throw_invalid("these workers were shut down");
  return impl().pool->options();
}

std::vector<WorkerInfo> WorkerGroup::workers() const {
  if (!impl().pool) return {};
  std::vector<WorkerInfo> all = impl().pool->workers();
  for (WorkerInfo& each : all)
    if (each.state == "idle" && impl().memory->running) each.state = "running";
  return all;
}

RunResults WorkerGroup::execute(const std::string& function, const Json& config) {
  return impl().run(function, config, Kind::execute, {})->returns();
}
RunResults WorkerGroup::execute(const TrainFunction& function, const Json& config) {
  return impl().run(function, config, Kind::execute, {})->returns();
}
TaskResult WorkerGroup::execute_single(const std::string& function, const Json& config) {
  return impl().run(function, config, Kind::execute_single, {})->returns().at(0);
}
TaskResult WorkerGroup::execute_single(const TrainFunction& function, const Json& config) {
  return impl().run(function, config, Kind::execute_single, {})->returns().at(0);
}
RunHandle WorkerGroup::run(const std::string& function, const Json& config, const RunOptions& options) {
  return RunHandle(impl().run(function, config, Kind::run, options));
}
RunHandle WorkerGroup::run(const TrainFunction& function, const Json& config, const RunOptions& options) {
  return RunHandle(impl().run(function, config, Kind::run, options));
}

std::optional<Checkpoint> WorkerGroup::last_checkpoint() const {
  const auto& last = impl().memory->checkpoint;
  return last ? std::optional(*last) : std::nullopt;
}

void WorkerGroup::shutdown() {
  if (impl().memory->running) throw Error(ErrorCode::in_use, "these workers run a function");
  impl().pool.reset();
}

RunHandle::RunHandle(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunHandle::~RunHandle() = default;
RunHandle::Impl& RunHandle::impl() const {
  if (!impl_) throw_invalid("this run was moved from");
  impl_->owner().check("this run of a function");
  return *impl_;
}
std::optional<Report> RunHandle::next() { return impl().next(); }
bool RunHandle::is_finished() const { return impl().is_finished(); }
const RunResults& RunHandle::returns() { return impl().returns(); }

std::ostream& operator<<(std::ostream& out, const WorkerGroup& workers) {
  const std::vector<WorkerInfo> all = workers.workers();
  std::vector<std::vector<std::string>> rows{{"worker", "node", "cores", "devices", "memory", "state"}};
  for (const WorkerInfo& each : all)
    rows.push_back({std::to_string(each.worker), each.node, std::to_string(each.cpus), std::to_string(each.gpus),
                    each.memory_bytes < 0 ? "-" : std::to_string(each.memory_bytes / 1'000'000) + " MB", each.state});
  return out << text_table(rows);
}

namespace detail {

std::string name_of_class(std::type_index type) { return std::string("class ") + type.name(); }

}  // namespace detail

bool WorkerGroup::takes_values() const {
  return impl().pool && rules_of(impl().pool->options().placement).takes_lambdas;
}

}  // namespace troupe
