#include "actors/functions/function_run.hpp"

#include <numeric>
#include <sstream>

#include "actors/functions/bundle.hpp"
#include "actors/functions/function_table.hpp"
#include "collectives/group/node_communicator.hpp"
#include "collectives/group/shared_communicator.hpp"
#include "models/data/data_memory.hpp"
#include "models/data/shared/shared_memory.hpp"
#include "models/maths_threads.hpp"
#include "models/network/accelerators.hpp"
#include "runtime/fork/owning_process.hpp"
#include "runtime/printable.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {
namespace {

/// Returns the numbers of the CUDA devices that belong to a worker. The workers of a machine have consecutive devices,
/// in the order of their local ranks.
/// @throws Error unsupported if the machine has too few devices; protocol if their number is negative
std::vector<int> devices_of(const StartFunction& request) {
  if (request.gpus < 0) throw Error(ErrorCode::protocol, "a worker cannot have a negative number of devices");
  require_accelerators(std::int64_t{request.local_size} * request.gpus, "the workers of this machine need");
  std::vector<int> devices(static_cast<std::size_t>(request.gpus));
  std::iota(devices.begin(), devices.end(), request.local_rank * request.gpus);
  return devices;
}

Placing placing_of(const StartFunction& request) {
  Placing placing;
  placing.rank = request.rank;
  placing.local_rank = request.local_rank;
  placing.world_size = request.size;
  placing.attempt = request.attempt;
  placing.in_worker = true;
  placing.seed = request.seed;
  placing.node = request.node;
  placing.devices = devices_of(request);
  placing.config = json_from(request.config);
  return placing;
}

}  // namespace

ObjectId group_id(const StartFunction& request) {
  return {.run = request.run, .generation = static_cast<std::uint64_t>(request.attempt), .kind = ObjectKind::group};
}

FunctionRun::FunctionRun(const StartFunction& request, int worker, std::shared_ptr<StoreClient> store,
                         std::shared_ptr<FunctionMemory> memory, std::shared_ptr<NodeGroup> node_group)
    : Surroundings(placing_of(request)),
      request_(request),
      worker_(worker),
      store_(std::move(store)),
      memory_(std::move(memory)),
      node_group_(std::move(node_group)) {
  TrainTask task = functions().of_trainers.find(request.name);
  function_ = std::move(task.function);
  placing_.datasets = std::move(task.datasets);
}

void FunctionRun::begin() {
  start_thread([self = shared_from_this()] { self->run(); }).detach();
}

void FunctionRun::run() {
  Failure failure;
  int blamed = -1;
  try {
    use_maths_threads(request_.cores);
    load_datasets();
    join_group();
    const ShownHere shown(shared_from_this());
    const TaskResult returned = call_function();
    outbox_.say(FrameKind::result, to_bytes(returned));
    leave(ErrorCode::model_failed, "has returned from its function");
  } catch (const Error& error) {
    failure = Failure::from(std::current_exception(), ErrorCode::model_failed);
    blamed = blamed_by(error);
    leave(ErrorCode::model_failed, "threw: " + error.message());
  } catch (const std::exception& error) {
    failure = Failure::from(std::current_exception(), ErrorCode::model_failed);
    leave(ErrorCode::model_failed, std::string("threw: ") + error.what());
  } catch (...) {
    failure = Failure::from(std::current_exception(), ErrorCode::model_failed);
    leave(ErrorCode::model_failed, "threw an object that is not a std::exception");
  }
  {
    const std::lock_guard lock(mutex_);
    group_ = Group();
    communicator_.reset();
    node_group_.reset();
  }
  ended_ = true;
  outbox_.end(failure, blamed);
}

TaskResult FunctionRun::call_function() {
  const ForkBarrier barrier;
  return function_(placing_.config);
}

void FunctionRun::load_datasets() {
  const bool has_process = shared_memory() != nullptr;  // true if the worker is a process of its own
  limit_data_memory(request_.data_memory, request_.local_size, has_process ? request_.local_size : 1);
  std::istringstream names(request_.datasets);
  std::size_t number = 0;
  for (std::string name; std::getline(names, name, '\0'); ++number) {
    // A data set that is passed by name may have no entry yet.
    if (number == placing_.datasets.size()) placing_.datasets.emplace_back();
    TrainingData& data = placing_.datasets[number];
    if (!name.empty()) data = load_data(name, request_.seed);
    if (!data.train) throw Error(ErrorCode::protocol, "the driver neither names the data nor passes it by value");
  }
}

std::shared_ptr<Communicator> FunctionRun::communicate(const AskAbsent& absent) const {
  const std::chrono::milliseconds timeout(request_.timeout_ms);
  if (node_group_) return make_owned_here<NodeCommunicator>(node_group_, request_.rank, timeout, absent);
  SharedCommunicator::Place place;
  place.id = group_id(request_);
  place.rank = request_.rank;
  place.size = request_.size;
  place.name = {worker_, request_.node};
  place.timeout = timeout;
  return make_owned_here<SharedCommunicator>(store_, place, absent);
}

void FunctionRun::join_group() {
  if (request_.size == 1) return;
  auto communicator = communicate([this] {
    const std::lock_guard lock(mutex_);
    return absence_;
  });
  const std::lock_guard lock(mutex_);
  if (absence_) communicator->break_up(*absence_);
  group_ = Group(communicator);
  communicator_ = std::move(communicator);
}

int FunctionRun::blamed_by(const Error& error) const {
  const auto* const absent = dynamic_cast<const AbsentRank*>(&error);
  return absent == nullptr || absent->rank() == request_.rank ? -1 : absent->rank();
}

/// Reads `communicator_` without a lock. This is safe, because only the function's thread changes `communicator_`, and
/// `leave` is called on that thread.
void FunctionRun::leave(ErrorCode code, const std::string& text) {
  if (communicator_) communicator_->leave(code, text);
}

void FunctionRun::stop(const StopFunction& request) {
  stop_ = true;
  if (request.absent < 0) return;
  const std::lock_guard lock(mutex_);
  absence_ = Absence{static_cast<ErrorCode>(request.code), request.absent, printable(request.why)};
  if (communicator_) communicator_->break_up(*absence_);
}

void FunctionRun::abandon() {
  stop_ = true;
  outbox_.close();
}

void FunctionRun::report(const Json& metrics) {
  outbox_.say(FrameKind::report, to_text(metrics));
  if (request_.awaits_reports) outbox_.await_heard();
}

void FunctionRun::save(Checkpoint checkpoint) {
  checkpoint.number = ++saved_;
  outbox_.say(FrameKind::checkpoint, to_bytes(checkpoint));
  outbox_.await_heard();
}

std::optional<Checkpoint> FunctionRun::load() {
  if (memory_->checkpoint.empty()) return std::nullopt;
  return checkpoint_from(memory_->checkpoint);
}

}  // namespace troupe
