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

/// Sends requests to members and gathers one reply from each before a deadline. No other class waits for replies.
class Rounds {
 public:
  Rounds(Mailbox& mailbox, Members& members, FailureDetector& detector)
      : mailbox_(mailbox), members_(members), detector_(detector), failures_(members, detector) {}

  /// Sends one request to all members in `to`. Returns the replies, sorted by member.
  /// @throws Error timeout, worker_lost, or the error that a member reported. Workers that miss the deadline are marked
  /// as lost.
  template <class Request>
  std::vector<From<typename Request::Reply>> ask(Request request, const std::vector<int>& to, const Phase& phase) {
    Round round = begin(to);
    send(std::move(request), round, to);
    if (disturb_) disturb_(phase);
    return gather<typename Request::Reply>(round, phase);
  }
  /// As `ask`, but sends a separate request to each member.
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

  // Rounds whose replies are taken one by one, with `next_reply` or `next_of`. The caller may end such a round with
  // `close` before all members have answered.
  /// Sends `request` to all members in `to`. Returns the round, which waits for one reply from each of them.
  template <class Request>
  Round open(Request request, const std::vector<int>& to, const Phase& phase);
  /// As above, and also sends the request `other` to the member `also`. Its reply must have the same type.
  template <class Request, class Other>
  Round open(Request request, const std::vector<int>& to, Other other, int also, const Phase& phase);
  /// Returns the next reply to one of these rounds, or none if `until` passes first.
  /// @throws Error as `ask`, except timeout
  template <class Reply>
  std::optional<From<Reply>> next_reply(std::vector<Round>& rounds, const Deadline& until, const Phase& phase);
  /// As `next_reply`, for rounds whose replies have one of several types. If a reply reports a failure, the reply is
  /// returned, and no error is thrown.
  /// @param unasked called with each answer that belongs to none of these rounds and is not owed (see `owes`)
  template <class... Replies>
  std::optional<std::variant<From<Replies>...>> next_of(std::vector<Round>& rounds, const Deadline& until,
                                                        const Phase& phase,
                                                        const std::function<void(const Answer&)>& unasked = {});
  /// Ends a round that `open` has returned as a success, although some members have not answered. These members then
  /// owe an answer of type `Reply`, which is ignored when it arrives.
  template <class Reply>
  void close(const Round& late);
  /// Returns whether `answer` is an answer that its member owed. If so, records that the member no longer owes it.
  bool settles_debt(const Answer& answer);
  /// Returns the error for `failure`, which the member's reply to this round reports.
  Error failure_of(const Round& round, int member, const Failure& failure, const Phase& phase) const;
  /// Processes all events that have already arrived: records lost members and late answers. Does not wait.
  void listen(const Phase& phase);
  /// Returns whether a member owes an answer: it has not yet answered a round that was closed.
  bool owes(int member) const { return owed_.contains(member); }
  /// Records that the member owes no answer any more.
  void forgive(int member) { owed_.erase(member); }
  /// Marks the workers that have not answered `round` as lost.
  /// @throws Error timeout, or worker_lost if all missing members still owe an answer to an earlier round
  [[noreturn]] void time_out(const Round& round, const Phase& phase);
  /// @throws Error worker_lost if a member that has not answered `round` is lost. The loss then counts as reported; see
  /// `untold_loss`.
  void throw_if_lost(const Round& round, const Phase& phase);
  /// Marks a member as lost because it has owed an answer for too long.
  /// @throws Error worker_lost
  [[noreturn]] void give_up(int member, const Phase& phase);

  /// Sets a function that is called each time after the requests of a round were sent. Used to inject faults.
  void disturb_by(std::function<void(const Phase&)> disturb) { disturb_ = std::move(disturb); }

  /// Marks a member as lost because its end was seen, by this class or by its caller. The loss of a worker then waits
  /// to be reported; see `untold_loss`.
  void note_end(int member, const Phase& phase);
  /// Returns the error for the oldest loss of a worker that no error has reported yet, or none. Each loss is returned
  /// once. A loss stays unreported if no round waited for the worker, or if another member was blamed.
  /// @param replaced if true, skips workers that are still lost and take part
  std::optional<Error> untold_loss(bool replaced);
  /// Discards all losses that have not been reported yet.
  void forget_untold() { untold_.clear(); }
  /// Returns whether a loss of this worker has not been reported yet.
  bool is_untold(int worker) const { return std::ranges::count(untold_, worker, &std::pair<int, Error>::first) > 0; }
  /// Returns whether the last round ended successfully. After a failed round, members may still be working on its
  /// requests.
  bool settled() const { return settled_; }
  /// Makes `settled` return false until the next successful round. Call it when members continue to work after a round,
  /// so that a later failure may leave their work unfinished.
  void unsettle() { settled_ = false; }
  /// Makes `settled` return true. Call it when all rounds that `open` has returned are over.
  void settle() { settled_ = true; }

  Where where(int member, const Phase& phase) const { return failures_.where(member, phase); }

 private:
  /// Returns whether a message is the answer that the member owes.
  using IsOwed = std::function<bool(const caf::message&)>;

  /// Returns a new round with the next number, which waits for the members in `to`.
  Round begin(const std::vector<int>& to);
  template <class Request>
  void send(Request request, const Round& round, const std::vector<int>& to);
  template <class Reply>
  std::vector<From<Reply>> gather(Round& round, const Phase& phase);
  template <class Reply>
  /// If `answer` is a reply of this type to `round`, records the answer in `round` and returns true.
  static bool accepts(Round& round, const Answer& answer);
  /// Returns the next answer of any member. After a failure, returns none when the time to wait for other replies is
  /// over.
  /// @throws Error timeout, or worker_lost if the round waits for a lost member
  std::optional<Answer> next_answer(const Round& round, const Phase& phase);
  /// Returns the next event, or none if the deadline passes. While it waits, checks the signs of life of the `missing`
  /// members and of members that owe an answer.
  std::optional<Event> next_event(std::vector<int> missing, Deadline deadline);
  /// Returns the error for a member that is lost because it has not answered in time.
  Error silent(int member, const Phase& phase) const;

  Mailbox& mailbox_;
  Members& members_;
  FailureDetector& detector_;
  Failures failures_;  ///< failures of the round that is being gathered
  std::function<void(const Phase&)> disturb_;
  std::vector<std::pair<int, Error>> untold_;  ///< losses of workers that no error has reported yet, in order
  std::map<int, IsOwed> owed_;                 ///< by member, a function that recognizes the owed answer
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
      // Unexpected replies do not extend the deadline.
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
