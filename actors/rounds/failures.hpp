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

/// Who can tell of members what errors say.
class FailureDetector {
 public:
  FailureDetector() = default;
  FailureDetector(const FailureDetector&) = delete;
  FailureDetector& operator=(const FailureDetector&) = delete;
  virtual ~FailureDetector() = default;

  /// Where a member is: "in-process", "pid N", or the name of a node.
  virtual std::string node(int member) const = 0;
  /// Why a member is no longer there, such as "its process was ended by signal 9"; empty where that is not known within
  /// `timeout`.
  virtual std::string how_it_ended(int member, std::chrono::milliseconds timeout) = 0;
  /// Why nobody is to blame for a member's end, such as "this process had been stopped for 10.2 s"; empty otherwise.
  virtual std::string excuse(int /*member*/) const { return ""; }
  /// The end of a member has been seen.
  virtual void note_end(int /*member*/) {}

  /// How often to look at members that are waited for; none where they show no signs of life.
  virtual std::optional<std::chrono::milliseconds> looks_every() const { return std::nullopt; }
  /// Looks for signs of life. Who has shown none for too long is ended. Returns those who have ended, be it that their
  /// connection has not, since somebody else holds it, too.
  virtual std::vector<int> look_at(const std::vector<int>& /*members*/) { return {}; }
};

/// Who has answered one round of messages. Plain book-keeping: answers of earlier rounds, of members that were not
/// asked and second answers do not count.
class Round {
 public:
  Round(std::uint64_t number, std::vector<int> asked) : number_(number), missing_(std::move(asked)) {}

  std::uint64_t number() const { return number_; }
  /// True when this is an answer that was waited for; from then on it is not.
  bool accept(std::uint64_t round, int member) {
    if (round != number_) return false;
    return std::erase(missing_, member) > 0;
  }
  bool complete() const { return missing_.empty(); }
  /// In the order in which they were asked.
  const std::vector<int>& missing() const { return missing_; }

 private:
  std::uint64_t number_;
  std::vector<int> missing_;
};

/// What goes wrong in a round, and the error that comes of it: a worker whose model threw, or a node that failed, says
/// so with its reply; members are lost; members are silent.
///
/// Who fails by himself ends the round at once. Who blames another node may have waited for one that waited itself, so
/// others have half a second to say more.
class Failures {
 public:
  Failures(const Members& members, FailureDetector& detector) : members_(members), detector_(detector) {}

  /// A round begins.
  void clear();
  void note(int member, const Failure& failure, const Phase& phase);
  bool any() const { return !noted_.empty(); }
  /// It is clear whose fault it is: nobody else is waited for.
  bool clear_cut() const { return clear_cut_; }
  /// Until when others may say more; none before anybody has failed.
  const std::optional<Deadline>& deadline() const { return deadline_; }

  Where where(int member, const Phase& phase) const;
  /// Of what members answered: one that failed by itself, or else one that blames a node which has not answered.
  Error of_answers(const Round& round, const Phase& phase) const;
  /// A member that the round waits for is gone.
  Error of_loss(int member, const Phase& phase) const;
  /// Nobody of the missing answered in time.
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
