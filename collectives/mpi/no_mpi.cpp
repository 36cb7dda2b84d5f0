#include "collectives/mpi/join_mpi.hpp"

// CMake compiles this file instead of all other sources of this folder if the build has no MPI.
namespace troupe {

MpiRank join_mpi(std::chrono::milliseconds /*timeout*/) {
  throw Error(ErrorCode::unsupported,
              "this build has no MPI: install OpenMPI (libopenmpi-dev) or MPICH (libmpich-dev), and build again with "
              "-DTROUPE_MPI=ON");
}

}  // namespace troupe
