#include "actors/driver_rounds.hpp"

#include <numeric>

namespace troupe {
namespace {

/// The end of a connection may be seen before the end of the process.
constexpr std::chrono::milliseconds kReapTimeout{500};

}  // namespace

std::vector<int> Driver::all_workers() const {
  std::vector<int> all(slots_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int> Driver::workers_with_slices() const {
  std::vector<int> with;
  for (const int worker : all_workers())
    if (!plan_.slices[static_cast<std::size_t>(worker)].empty()) with.push_back(worker);
  return with;
}

Where Driver::where(int worker, const char* phase) const {
  return {worker, runtime_->host->node(worker), phase, step_ + 1, {}};
}

Event Driver::wait_for_event(const Round& round, const char* phase, const Deadline& deadline) {
  for (;;) {
    throw_if_lost(round, phase);
    auto event = runtime_->mailbox.next(deadline);
    if (!event) time_out(round, phase);
    const auto* ended = std::get_if<Ended>(&*event);
    if (ended == nullptr) return std::move(*event);
    note_end(*ended);
  }
}

void Driver::note_end(const Ended& ended) {
  for (Slot& slot : slots_)
    if (slot.actor && slot.actor.address() == ended.actor) slot.lost = true;
}

void Driver::throw_if_lost(const Round& round, const char* phase) const {
  for (const int worker : round.missing()) {
    if (!slots_[static_cast<std::size_t>(worker)].lost) continue;
    const std::string how = runtime_->host->how_it_ended(worker, kReapTimeout);
    throw Error(ErrorCode::worker_lost, "a worker was lost" + (how.empty() ? "" : ": its process " + how),
                where(worker, phase));
  }
}

void Driver::time_out(const Round& round, const char* phase) {
  for (const int worker : round.missing()) slots_[static_cast<std::size_t>(worker)].lost = true;
  throw Error(ErrorCode::timeout, round.missing_text() + " did not answer in time",
              where(round.missing().front(), phase));
}

}  // namespace troupe
