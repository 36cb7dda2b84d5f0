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

using Kind = Running::Impl::Kind;

class WorkerGroup::Impl {
 public:
  explicit Impl(TrainerOptions options) : crew(make_owned_here<Crew>(std::move(options))) {}

  std::shared_ptr<Running::Impl> run(Running::Impl::Request request) {
    if (!crew) throw_invalid("these workers were shut down");
    if (memory->running) throw Error(ErrorCode::in_use, "these workers run a function: one run at a time");
    return make_owned_here<Running::Impl>(crew, memory, std::move(request));
  }
  std::shared_ptr<Running::Impl> run(const std::string& function, const Json& config, Kind kind,
                                     const RunOptions& options) {
    check_depth(config, "config");
    Running::Impl::Request request{function, config, kind, options};
    if (options.dataset.has_values()) {
      check_takes_values("data");
      lend(train_functions().find(function), request);
    }
    return run(std::move(request));
  }
  std::shared_ptr<Running::Impl> run(const TrainFunction& function, const Json& config, Kind kind,
                                     const RunOptions& options) {
    if (!function) throw_invalid("the function has no body");
    check_takes_values("a function");
    check_depth(config, "config");
    Running::Impl::Request request{"a function", config, kind, options};
    lend(function, request);
    return run(std::move(request));
  }

  const OwningProcess owner;
  std::shared_ptr<Crew> crew;
  std::shared_ptr<TrainerMemory> memory = std::make_shared<TrainerMemory>();

 private:
  static void lend(const TrainFunction& function, Running::Impl::Request& request) {
    TrainFunctions::Lent lent{function};
    for (const RunData& each : request.options.dataset.all()) lent.datasets.push_back(each.data());
    request.lent = std::make_unique<const LentFunction>(std::move(lent));
  }
  void check_takes_values(const char* what) const {
    if (crew && !rules_of(crew->options().placement).takes_lambdas)
      throw Error(ErrorCode::unsupported, std::string("workers in other processes cannot be handed ") + what +
                                              " by value: register it by name");
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

int WorkerGroup::size() const { return impl().crew ? impl().crew->num_workers() : 0; }

const TrainerOptions& WorkerGroup::options() const {
  if (!impl().crew) throw_invalid("these workers were shut down");
  return impl().crew->options();
}

std::vector<WorkerInfo> WorkerGroup::workers() const {
  if (!impl().crew) return {};
  std::vector<WorkerInfo> all = impl().crew->workers();
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
Returned WorkerGroup::execute_single(const std::string& function, const Json& config) {
  return impl().run(function, config, Kind::execute_single, {})->returns().at(0);
}
Returned WorkerGroup::execute_single(const TrainFunction& function, const Json& config) {
  return impl().run(function, config, Kind::execute_single, {})->returns().at(0);
}
Running WorkerGroup::run(const std::string& function, const Json& config, const RunOptions& options) {
  return Running(impl().run(function, config, Kind::run, options));
}
Running WorkerGroup::run(const TrainFunction& function, const Json& config, const RunOptions& options) {
  return Running(impl().run(function, config, Kind::run, options));
}

std::optional<Checkpoint> WorkerGroup::last_checkpoint() const {
  const auto& last = impl().memory->checkpoint;
  return last ? std::optional(*last) : std::nullopt;
}

void WorkerGroup::shutdown() {
  if (impl().memory->running) throw Error(ErrorCode::in_use, "these workers run a function");
  impl().crew.reset();
}

Running::Running(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Running::~Running() = default;
Running::Impl& Running::impl() const {
  if (!impl_) throw_invalid("this run was moved from");
  impl_->owner().check("this run of a function");
  return *impl_;
}
std::optional<Report> Running::next() { return impl().next(); }
bool Running::is_finished() const { return impl().is_finished(); }
const RunResults& Running::returns() { return impl().returns(); }

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
  return impl().crew && rules_of(impl().crew->options().placement).takes_lambdas;
}

}  // namespace troupe
