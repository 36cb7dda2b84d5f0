#include "collectives/mpi/mpi_error.hpp"

#include <mpi.h>

#include <array>
#include <string>

#include "troupe/error.hpp"

namespace troupe {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ErrorCode::system, std::string(call) + ": " + text.data());
}

}  // namespace troupe
