#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace troupe {

/// A set of transfers: the parts of vectors that MPI sends to other ranks and receives from them at present.
class Traffic {
 public:
  /// @param tag the MPI tag of all messages of this set. Successive groups have different tags, so a group does not
  /// receive messages of an earlier, broken group
  Traffic(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {}

  /// The next two functions start a transfer to or from another rank, and return at once. The memory at `from` or `to`
  /// must stay valid until all transfers are complete. If `bytes` is 0, nothing is sent or received.
  void send(int to, const std::byte* from, std::size_t bytes);
  void receive(int from, std::byte* to, std::size_t bytes);
  /// Returns true if all transfers are complete. In this case, removes all transfers from the set.
  bool is_done();
  /// Returns true if a transfer from or to the rank `rank` is not complete.
  bool waits_for(int rank) const;
  /// Cancels the receives that are not complete; sends are not cancelled. Returns true if all transfers have ended, so
  /// that MPI no longer uses their memory.
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
