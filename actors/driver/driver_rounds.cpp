#include "actors/driver/driver_rounds.hpp"

#include <numeric>

namespace troupe {
namespace {

/// The end of a connection may be seen before the end of the process.
constexpr std::chrono::milliseconds kReapTimeout{500};

Range lanes_of(int worker, int devices) {
  return {static_cast<std::size_t>(worker * devices), static_cast<std::size_t>((worker + 1) * devices)};
}

}  // namespace

std::vector<int> Driver::all_workers() const {
  std::vector<int> all(slots_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int> Driver::workers_with_slices() const {
  std::vector<int> with;
  for (const int worker : all_workers())
    if (!plan_.idle(lanes_of(worker, options_.devices_per_worker))) with.push_back(worker);
  return with;
}

Range Driver::shards_of_worker(int worker) const {
  return plan_.topology.shards_of_lanes(lanes_of(worker, options_.devices_per_worker));
}

const caf::actor& Driver::actor_of(int member) const {
  if (is_node(member)) return runtime_->cluster->node(member - options_.num_workers).actor;
  return slots_[static_cast<std::size_t>(member)].actor;
}

bool Driver::is_lost(int member) const {
  if (is_node(member)) return runtime_->cluster->node(member - options_.num_workers).lost;
  return slots_[static_cast<std::size_t>(member)].lost;
}

bool Driver::is_from(int member, const caf::actor_addr& sender) {
  const int members = options_.num_workers + (runtime_->cluster ? runtime_->cluster->size() : 0);
  if (member >= 0 && member < members && actor_of(member) && actor_of(member).address() == sender) return true;
  if (runtime_->cluster) runtime_->cluster->check_sender(member, sender);
  return false;
}

std::string Driver::missing_text(const Round& round) const {
  if (!is_node(round.missing().front())) return round.missing_text();
  std::string names;
  for (const int member : round.missing()) names += (names.empty() ? "" : ", ") + where(member, "").node;
  return (round.missing().size() == 1 ? "node " : "nodes ") + names;
}

Where Driver::where(int member, const char* phase) const {
  if (is_node(member)) return {-1, runtime_->cluster->node(member - options_.num_workers).name, phase, step_ + 1, {}};
  return {member, runtime_->host->node(member), phase, step_ + 1, {}};
}

std::optional<Event> Driver::next_event(const Round& round, const char* phase, const Deadline& deadline) {
  for (;;) {
    throw_if_lost(round, phase);
    auto event = runtime_->mailbox.next(deadline);
    if (!event) return std::nullopt;
    const auto* ended = std::get_if<Ended>(&*event);
    if (ended == nullptr) return event;
    note_end(*ended);
  }
}

void Driver::throw_blame(const Round& round, const Failures& failures, const char* phase) const {
  const auto is_silent = [&](const auto& failure) {
    return std::any_of(round.missing().begin(), round.missing().end(),
                       [&](int member) { return where(member, phase).node == failure.second.node; });
  };
  auto blame = std::find_if(failures.begin(), failures.end(), is_silent);
  if (blame == failures.end()) blame = failures.begin();
  throw blame->second.to_error(where(blame->first, phase));
}

void Driver::note_end(const Ended& ended) {
  if (runtime_->cluster && runtime_->cluster->note_end(ended.actor)) return;
  for (Slot& slot : slots_)
    if (slot.actor && slot.actor.address() == ended.actor) slot.lost = true;
}

void Driver::throw_if_lost(const Round& round, const char* phase) const {
  for (const int member : round.missing()) {
    if (!is_lost(member)) continue;
    if (is_node(member))
      throw Error(ErrorCode::worker_lost,
                  "a node was lost: " + runtime_->cluster->node(member - options_.num_workers).how_it_ended(),
                  where(member, phase));
    const std::string how = runtime_->host->how_it_ended(member, kReapTimeout);
    throw Error(ErrorCode::worker_lost, "a worker was lost" + (how.empty() ? "" : ": " + how), where(member, phase));
  }
}

void Driver::time_out(const Round& round, const char* phase) {
  for (const int member : round.missing())
    if (!is_node(member)) slots_[static_cast<std::size_t>(member)].lost = true;
  throw Error(ErrorCode::timeout, missing_text(round) + " did not answer in time",
              where(round.missing().front(), phase));
}

}  // namespace troupe
