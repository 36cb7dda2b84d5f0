// Prints the median time of a message of BYTES from rank 0 to rank 1, one JSON line per BYTES. The time is half of a
// round trip in which the receiver reads every word.
//   mpirun -n 2 mpi_pingpong [--rounds ROUNDS] BYTES...
#define OMPI_SKIP_MPICXX  // MPI's deprecated C++ bindings cause compiler warnings
#include "mpi_ranks.hpp"
#include "pingpong.hpp"

namespace {

/// Sends messages of one length between ranks 0 and 1.
class Mpi {
 public:
  Mpi(int rank, std::size_t words) : other_(1 - rank), came_(words) {}
  void send(const Words& words) {
    MPI_Send(words.data(), static_cast<int>(words.size()), MPI_UINT32_T, other_, 0, MPI_COMM_WORLD);
  }
  const Words& receive() {
    MPI_Recv(came_.data(), static_cast<int>(came_.size()), MPI_UINT32_T, other_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return came_;
  }

 private:
  int other_;
  Words came_;
};

}  // namespace

int main(int argc, char** argv) {
  const MpiRanks mpi(argc, argv);
  const Arguments arguments = parse(argc, argv);
  const bool right = mpi.ranks == 2 && are_right(arguments);
  if (!right && mpi.rank == 0) std::fprintf(stderr, "usage: mpirun -n 2 mpi_pingpong [--rounds ROUNDS] BYTES...\n");
  for (const long bytes : right ? arguments.bytes : std::vector<long>()) {
    Mpi end(mpi.rank, words_of(bytes));
    play(end, "MPI", bytes, rounds_of(arguments, bytes), mpi.rank == 0);
  }
  return right ? 0 : 2;
}
