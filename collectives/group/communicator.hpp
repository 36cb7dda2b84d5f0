#pragma once

#include "collectives/group/collective.hpp"

namespace troupe {

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
};

}  // namespace troupe
