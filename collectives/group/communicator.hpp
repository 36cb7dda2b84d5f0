#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "collectives/group/collective.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// The reason why a rank no longer takes part.
struct Absence {
  ErrorCode code = ErrorCode::worker_lost;
  int rank = -1;
  std::string text;  ///< such as "was lost: its process was ended by signal 9"
};

/// Thrown by a collective if a rank no longer takes part. `rank()` is the rank in the communicator that throws,
/// whichever worker `where()` names.
class AbsentRank : public Error {
 public:
  /// @param rank -1 if the rank is unknown
  AbsentRank(ErrorCode code, const std::string& message, Where where, int rank)
      : Error(code, message, std::move(where)), rank_(rank) {}
  int rank() const { return rank_; }

 private:
  int rank_;
};

/// Returns the absence of a rank that will not arrive, if there is one. Called while a rank waits.
using AskAbsent = std::function<std::optional<Absence>()>;

/// The connection between the ranks of a group: the interface of a backend.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual const char* name() const = 0;
  /// Runs a collective. The caller has checked the lengths, and that the operation is valid for the type.
  /// @throws Error as documented at `Group`
  virtual void run(const Collective& call) = 0;

  /// Announces that this rank no longer takes part. Ranks that wait for it, now or later, get an error.
  virtual void leave(ErrorCode /*code*/, const std::string& /*text*/) {}
  /// Ends all waiting, on all ranks, with an error. May be called from any thread.
  virtual void break_up(const Absence& /*absence*/) {}

  const OwningProcess& owner() const { return owner_; }

 private:
  OwningProcess owner_;
};

}  // namespace troupe
