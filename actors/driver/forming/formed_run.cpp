#include "actors/driver/forming/formed_run.hpp"

#include <utility>

#include "actors/messages/settle.hpp"

namespace troupe {
namespace {

std::unique_ptr<Runtime> with_host(std::unique_ptr<Runtime> runtime, const CreateModel& creator) {
  runtime->host = runtime->make_host(creator);
  return runtime;
}

}  // namespace

FormedRun::FormedRun(std::unique_ptr<Runtime> runtime, const CreateModel& creator, Generation generation)
    : runtime_(with_host(std::move(runtime), creator)),
      rounds_(runtime_->mailbox, runtime_->members, *runtime_->host),
      workers_(*runtime_, rounds_),
      home_(runtime_->make_state_home(rounds_)),
      transfers_(runtime_->members, rounds_, *home_),
      generation_(std::move(generation)) {}

FormedRun::~FormedRun() {
  const bool all_stopped = stop_workers();
  home_.reset();
  for (const int worker : members().workers()) mailbox().unseat(worker);
  // A replica that hangs cannot be stopped, and the driver would hang if it waited for the replica.
  if (!host().end_all(all_stopped)) leave_running(std::move(runtime_));
}

bool FormedRun::stop_workers() noexcept try {
  const auto time = host().time_at_end();
  std::vector<int> living;
  for (const int worker : members().workers())
    if (!members().lost(worker)) living.push_back(worker);
  if (time && !living.empty()) rounds_.ask(Stop{}, living, Phase{"stop", -1, Deadline(*time)});
  return true;
} catch (const std::exception&) {
  return false;
}

}  // namespace troupe
