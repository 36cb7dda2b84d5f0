#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "collectives/group/communicator.hpp"

namespace troupe {

/// This process as one of the ranks that mpirun started.
struct MpiRank {
  std::shared_ptr<Communicator> communicator;
  int local_rank = 0;  ///< number of this rank among the ranks of this machine
  std::string node;    ///< the machine's name according to MPI
};

/// Forms a group of all MPI ranks, and returns this rank's connection to the group. Blocks until all ranks have made
/// the same number of calls. The first call initialises MPI, unless the program has already done so. If `join_mpi` has
/// initialised MPI, Troupe finalizes MPI when the process ends.
/// @param timeout the time limit of this call and of each collective
/// @throws Error as documented at `Group`; unsupported if this build has no MPI
MpiRank join_mpi(std::chrono::milliseconds timeout);

}  // namespace troupe
