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

/// The error that a collective throws if a rank no longer takes part in the group. `rank()` returns the number of the
/// missing rank in the group. `where().worker` is the number of its worker, which may be different.
class AbsentRank : public Error {
 public:
  /// @param rank the missing rank; -1 if the missing rank is unknown
  AbsentRank(ErrorCode code, const std::string& message, Where where, int rank)
      : Error(code, message, std::move(where)), rank_(rank) {}
  int rank() const { return rank_; }

 private:
  int rank_;
};

/// A function that is called repeatedly while a rank waits for other ranks. It returns a rank that will not arrive and
/// the reason, or std::nullopt if no such rank is known.
using AskAbsent = std::function<std::optional<Absence>()>;

/// The connection of one rank with the other ranks of its group. Each backend (store, data plane, MPI) implements this
/// interface.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual const char* name() const = 0;
  /// Runs the collective `call`. The caller must have checked the lengths of the vectors, and that the operation is
  /// valid for the element type.
  /// @throws Error as documented at `Group`
  virtual void run(const Collective& call) = 0;

  /// Announces that this rank no longer takes part in collectives. If another rank waits for this rank, now or later,
  /// it gets an error with `code` and `text`.
  virtual void leave(ErrorCode /*code*/, const std::string& /*text*/) {}
  /// Breaks the group because `absence.rank` is missing. All collectives that wait, now or later, throw an error with
  /// the code and the reason in `absence`. May be called from any thread.
  virtual void break_up(const Absence& /*absence*/) {}

  /// Returns the process that created this object. Its function `check` throws in a child process made by fork.
  const OwningProcess& owner() const { return owner_; }

 private:
  OwningProcess owner_;
};

}  // namespace troupe
