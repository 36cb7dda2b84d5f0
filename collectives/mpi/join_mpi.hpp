#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "collectives/group/communicator.hpp"

namespace troupe {

/// This process as one of the ranks that mpirun started.
struct MpiRank {
  std::shared_ptr<Communicator> communicator;
  int local_rank = 0;  ///< among the ranks of this machine
  std::string node;    ///< the machine's name according to MPI
};

/// Forms a group of all MPI ranks. Every rank must make the same number of calls. The first call initialises MPI,
/// unless the program has done so; in that case MPI is finalized when the process ends.
/// @param timeout of this call and of each collective
/// @throws Error as documented at `Group`; unsupported if this build has no MPI
MpiRank join_mpi(std::chrono::milliseconds timeout);

}  // namespace troupe
