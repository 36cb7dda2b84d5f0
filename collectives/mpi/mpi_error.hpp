#pragma once

namespace troupe {

/// Throws if an MPI function failed.
/// @param code the value that the MPI function returned
/// @param call the name of the MPI function, for the error message
/// @throws Error system with MPI's error text, if `code` is not MPI_SUCCESS
void check_mpi(int code, const char* call);

}  // namespace troupe
