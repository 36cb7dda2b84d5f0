#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace troupe {

/// A set of transfers: pieces of vectors that MPI is sending to and receiving from other ranks.
class Traffic {
 public:
  /// @param tag the MPI tag of this group's pieces. Each group has a tag of its own, so pieces of an earlier, broken
  /// group are not received
  Traffic(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {}

  /// The next two functions start a transfer and return at once. The memory must stay valid until all transfers are
  /// complete. If `bytes` is 0, nothing is sent or received.
  void send(int to, const std::byte* from, std::size_t bytes);
  void receive(int from, std::byte* to, std::size_t bytes);
  /// Returns true if all transfers are complete. Then the set is empty afterwards.
  bool is_done();
  /// Returns true if a transfer from or to that rank is not complete.
  bool waits_for(int rank) const;
  /// Cancels receives that are not complete. Sends are not cancelled.
  /// @returns true if all transfers have ended, so that MPI no longer uses the memory
  bool give_up();

 private:
  struct Way {
    int rank;
    bool comes;
  };

  MPI_Comm comm_;
  int tag_;
  std::vector<MPI_Request> requests_;
  std::vector<Way> ways_;  ///< by request: the other rank, and the direction
};

}  // namespace troupe
