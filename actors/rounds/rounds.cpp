#include "actors/rounds/rounds.hpp"

namespace troupe {
namespace {

/// If a wait ends at least this much later than its deadline, this process must have been stopped, or got no CPU time.
constexpr std::chrono::milliseconds kStopped{500};
/// If this process was stopped during a wait, the wait continues for at least this time. Otherwise, members whose
/// messages arrived while the process was stopped would count as late.
constexpr std::chrono::milliseconds kHearing{1000};

}  // namespace

Round Rounds::begin(const std::vector<int>& to) {
  settled_ = false;
  failures_.clear();
  return {++last_round_, to};
}

std::optional<Answer> Rounds::next_answer(const Round& round, const Phase& phase) {
  for (;;) {
    throw_if_lost(round, phase);
    auto event = next_event(round.missing(), failures_.deadline().value_or(phase.deadline));
    if (!event && failures_.any()) return std::nullopt;
    if (!event) time_out(round, phase);
    if (auto* answer = std::get_if<Answer>(&*event)) return std::move(*answer);
    note_end(std::get<Ended>(*event).member, phase);
  }
}

std::optional<Event> Rounds::next_event(std::vector<int> missing, Deadline deadline) {
  for (const auto& [member, is_owed] : owed_)
    if (!members_.lost(member)) missing.push_back(member);
  // Parameter servers are threads of this process: they have no signs of life to check.
  std::erase_if(missing, Members::is_server);
  const auto portion = detector_.looks_every();
  for (bool heard_out = false;;) {
    const Deadline next = portion ? Deadline(std::min(*portion, deadline.left())) : deadline;
    if (auto event = mailbox_.next(next)) return event;
    if (!heard_out && Clock::now() - next.at() > kStopped) {
      // This process was stopped. First process the messages that arrived while it was stopped.
      heard_out = true;
      deadline = Deadline(std::max(deadline.left(), kHearing));
      continue;
    }
    if (!portion || deadline.passed()) return std::nullopt;
    for (const int ended : detector_.look_at(missing))
      if (!members_.lost(ended)) return Ended{ended};
  }
}

void Rounds::note_end(int member, const Phase& phase) {
  detector_.note_end(member);
  owed_.erase(member);
  if (members_.lost(member)) return;
  members_.lose(member);
  if (!members_.is_node(member)) untold_.emplace_back(member, failures_.of_loss(member, phase));
}

void Rounds::throw_if_lost(const Round& round, const Phase& phase) {
  for (const int member : round.missing())
    if (members_.lost(member)) {
      // This error reports the newest loss of the worker. If an earlier worker with the same number was lost, too, the
      // earlier loss remains unreported.
      const auto newest = std::ranges::find(untold_.rbegin(), untold_.rend(), member, &std::pair<int, Error>::first);
      if (newest != untold_.rend()) untold_.erase(std::next(newest).base());
      throw failures_.of_loss(member, phase);
    }
}

std::optional<Error> Rounds::untold_loss(bool replaced) {
  const auto next = std::ranges::find_if(untold_, [&](const auto& each) {
    return !replaced || !members_.lost(each.first) || !members_.takes_part(each.first);
  });
  if (next == untold_.end()) return std::nullopt;
  const Error loss = next->second;
  untold_.erase(next);
  return loss;
}

bool Rounds::settles_debt(const Answer& answer) {
  const auto owed = owed_.find(answer.member);
  if (owed == owed_.end() || !owed->second(answer.content)) return false;
  owed_.erase(owed);
  return true;
}

void Rounds::listen(const Phase& phase) {
  while (!phase.deadline.passed()) {
    const auto event = mailbox_.next(Deadline(std::chrono::milliseconds(0)));
    if (!event) return;
    if (const auto* ended = std::get_if<Ended>(&*event))
      note_end(ended->member, phase);
    else
      settles_debt(std::get<Answer>(*event));
  }
}

Error Rounds::failure_of(const Round& round, int member, const Failure& failure, const Phase& phase) const {
  Failures alone(members_, detector_);
  alone.note(member, failure, phase);
  return alone.of_answers(round, phase);
}

void Rounds::give_up(int member, const Phase& phase) {
  members_.lose(member);
  owed_.erase(member);
  throw silent(member, phase);
}

Error Rounds::silent(int member, const Phase& phase) const {
  return {ErrorCode::worker_lost, "a worker was lost: it did not answer in time", where(member, phase)};
}

void Rounds::time_out(const Round& round, const Phase& phase) {
  // If all missing members owe an answer to an earlier round, they are stragglers that later steps have left out. Then
  // the error is worker_lost, not timeout, so that the stragglers are replaced.
  if (std::ranges::all_of(round.missing(), [this](int member) { return owes(member); })) {
    for (const int member : round.missing()) {
      members_.lose(member);
      owed_.erase(member);
      untold_.emplace_back(member, silent(member, phase));
    }
    const Error first = untold_.back().second;
    untold_.pop_back();
    throw Error(first);
  }
  for (const int member : round.missing())
    if (!members_.is_node(member)) {
      members_.lose(member);
      owed_.erase(member);
    }
  throw failures_.of_silence(round, phase);
}

}  // namespace troupe
