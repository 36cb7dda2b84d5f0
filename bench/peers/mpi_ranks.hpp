#pragma once

#include <mpi.h>

/// Initializes MPI. The destructor finalizes MPI. Create one object in main.
class MpiRanks {
 public:
  MpiRanks(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  ~MpiRanks() { MPI_Finalize(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank = 0;
  int ranks = 0;
};
