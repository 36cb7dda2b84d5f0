#pragma once

namespace troupe {

/// Does nothing if an MPI call succeeded.
/// @throws Error system with MPI's error text if it failed
void check_mpi(int code, const char* call);

}  // namespace troupe
