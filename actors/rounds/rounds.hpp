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

/// A reply and the member that sent it.
template <class Reply>
struct From {
  int member = 0;
  Reply reply;
};

/// Sends requests to members, and waits for one reply from each of them, until a deadline. No other class waits for
/// replies of members.
class Rounds {
 public:
  Rounds(Mailbox& mailbox, Members& members, FailureDetector& detector)
      : mailbox_(mailbox), members_(members), detector_(detector), failures_(members, detector) {}

  /// Sends the same request to all members in `to`, and waits for their replies. Returns the replies, sorted by member
  /// number.
  /// @throws Error timeout if the deadline of `phase` passes; the missing workers are then marked as lost. worker_lost
  /// if a member is lost. Otherwise, the error that a member has reported
  template <class Request>
  std::vector<From<typename Request::Reply>> ask(Request request, const std::vector<int>& to, const Phase& phase) {
    Round round = begin(to);
    send(std::move(request), round, to);
    if (disturb_) disturb_(phase);
    return gather<typename Request::Reply>(round, phase);
  }
  /// Does the same as `ask`, but with a separate request for each member. Each element of `requests` is a member and
  /// the request for it.
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

  // The next functions are for rounds whose replies the caller takes one by one, with `next_reply` or `next_of`. The
  // caller may end such a round with `close` before all members have answered.
  /// Begins a round: sends `request` to all members in `to`, without waiting for replies. Returns the round, which is
  /// complete when each of these members has replied.
  template <class Request>
  Round open(Request request, const std::vector<int>& to, const Phase& phase);
  /// Begins a round with two kinds of requests: sends `request` to all members in `to`, and `other` to the member
  /// `also`. Both requests must have the same type of reply.
  template <class Request, class Other>
  Round open(Request request, const std::vector<int>& to, Other other, int also, const Phase& phase);
  /// Waits for the next reply to one of `rounds`, and returns it. Returns none if `until` passes first.
  /// @throws Error worker_lost if one of the rounds waits for a lost member; or the error that the reply reports
  template <class Reply>
  std::optional<From<Reply>> next_reply(std::vector<Round>& rounds, const Deadline& until, const Phase& phase);
  /// Waits for the next reply to one of `rounds`, like `next_reply`. The replies may have any of the types `Replies`.
  /// If a reply reports a failure, returns the reply and throws no error.
  /// @param unasked a function that is called with each answer that belongs to none of `rounds` and that no member owes
  /// (see `owes`)
  template <class... Replies>
  std::optional<std::variant<From<Replies>...>> next_of(std::vector<Round>& rounds, const Deadline& until,
                                                        const Phase& phase,
                                                        const std::function<void(const Answer&)>& unasked = {});
  /// Ends a round that `open` has returned, and treats it as successful although some members have not answered. Each
  /// of these members then owes an answer of type `Reply`. The answer is ignored when it arrives.
  template <class Reply>
  void close(const Round& late);
  /// Returns whether `answer` is the answer that its sender owed (see `owes`). If so, records that the sender owes no
  /// answer any more.
  bool settles_debt(const Answer& answer);
  /// Returns the error for `failure`, which the reply of `member` to `round` reports.
  Error failure_of(const Round& round, int member, const Failure& failure, const Phase& phase) const;
  /// Processes all events that have already arrived, without waiting: records the members that have ended, and the
  /// answers that members owed.
  void listen(const Phase& phase);
  /// Returns whether `member` owes an answer, which means that it has not yet answered a round that was ended with
  /// `close`.
  bool owes(int member) const { return owed_.contains(member); }
  /// Records that `member` owes no answer any more.
  void forgive(int member) { owed_.erase(member); }
  /// Handles the case that `round` has missed its deadline: marks the workers that have not answered as lost, and
  /// throws an error.
  /// @throws Error worker_lost if all missing members still owe an answer to an earlier round; otherwise timeout
  [[noreturn]] void time_out(const Round& round, const Phase& phase);
  /// Throws an error if `round` waits for a lost member. The loss then counts as reported; see `untold_loss`.
  /// @throws Error worker_lost
  void throw_if_lost(const Round& round, const Phase& phase);
  /// Marks `member` as lost, because it has owed an answer for too long, and throws an error.
  /// @throws Error worker_lost
  [[noreturn]] void give_up(int member, const Phase& phase);

  /// Sets a function that is called after the requests of each round were sent. It is used to inject faults.
  void disturb_by(std::function<void(const Phase&)> disturb) { disturb_ = std::move(disturb); }

  /// Marks `member` as lost, because this class or its caller has detected that the member has ended. The loss of a
  /// worker is recorded as not yet reported; see `untold_loss`.
  void note_end(int member, const Phase& phase);
  /// Returns the error for the oldest loss of a worker that no thrown error has reported yet; none if there is no such
  /// loss. Each loss is returned once. A loss is unreported if no round waited for the worker, or if the round's error
  /// named another member.
  /// @param replaced if true, ignores the losses of workers that take part and are still lost, which means that they
  /// are not replaced yet
  std::optional<Error> untold_loss(bool replaced);
  /// Discards all losses that have not been reported yet.
  void forget_untold() { untold_.clear(); }
  /// Returns whether a loss of `worker` has not been reported yet; see `untold_loss`.
  bool is_untold(int worker) const { return std::ranges::count(untold_, worker, &std::pair<int, Error>::first) > 0; }
  /// Returns whether the members are settled: the last round ended successfully. After a failed round, members may
  /// still be working on the round's requests.
  bool settled() const { return settled_; }
  /// Makes `settled` return false until the next successful round. Must be called if members continue to work after a
  /// round, because a later failure may leave this work unfinished.
  void unsettle() { settled_ = false; }
  /// Makes `settled` return true. Must be called when all rounds that `open` has returned are complete.
  void settle() { settled_ = true; }

  Where where(int member, const Phase& phase) const { return failures_.where(member, phase); }

 private:
  /// A function that returns whether a message is the answer that a member owes.
  using IsOwed = std::function<bool(const caf::message&)>;

  /// Returns a new round with the next number, which waits for the members in `to`.
  Round begin(const std::vector<int>& to);
  template <class Request>
  void send(Request request, const Round& round, const std::vector<int>& to);
  template <class Reply>
  std::vector<From<Reply>> gather(Round& round, const Phase& phase);
  template <class Reply>
  /// If `answer` has the type `Reply` and belongs to `round`, records in `round` that its sender has answered, and
  /// returns true. Otherwise returns false.
  static bool accepts(Round& round, const Answer& answer);
  /// Waits for the next answer of any member and returns it. If a failure was recorded, returns none when the time to
  /// wait for other replies is over (`Failures::deadline`).
  /// @throws Error timeout if the deadline of `phase` passes without a failure; worker_lost if the round waits for a
  /// lost member
  std::optional<Answer> next_answer(const Round& round, const Phase& phase);
  /// Waits for the next event and returns it. Returns none if the deadline passes first. While waiting, checks the
  /// signs of life of the members in `missing`, and of all members that owe an answer.
  std::optional<Event> next_event(std::vector<int> missing, Deadline deadline);
  /// Returns the error (worker_lost) for `member`, which counts as lost because it has not answered in time.
  Error silent(int member, const Phase& phase) const;

  Mailbox& mailbox_;
  Members& members_;
  FailureDetector& detector_;
  Failures failures_;  ///< the failures of the current round
  std::function<void(const Phase&)> disturb_;
  std::vector<std::pair<int, Error>> untold_;  ///< losses of workers that no error has reported yet, in order
  std::map<int, IsOwed> owed_;  ///< by member that owes an answer: a function that recognizes this answer
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
      // Unexpected replies must not extend the deadline, so check the deadline here.
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
