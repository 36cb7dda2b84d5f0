#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "actors/rounds/failures.hpp"
#include "actors/rounds/mailbox.hpp"

namespace troupe {

/// A reply, and whose it is.
template <class Reply>
struct From {
  int member = 0;
  Reply reply;
};

/// Sends requests to members and gathers one reply of each, by a deadline. Nobody else waits for replies.
class Rounds {
 public:
  Rounds(Mailbox& mailbox, Members& members, FailureDetector& detector)
      : mailbox_(mailbox), members_(members), detector_(detector), failures_(members, detector) {}

  /// One request to all of `to`; replies in order of member.
  /// @throws Error timeout, worker_lost, or what a member failed with; members that are late are lost from then on.
  template <class Request>
  std::vector<From<typename Request::Reply>> ask(Request request, const std::vector<int>& to, const Phase& phase) {
    Round round = begin(to);
    send(std::move(request), round, to);
    if (disturb_) disturb_(phase);
    return gather<typename Request::Reply>(round, phase);
  }
  /// To each its own.
  template <class Request>
  std::vector<From<typename Request::Reply>> ask_each(const std::vector<std::pair<int, Request>>& requests,
                                                      const Phase& phase) {
    std::vector<int> to;
    to.reserve(requests.size());
    for (const auto& [member, request] : requests) to.push_back(member);
    Round round = begin(to);
    for (const auto& [member, request] : requests) send(request, round, {member});
    if (disturb_) disturb_(phase);
    return gather<typename Request::Reply>(round, phase);
  }

  // A round whose replies come one by one, and of which some may be given up.
  template <class Request>
  Round open(Request request, const std::vector<int>& to, const Phase& phase);
  /// The same, and another request with the same kind of reply to one member more.
  template <class Request, class Other>
  Round open(Request request, const std::vector<int>& to, Other other, int also, const Phase& phase);
  /// The next reply to one of these rounds; none where `until` passes first. @throws Error as `ask`, but for timeout
  template <class Reply>
  std::optional<From<Reply>> next_reply(std::vector<Round>& rounds, const Deadline& until, const Phase& phase);
  /// As `next_reply`, where rounds have replies of several kinds, and who failed says so with his.
  /// @param unasked is given what answers none of them, nor is owed
  template <class... Replies>
  std::optional<std::variant<From<Replies>...>> next_of(std::vector<Round>& rounds, const Deadline& until,
                                                        const Phase& phase,
                                                        const std::function<void(const Answer&)>& unasked = {});
  /// Ends such rounds well, though members have not answered one of them: when they do, it is no news.
  template <class Reply>
  void close(const Round& late);
  /// Whether an answer is one that is owed; then it is no more.
  bool settles_debt(const Answer& answer);
  /// What a reply of this round says that failed.
  Error failure_of(const Round& round, int member, const Failure& failure, const Phase& phase) const;
  /// Takes note of what has come since, and waits for nothing.
  void listen(const Phase& phase);
  /// Whether a member has not yet answered a round that is closed.
  bool owes(int member) const { return owed_.contains(member); }
  /// It will not.
  void forgive(int member) { owed_.erase(member); }
  /// Members have not answered, and are lost. @throws Error timeout, or worker_lost where all of them owe an answer of
  /// an earlier round
  [[noreturn]] void time_out(const Round& round, const Phase& phase);
  /// @throws Error worker_lost where one that has not answered is lost; the loss is told of then
  void throw_if_lost(const Round& round, const Phase& phase);
  /// It is lost, since it owes an answer for too long. @throws Error worker_lost
  [[noreturn]] void give_up(int member, const Phase& phase);

  /// Is called when the requests of a round are on their way, to let something go wrong on purpose.
  void disturb_by(std::function<void(const Phase&)> disturb) { disturb_ = std::move(disturb); }

  /// A member has ended, as was seen here or elsewhere.
  void note_end(int member, const Phase& phase);
  /// The end of a worker that no error has told of, since nobody waited for it, or for others who were blamed; none
  /// when all are told of. Each is told once. @param replaced only of those that have come again
  std::optional<Error> untold_loss(bool replaced);
  void forget_untold() { untold_.clear(); }
  /// Whether nobody has been told of a loss of this worker.
  bool is_untold(int worker) const { return std::ranges::count(untold_, worker, &std::pair<int, Error>::first) > 0; }
  /// True when the last round ended well: nobody may still be busy with what failed.
  bool settled() const { return settled_; }
  /// Something failed that rounds do not see.
  void unsettle() { settled_ = false; }
  /// Rounds whose replies came one by one are all over.
  void settle() { settled_ = true; }

  Where where(int member, const Phase& phase) const { return failures_.where(member, phase); }

 private:
  /// Whether an answer is one that is owed.
  using IsOwed = std::function<bool(const caf::message&)>;

  Round begin(const std::vector<int>& to);
  template <class Request>
  void send(Request request, const Round& round, const std::vector<int>& to);
  template <class Reply>
  std::vector<From<Reply>> gather(Round& round, const Phase& phase);
  template <class Reply>
  static bool accepts(Round& round, const Answer& answer);
  /// The next answer; none where others have had time to say who is to blame.
  std::optional<Answer> next_answer(const Round& round, const Phase& phase);
  /// What happens next, until the deadline; none where it passes. Looks for signs of life meanwhile.
  std::optional<Event> next_event(std::vector<int> missing, Deadline deadline);
  Error silent(int member, const Phase& phase) const;

  Mailbox& mailbox_;
  Members& members_;
  FailureDetector& detector_;
  Failures failures_;  ///< of the round that is being gathered
  std::function<void(const Phase&)> disturb_;
  std::vector<std::pair<int, Error>> untold_;  ///< ends of workers, in order
  std::map<int, IsOwed> owed_;                 ///< by member
  std::uint64_t last_round_ = 0;
  bool settled_ = false;
};

template <class Reply>
bool Rounds::accepts(Round& round, const Answer& answer) {
  return answer.content.match_elements<Reply>() && round.accept(answer.content.get_as<Reply>(0).round, answer.member);
}

template <class Reply>
std::vector<From<Reply>> Rounds::gather(Round& round, const Phase& phase) {
  std::vector<From<Reply>> replies;
  while (!round.complete() && !failures_.clear_cut()) {
    auto answer = next_answer(round, phase);
    if (!answer) break;
    if (settles_debt(*answer) || !accepts<Reply>(round, *answer)) {
      // Whoever says what nobody asked for, and goes on and on, holds nobody up.
      if (phase.deadline.passed()) time_out(round, phase);
      continue;
    }
    auto& reply = answer->content.get_mutable_as<Reply>(0);
    if (reply.failure)
      failures_.note(answer->member, reply.failure, phase);
    else
      replies.push_back({answer->member, std::move(reply)});
  }
  if (failures_.any()) throw failures_.of_answers(round, phase);
  settled_ = true;
  std::sort(replies.begin(), replies.end(), [](const auto& a, const auto& b) { return a.member < b.member; });
  return replies;
}

template <class Request>
Round Rounds::open(Request request, const std::vector<int>& to, const Phase& phase) {
  Round round = begin(to);
  send(std::move(request), round, to);
  if (disturb_) disturb_(phase);
  return round;
}

template <class Request, class Other>
Round Rounds::open(Request request, const std::vector<int>& to, Other other, int also, const Phase& phase) {
  std::vector<int> all = to;
  all.push_back(also);
  Round round = begin(all);
  send(std::move(request), round, to);
  send(std::move(other), round, {also});
  if (disturb_) disturb_(phase);
  return round;
}

template <class Request>
void Rounds::send(Request request, const Round& round, const std::vector<int>& to) {
  request.round = round.number();
  const caf::message message = caf::make_message(std::move(request));
  for (const int member : to) mailbox_.send(member, message);
}

template <class Reply>
std::optional<From<Reply>> Rounds::next_reply(std::vector<Round>& rounds, const Deadline& until, const Phase& phase) {
  auto next = next_of<Reply>(rounds, until, phase);
  if (!next) return std::nullopt;
  auto& from = std::get<0>(*next);
  const Round& round = *std::ranges::find(rounds, from.reply.round, &Round::number);
  if (from.reply.failure) throw failure_of(round, from.member, from.reply.failure, phase);
  return std::move(from);
}

template <class... Replies>
std::optional<std::variant<From<Replies>...>> Rounds::next_of(std::vector<Round>& rounds, const Deadline& until,
                                                              const Phase& phase,
                                                              const std::function<void(const Answer&)>& unasked) {
  std::optional<std::variant<From<Replies>...>> taken;
  const auto take = [&]<class Reply>(Answer& answer, const Reply* /*kind*/) {
    if (std::ranges::none_of(rounds, [&](Round& round) { return accepts<Reply>(round, answer); })) return false;
    taken = From<Reply>{answer.member, std::move(answer.content.get_mutable_as<Reply>(0))};
    return true;
  };
  for (;;) {
    std::vector<int> missing;
    for (const Round& round : rounds) {
      throw_if_lost(round, phase);
      missing.insert(missing.end(), round.missing().begin(), round.missing().end());
    }
    auto event = next_event(std::move(missing), until);
    if (!event) return std::nullopt;
    if (const auto* ended = std::get_if<Ended>(&*event)) {
      note_end(ended->member, phase);
      continue;
    }
    auto& answer = std::get<Answer>(*event);
    if (!settles_debt(answer)) {
      if ((take(answer, static_cast<const Replies*>(nullptr)) || ...)) return taken;
      if (unasked) unasked(answer);
    }
    if (until.passed()) return std::nullopt;
  }
}

template <class Reply>
void Rounds::close(const Round& late) {
  for (const int member : late.missing())
    owed_[member] = [number = late.number()](const caf::message& content) {
      return content.match_elements<Reply>() && content.get_as<Reply>(0).round == number;
    };
  settled_ = true;
}

}  // namespace troupe
