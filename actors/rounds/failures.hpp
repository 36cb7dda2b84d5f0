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

/// Provides the facts about members that error messages contain, and watches members for signs of life.
class FailureDetector {
 public:
  FailureDetector() = default;
  FailureDetector(const FailureDetector&) = delete;
  FailureDetector& operator=(const FailureDetector&) = delete;
  virtual ~FailureDetector() = default;

  /// Returns the place of a member for an error message: "in-process", "pid N", or the name of a node.
  virtual std::string node(int member) const = 0;
  /// Returns why a member ended, such as "its process was ended by signal 9". Returns an empty string if the reason is
  /// not known within `timeout`.
  virtual std::string how_it_ended(int member, std::chrono::milliseconds timeout) = 0;
  /// Returns why the loss of this member is not the fault of any member, such as "this process had been stopped for
  /// 10.2 s". Returns an empty string if there is no such reason.
  virtual std::string excuse(int /*member*/) const { return ""; }
  /// Called when this process has seen the end of a member.
  virtual void note_end(int /*member*/) {}

  /// Returns how often a round must call `look_at` for the members that it waits for. Returns none if members emit no
  /// signs of life.
  virtual std::optional<std::chrono::milliseconds> looks_every() const { return std::nullopt; }
  /// Checks the signs of life of `members`, and ends each member that has shown none for too long. Returns the ended
  /// members. The connection of a returned member may still be open, because another process may hold the connection,
  /// too.
  virtual std::vector<int> look_at(const std::vector<int>& /*members*/) { return {}; }
};

/// Records which members have not answered one round of messages yet. Answers to earlier rounds, answers of members
/// that were not asked, and repeated answers do not count. This class sends no messages.
class Round {
 public:
  Round(std::uint64_t number, std::vector<int> asked) : number_(number), missing_(std::move(asked)) {}

  std::uint64_t number() const { return number_; }
  /// If the round `round` is this round and still waits for an answer of `member`, records the answer and returns true.
  bool accept(std::uint64_t round, int member) {
    if (round != number_) return false;
    return std::erase(missing_, member) > 0;
  }
  bool complete() const { return missing_.empty(); }
  /// The members without an answer, in the order of the requests.
  const std::vector<int>& missing() const { return missing_; }

 private:
  std::uint64_t number_;
  std::vector<int> missing_;
};

/// Collects the failures of a round and makes the error that the round throws. A failure is a reply that reports an
/// error, a lost member, or a member that did not answer in time.
///
/// A failed member may blame another node (`Failure::node`). A failure that blames no other node ends the round at
/// once. A failure that blames another node does not prove that this node is at fault: the blamed node may itself have
/// waited for a third node. Therefore the round then waits up to half a second for other replies.
class Failures {
 public:
  Failures(const Members& members, FailureDetector& detector) : members_(members), detector_(detector) {}

  /// Forgets all failures, because a new round begins.
  void clear();
  /// Records the failure that a member's reply reports.
  void note(int member, const Failure& failure, const Phase& phase);
  bool any() const { return !noted_.empty(); }
  /// Returns whether the failure that was recorded last blames no other node. If so, the round stops waiting.
  bool clear_cut() const { return clear_cut_; }
  /// Returns the time until which the round waits for other replies after a failure; none before the first failure.
  const std::optional<Deadline>& deadline() const { return deadline_; }

  /// Returns the member's place, and the phase and its step, for an error.
  Where where(int member, const Phase& phase) const;
  /// Returns the error for the recorded failures. Prefers the failure of a member that blames no other node. Otherwise,
  /// prefers the failure of a member that blames a node which has not answered `round` itself. Otherwise, uses the
  /// first failure.
  Error of_answers(const Round& round, const Phase& phase) const;
  /// Returns the error for a lost member that the round waits for.
  Error of_loss(int member, const Phase& phase) const;
  /// Returns the error for a round whose missing members have not answered in time.
  Error of_silence(const Round& round, const Phase& phase) const;

 private:
  std::string names_of(const std::vector<int>& missing) const;

  const Members& members_;
  FailureDetector& detector_;
  std::vector<std::pair<int, Failure>> noted_;  ///< members and their failures, in order of arrival
  std::optional<Deadline> deadline_;
  bool clear_cut_ = false;
};

}  // namespace troupe
