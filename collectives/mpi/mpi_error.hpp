#pragma once

namespace troupe {

/// @throws Error system that says what MPI says, unless a call of it went well
void check_mpi(int code, const char* call);

}  // namespace troupe
