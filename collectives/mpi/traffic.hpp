#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace troupe {

/// Pieces of vectors in transit to and from other ranks.
class Traffic {
 public:
  /// @param tag of this group's pieces; pieces of a group that broke up have another tag and are not received
  Traffic(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {}

  /// `send` and `receive` start a transfer. The memory must stay valid until all transfers are complete. Zero bytes are
  /// not sent.
  void send(int to, const std::byte* from, std::size_t bytes);
  void receive(int from, std::byte* to, std::size_t bytes);
  /// Returns true if all transfers are complete.
  bool is_done();
  /// Returns true if a transfer from or to that rank is not complete.
  bool waits_for(int rank) const;
  /// Cancels receives that are not complete.
  /// @returns true if MPI no longer uses any of the memory
  bool give_up();

 private:
  struct Way {
    int rank;
    bool comes;
  };

  MPI_Comm comm_;
  int tag_;
  std::vector<MPI_Request> requests_;
  std::vector<Way> ways_;  ///< by request
};

}  // namespace troupe
