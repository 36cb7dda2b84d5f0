#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "collectives/group/collective.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// States which rank no longer takes part in its group, and why.
struct Absence {
  ErrorCode code = ErrorCode::worker_lost;
  int rank = -1;
  std::string text;  ///< the reason, such as "was lost: its process was ended by signal 9"
};

/// Thrown by a collective if a rank no longer takes part. `rank()` returns the number of this missing rank in the
/// group. The worker in `where()` may have a different number.
class AbsentRank : public Error {
 public:
  /// @param rank the missing rank; -1 if it is unknown
  AbsentRank(ErrorCode code, const std::string& message, Where where, int rank)
      : Error(code, message, std::move(where)), rank_(rank) {}
  int rank() const { return rank_; }

 private:
  int rank_;
};

/// A function that is called repeatedly while a rank waits for others. It returns a rank that will not arrive, with the
/// reason; std::nullopt if no such rank is known.
using AskAbsent = std::function<std::optional<Absence>()>;

/// The connection of one rank with the other ranks of its group. Each backend of collectives implements this interface.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual const char* name() const = 0;
  /// Runs a collective. The caller must have checked the lengths, and that the operation is valid for the element type.
  /// @throws Error as documented at `Group`
  virtual void run(const Collective& call) = 0;

  /// Announces that this rank no longer takes part. Other ranks that wait for this rank, now or later, get an error
  /// with `code` and `text`.
  virtual void leave(ErrorCode /*code*/, const std::string& /*text*/) {}
  /// Breaks the group because `absence.rank` is missing. Ranks that wait, now or later, get an error with the given
  /// reason. May be called from any thread.
  virtual void break_up(const Absence& /*absence*/) {}

  /// Returns the process that created this object. In a child process made by fork, its check throws.
  const OwningProcess& owner() const { return owner_; }

 private:
  OwningProcess owner_;
};

}  // namespace troupe
