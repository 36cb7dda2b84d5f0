#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "collectives/group/collective.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Why a rank comes no more.
struct Absence {
  ErrorCode code = ErrorCode::worker_lost;
  int rank = -1;
  std::string text;  ///< such as "was lost: its process was ended by signal 9"
};

/// What ends a collective where a rank comes no more. Its rank is of the communicator that throws it, whatever workers
/// other errors name.
class AbsentRank : public Error {
 public:
  /// @param rank -1: nobody knows which
  AbsentRank(ErrorCode code, const std::string& message, Where where, int rank)
      : Error(code, message, std::move(where)), rank_(rank) {}
  int rank() const { return rank_; }

 private:
  int rank_;
};

/// Asks whether a rank does not come, so that nobody is to wait for it.
using AskAbsent = std::function<std::optional<Absence>()>;

/// How the ranks of a group reach each other: what a backend is.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual const char* name() const = 0;
  /// Its lengths are right and its operation is one of its type. @throws Error as `Group` says
  virtual void run(const Collective& call) = 0;

  /// This rank comes no more; who waits for it, now or later, is told.
  virtual void leave(ErrorCode /*code*/, const std::string& /*text*/) {}
  /// Nobody waits for anybody any more. From any thread.
  virtual void break_up(const Absence& /*absence*/) {}

  const OwningProcess& owner() const { return owner_; }

 private:
  OwningProcess owner_;
};

}  // namespace troupe
