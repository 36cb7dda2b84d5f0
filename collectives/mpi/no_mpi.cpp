#include "collectives/mpi/join_mpi.hpp"

// If the build has no MPI, CMake compiles this file instead of all other sources of this folder.
namespace troupe {

MpiRank join_mpi(std::chrono::milliseconds /*timeout*/) {
  throw Error(ErrorCode::unsupported,
              "this build has no MPI: install OpenMPI (libopenmpi-dev) or MPICH (libmpich-dev), and build again with "
              "-DTROUPE_MPI=ON");
}

}  // namespace troupe
