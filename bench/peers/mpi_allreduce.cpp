// Prints the median time of MPI_Allreduce (sum) of COUNT floats, one JSON line per COUNT.
//   mpirun -n RANKS mpi_allreduce [--rounds ROUNDS] COUNT...
// The slowest rank's time counts. Every rank ends with its own copy of the sum. There is no optimizer step.
#define OMPI_SKIP_MPICXX  // MPI's deprecated C++ bindings cause compiler warnings
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "mpi_ranks.hpp"

namespace {

struct Arguments {
  long rounds = 0;  // 0: more rounds for smaller sums
  std::vector<long> counts;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string("--rounds") && i + 1 < argc)
      arguments.rounds = std::atol(argv[++i]);
    else
      arguments.counts.push_back(std::atol(argv[i]));
  }
  return arguments;
}

bool are_right(const Arguments& arguments) {
  const auto& counts = arguments.counts;
  return arguments.rounds >= 0 && !counts.empty() &&
         std::all_of(counts.begin(), counts.end(), [](long count) { return count >= 1 && count <= 2'000'000'000; });
}

long rounds_of(const Arguments& arguments, long count) {
  if (arguments.rounds > 0) return arguments.rounds;
  return count > 10'000'000 ? 9 : count > 1'000'000 ? 21 : 201;
}

double one_round(const std::vector<float>& mine, std::vector<float>& sum) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  MPI_Allreduce(mine.data(), sum.data(), static_cast<int>(mine.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

/// Returns, on all ranks, the median over the rounds of the slowest rank's seconds.
double median_of_slowest(const std::vector<double>& seconds) {
  std::vector<double> slowest(seconds.size());
  MPI_Allreduce(seconds.data(), slowest.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const auto middle = slowest.begin() + static_cast<std::ptrdiff_t>(slowest.size() / 2);
  std::nth_element(slowest.begin(), middle, slowest.end());
  return *middle;
}

bool is_right(const std::vector<float>& sum, int ranks) {
  const auto expected = static_cast<float>(ranks * (ranks + 1) / 2);
  return std::all_of(sum.begin(), sum.end(), [expected](float value) { return value == expected; });
}

bool measure(long count, long rounds, int rank, int ranks) {
  const std::vector<float> mine(static_cast<std::size_t>(count), static_cast<float>(rank + 1));
  std::vector<float> sum(mine.size());
  one_round(mine, sum);  // touches all pages and opens the connections
  std::vector<double> seconds;
  for (long i = 0; i < rounds; ++i) seconds.push_back(one_round(mine, sum));
  const double median = median_of_slowest(seconds);
  const bool right = is_right(sum, ranks);
  if (rank == 0 && right)
    std::printf("{\"ranks\": %d, \"floats\": %ld, \"rounds\": %ld, \"seconds\": %.9f}\n", ranks, count, rounds, median);
  std::fflush(stdout);
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const MpiRanks mpi(argc, argv);
  const Arguments arguments = parse(argc, argv);
  if (!are_right(arguments)) {
    if (mpi.rank == 0) std::fprintf(stderr, "usage: mpirun -n RANKS mpi_allreduce [--rounds ROUNDS] COUNT...\n");
    return 2;
  }
  bool right = true;
  for (const long count : arguments.counts) right &= measure(count, rounds_of(arguments, count), mpi.rank, mpi.ranks);
  return right ? 0 : 1;
}
