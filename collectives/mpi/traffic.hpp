#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace troupe {

/// Pieces of vectors on their way from and to other ranks.
class Traffic {
 public:
  /// @param tag of this group's pieces: those of a group that broke up are nobody's
  Traffic(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {}

  /// The memory stays until all has come and gone. Of no bytes nothing is sent.
  void send(int to, const std::byte* from, std::size_t bytes);
  void receive(int from, std::byte* to, std::size_t bytes);
  /// Whether all has come and gone.
  bool is_done();
  /// Whether something of that rank, or for it, is on its way.
  bool waits_for(int rank) const;
  /// Gives up what has not come. @return whether MPI lets go of all the memory
  bool give_up();

 private:
  struct Way {
    int rank;
    bool comes;
  };

  MPI_Comm comm_;
  int tag_;
  std::vector<MPI_Request> requests_;
  std::vector<Way> ways_;  ///< of each request
};

}  // namespace troupe
