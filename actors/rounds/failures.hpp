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

  /// The place of a member: "in-process", "pid N", or the name of a node.
  virtual std::string node(int member) const = 0;
  /// Why a member ended, such as "its process was ended by signal 9". Empty if the reason is not known within
  /// `timeout`.
  virtual std::string how_it_ended(int member, std::chrono::milliseconds timeout) = 0;
  /// Why no member is at fault, such as "this process had been stopped for 10.2 s". Empty if there is no such reason.
  virtual std::string excuse(int /*member*/) const { return ""; }
  /// Called when the end of a member was seen.
  virtual void note_end(int /*member*/) {}

  /// How often to call `look_at` for the members that a round waits for; none if members show no signs of life.
  virtual std::optional<std::chrono::milliseconds> looks_every() const { return std::nullopt; }
  /// Checks signs of life and ends each member that has shown none for too long. Returns the ended members. The
  /// connection of a returned member may still be open, because another process may hold it, too.
  virtual std::vector<int> look_at(const std::vector<int>& /*members*/) { return {}; }
};

/// The members that have not answered one round of messages yet. Answers to earlier rounds, answers of members that
/// were not asked, and repeated answers do not count. Sends nothing.
class Round {
 public:
  Round(std::uint64_t number, std::vector<int> asked) : number_(number), missing_(std::move(asked)) {}

  std::uint64_t number() const { return number_; }
  /// Returns true if the round was waiting for this answer, and then stops waiting for it.
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
/// A failure that blames no other node ends the round at once. A failure that blames another node may only show that a
/// node waited for a node which was itself blocked. Therefore the round then waits up to half a second for other
/// replies.
class Failures {
 public:
  Failures(const Members& members, FailureDetector& detector) : members_(members), detector_(detector) {}

  /// Forgets all failures: a new round begins.
  void clear();
  void note(int member, const Failure& failure, const Phase& phase);
  bool any() const { return !noted_.empty(); }
  /// True if the failed member blames no other node. The round then stops waiting.
  bool clear_cut() const { return clear_cut_; }
  /// How long to wait for other replies after the first failure; none before the first failure.
  const std::optional<Deadline>& deadline() const { return deadline_; }

  Where where(int member, const Phase& phase) const;
  /// The error of the replies. Prefers a member that failed by itself, then a member that blames a node which has not
  /// answered.
  Error of_answers(const Round& round, const Phase& phase) const;
  /// The error for a lost member that the round waits for.
  Error of_loss(int member, const Phase& phase) const;
  /// The error when the missing members did not answer in time.
  Error of_silence(const Round& round, const Phase& phase) const;

 private:
  std::string names_of(const std::vector<int>& missing) const;

  const Members& members_;
  FailureDetector& detector_;
  std::vector<std::pair<int, Failure>> noted_;  ///< by member
  std::optional<Deadline> deadline_;
  bool clear_cut_ = false;
};

}  // namespace troupe
