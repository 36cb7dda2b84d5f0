// The median time of MPI_Allreduce (sum) of COUNT floats, as one JSON line.
//   mpirun -n RANKS mpi_allreduce COUNT [ROUNDS]
// The slowest rank's time counts. Every rank ends with its own copy of the sum; no optimizer step is part of it.
#define OMPI_SKIP_MPICXX  // the C++ bindings that MPI dropped do not compile cleanly
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

double one_round(const std::vector<float>& mine, std::vector<float>& sum) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  MPI_Allreduce(mine.data(), sum.data(), static_cast<int>(mine.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  double slowest = 0;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

bool is_right(const std::vector<float>& sum, int ranks) {
  const auto expected = static_cast<float>(ranks * (ranks + 1) / 2);
  return std::all_of(sum.begin(), sum.end(), [expected](float value) { return value == expected; });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long count = argc > 1 ? std::atol(argv[1]) : 0;
  const long rounds = argc > 2 ? std::atol(argv[2]) : 9;
  if (count < 1 || count > 2'000'000'000 || rounds < 1) {
    if (rank == 0) std::fprintf(stderr, "usage: mpirun -n RANKS mpi_allreduce COUNT [ROUNDS]\n");
    MPI_Finalize();
    return 2;
  }

  const std::vector<float> mine(static_cast<std::size_t>(count), static_cast<float>(rank + 1));
  std::vector<float> sum(mine.size());
  one_round(mine, sum);  // touches all pages and opens the connections
  std::vector<double> seconds;
  for (long i = 0; i < rounds; ++i) seconds.push_back(one_round(mine, sum));
  std::nth_element(seconds.begin(), seconds.begin() + rounds / 2, seconds.end());

  const bool right = is_right(sum, ranks);
  if (rank == 0 && right)
    std::printf("{\"ranks\": %d, \"floats\": %ld, \"rounds\": %ld, \"seconds\": %.9f}\n", ranks, count, rounds,
                seconds[static_cast<std::size_t>(rounds / 2)]);
  MPI_Finalize();
  return right ? 0 : 1;
}
