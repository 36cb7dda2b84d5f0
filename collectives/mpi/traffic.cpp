#include "collectives/mpi/traffic.hpp"

#include "collectives/mpi/mpi_error.hpp"

namespace troupe {

void Traffic::send(int to, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;
  ways_.push_back({to, false});
  check_mpi(
      MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, to, tag_, comm_, &requests_.emplace_back(MPI_REQUEST_NULL)),
      "MPI_Isend");
}

void Traffic::receive(int from, std::byte* to, std::size_t bytes) {
  if (bytes == 0) return;
  ways_.push_back({from, true});
  check_mpi(
      MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, from, tag_, comm_, &requests_.emplace_back(MPI_REQUEST_NULL)),
      "MPI_Irecv");
}

bool Traffic::is_done() {
  int done = 0;
  check_mpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
            "MPI_Testall");
  if (done == 0) return false;
  requests_.clear();
  ways_.clear();
  return true;
}

bool Traffic::waits_for(int rank) const {
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (ways_[i].rank != rank || requests_[i] == MPI_REQUEST_NULL) continue;
    int done = 0;
    MPI_Request_get_status(requests_[i], &done, MPI_STATUS_IGNORE);
    if (done == 0) return true;
  }
  return false;
}

bool Traffic::give_up() {
  for (std::size_t i = 0; i < requests_.size(); ++i)
    if (ways_[i].comes && requests_[i] != MPI_REQUEST_NULL) MPI_Cancel(&requests_[i]);
  return is_done();
}

}  // namespace troupe
