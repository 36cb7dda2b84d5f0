#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "collectives/group/communicator.hpp"

namespace troupe {

/// This process as one of those that mpirun started.
struct MpiRank {
  std::shared_ptr<Communicator> communicator;
  int local_rank = 0;  ///< among the ranks of this machine
  std::string node;    ///< the machine's name, as MPI has it
};

/// Forms a group of all ranks of MPI, each of which calls this as often. The first initialises MPI unless the program
/// has, and then ends it with the process. @throws Error as `Group`; unsupported where this build has no MPI
/// @param timeout of this and of each collective
MpiRank join_mpi(std::chrono::milliseconds timeout);

}  // namespace troupe
