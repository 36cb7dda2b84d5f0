#include "actors/rounds/rounds.hpp"

namespace troupe {

Round Rounds::begin(const std::vector<int>& to) {
  settled_ = false;
  failures_.clear();
  return {++last_round_, to};
}

std::optional<Answer> Rounds::next_answer(const Round& round, const Phase& phase) {
  for (;;) {
    throw_if_lost(round, phase);
    auto event = next_event(round.missing(), failures_.patience().value_or(phase.deadline));
    if (!event && failures_.any()) return std::nullopt;
    if (!event) time_out(round, phase);
    if (auto* answer = std::get_if<Answer>(&*event)) return std::move(*answer);
    note_end(std::get<Ended>(*event).member, phase);
  }
}

std::optional<Event> Rounds::next_event(std::vector<int> missing, const Deadline& deadline) {
  const auto portion = witness_.looks_every();
  if (!portion) return mailbox_.next(deadline);
  for (const auto& [member, is_owed] : owed_)
    if (!members_.lost(member)) missing.push_back(member);
  for (;;) {
    auto event = mailbox_.next(Deadline(std::min(*portion, deadline.left())));
    if (event || deadline.passed()) return event;
    witness_.look_at(missing);
  }
}

void Rounds::note_end(int member, const Phase& phase) {
  members_.lose(member);
  owed_.erase(member);
  witness_.note_end(member);
  if (!members_.is_node(member)) untold_.insert_or_assign(member, failures_.of_loss(member, phase));
}

void Rounds::throw_if_lost(const Round& round, const Phase& phase) {
  for (const int member : round.missing())
    if (members_.lost(member)) {
      untold_.erase(member);
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
  while (auto event = mailbox_.next(Deadline(std::chrono::milliseconds(0)))) {
    if (const auto* ended = std::get_if<Ended>(&*event))
      note_end(ended->member, phase);
    else
      settles_debt(std::get<Answer>(*event));
  }
}

void Rounds::give_up(int member, const Phase& phase) {
  members_.lose(member);
  owed_.erase(member);
  throw Error(ErrorCode::worker_lost, "a worker was lost: it did not answer in time", where(member, phase));
}

void Rounds::time_out(const Round& round, const Phase& phase) {
  for (const int member : round.missing())
    if (!members_.is_node(member)) {
      members_.lose(member);
      owed_.erase(member);
    }
  throw failures_.of_silence(round, phase);
}

}  // namespace troupe
