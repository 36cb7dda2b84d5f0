#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/phase.hpp"

namespace troupe {

/// Provides facts about members for error messages, such as the reason why a member ended, and checks the members'
/// signs of life. Each placement has its own implementation.
class FailureDetector {
 public:
  FailureDetector() = default;
  FailureDetector(const FailureDetector&) = delete;
  FailureDetector& operator=(const FailureDetector&) = delete;
  virtual ~FailureDetector() = default;

  /// Returns a text for error messages that states where `member` runs: "in-process", "pid N", or the name of a node.
  virtual std::string node(int member) const = 0;
  /// Returns the reason why a member ended, such as "its process was ended by signal 9". Waits up to `timeout` for the
  /// reason; returns an empty string if it is still unknown then.
  virtual std::string how_it_ended(int member, std::chrono::milliseconds timeout) = 0;
  /// Returns a cause of the loss of `member` that is not the fault of any member, such as "this process itself had been
  /// stopped for 10.2 s". Returns an empty string if no such cause is known.
  virtual std::string excuse(int /*member*/) const { return ""; }
  /// Called when this process has detected that a member or its connection has ended.
  virtual void note_end(int /*member*/) {}

  /// Returns the interval at which a round must call `look_at` with the members for which it waits. Returns none if
  /// members emit no signs of life.
  virtual std::optional<std::chrono::milliseconds> looks_every() const { return std::nullopt; }
  /// Checks the signs of life of `members`, and ends each member that has emitted no sign of life for too long. Returns
  /// the members that were ended. The connection of a returned member may still be open, because another process may
  /// share the connection.
  virtual std::vector<int> look_at(const std::vector<int>& /*members*/) { return {}; }
};

/// One round: records which members have not answered its request yet. Ignores answers to other rounds, answers of
/// members that received no request, and repeated answers. This class sends no messages.
class Round {
 public:
  Round(std::uint64_t number, std::vector<int> asked) : number_(number), missing_(std::move(asked)) {}

  std::uint64_t number() const { return number_; }
  /// If `round` is the number of this round and `member` has not answered yet, records the answer of `member` and
  /// returns true. Otherwise returns false.
  bool accept(std::uint64_t round, int member) {
    if (round != number_) return false;
    return std::erase(missing_, member) > 0;
  }
  /// Returns whether all members have answered.
  bool complete() const { return missing_.empty(); }
  /// Returns the members that have not answered yet, in the order in which the requests were sent.
  const std::vector<int>& missing() const { return missing_; }

 private:
  std::uint64_t number_;
  std::vector<int> missing_;
};

/// Collects the failures of one round, and creates the error that the round throws. A failure is a reply that reports
/// an error, the loss of a member, or a missing reply at the deadline.
///
/// A reply that reports an error may name another node as the cause (`Failure::node`). If it names no other node, the
/// round ends at once. If it names another node, that node may not be the real cause: it may itself have waited for a
/// third node. Therefore the round then waits for other replies, for up to half a second.
class Failures {
 public:
  Failures(const Members& members, FailureDetector& detector) : members_(members), detector_(detector) {}

  /// Forgets all failures, because a new round begins.
  void clear();
  /// Records `failure`, which the reply of `member` reports.
  void note(int member, const Failure& failure, const Phase& phase);
  /// Returns whether a failure was recorded.
  bool any() const { return !noted_.empty(); }
  /// Returns whether the last recorded failure names no other node as the cause. If it returns true, the round stops
  /// waiting for replies.
  bool clear_cut() const { return clear_cut_; }
  /// Returns the time until which the round waits for other replies after the first failure; none if no failure was
  /// recorded.
  const std::optional<Deadline>& deadline() const { return deadline_; }

  /// Returns the place for an error that concerns `member`: the member, its node, and the name and step of `phase`.
  Where where(int member, const Phase& phase) const;
  /// Returns the error for the recorded failures, which is made from one of them. Chooses the first failure that names
  /// no other node as the cause. If there is none, chooses the first failure that names a node which has not answered
  /// `round`. If there is none, chooses the first failure.
  Error of_answers(const Round& round, const Phase& phase) const;
  /// Returns the error (worker_lost) for the loss of `member`, for which a round waits.
  Error of_loss(int member, const Phase& phase) const;
  /// Returns the error (timeout) for `round`, whose missing members have not answered before the deadline.
  Error of_silence(const Round& round, const Phase& phase) const;

 private:
  std::string names_of(const std::vector<int>& missing) const;

  const Members& members_;
  FailureDetector& detector_;
  std::vector<std::pair<int, Failure>>
      noted_;  ///< the members and the failures that they reported, in order of arrival
  std::optional<Deadline> deadline_;
  bool clear_cut_ = false;
};

}  // namespace troupe
