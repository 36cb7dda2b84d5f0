#include "actors/driver/forming/recovery.hpp"

#include "runtime/processes/held_signals.hpp"

namespace troupe {

void Recovery::replace_lost(const Phase& phase, const std::set<int>& coming) {
  // Block signals here: the folder of the socket at which workers join must be removed before Ctrl-C can end this
  // process.
  const HeldSignals held;
  try {
    for (const int worker : members_.lost_workers())
      if (!coming.contains(worker)) restart(worker, phase);
    wait_for_joins(phase, held);
  } catch (...) {
    host_.stop_listening();
    throw;
  }
  host_.stop_listening();
}

void Recovery::restart(int worker, const Phase& phase) {
  check_node_of(worker, phase);
  start(worker);
}

void Recovery::start(int worker) {
  mailbox_.unseat(worker);
  host_.start(worker);
}

bool Recovery::is_coming(int worker) const {
  return !mailbox_.has_arrival() && host_.how_it_ended(worker, std::chrono::milliseconds(0)).empty();
}

void Recovery::check_node_of(int worker, const Phase& phase) const {
  if (members_.num_nodes() == 0 || !members_.lost(members_.member_of_node(members_.node_of(worker)))) return;
  throw Error(ErrorCode::worker_lost, "a node has left the run; its part of the optimizer's state is lost",
              rounds_.where(worker, phase));
}

void Recovery::wait_for_joins(const Phase& phase, const HeldSignals& held) {
  while (!members_.lost_workers().empty()) {
    // Wait in short intervals and check the processes in between, because a process that ends before it joins sends no
    // message.
    const Deadline portion(std::min(phase.deadline.left(), std::chrono::milliseconds(50)));
    const auto happening = mailbox_.next_happening(portion);
    if (happening) handle(*happening, phase);
    if (happening && !phase.deadline.passed()) continue;
    const auto missing = members_.lost_workers();
    if (!missing.empty()) check_missing(missing.front(), phase, held);
  }
}

void Recovery::handle(const Happening& happening, const Phase& phase) {
  if (const auto* arrival = std::get_if<WorkerArrival>(&happening)) return accept(*arrival, phase);
  if (const auto* answer = std::get_if<Answer>(&happening)) rounds_.settles_debt(*answer);
  const auto* ended = std::get_if<Ended>(&happening);
  if (ended == nullptr) return;
  rounds_.note_end(ended->member, phase);
  // A worker that had already joined has ended. Start a replacement for this worker as well.
  if (!members_.is_node(ended->member)) restart(ended->member, phase);
}

void Recovery::accept(const WorkerArrival& arrival, const Phase& phase) {
  const Join& join = arrival.join;
  if (!members_.takes_part(join.worker)) return;
  if (!host_.is_expected(arrival) || !members_.lost(join.worker)) return;
  if (join.protocol != kProtocolVersion)
    throw Error(
        ErrorCode::protocol,
        "a worker uses protocol version " + std::to_string(join.protocol) + ", not " + std::to_string(kProtocolVersion),
        rounds_.where(join.worker, phase));
  members_.come(join.worker);
  mailbox_.seat(join.worker, arrival.actor);
}

void Recovery::check_missing(int worker, const Phase& phase, const HeldSignals& held) {
  const Where where = rounds_.where(worker, phase);
  const std::string how = host_.how_it_ended(worker, std::chrono::milliseconds(0));
  if (const auto why = host_.why_not_started(worker, where); why && !how.empty()) throw Error(*why);
  if (!how.empty()) throw Error(ErrorCode::worker_lost, "a worker was lost before it joined: " + how, where);
  if (held.came()) throw Error(ErrorCode::system, "interrupted while workers start", where);
  if (phase.deadline.passed()) throw Error(ErrorCode::timeout, "a worker did not join in time", where);
}

}  // namespace troupe
