#include "gpu/small_matrix.hpp"

#include <algorithm>
#include <cstring>

#include "models/cuda/layers/small_matrix.hpp"

namespace {

std::size_t chosen = 0;

}  // namespace

std::size_t troupe::cuda::small_matrix() { return chosen; }

namespace troupe_test {

void unfold_convolutions() { chosen = std::size_t{16} << 20; }

void take_unfolded(int& argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "unfolded") != 0) return;
  unfold_convolutions();
  std::move(argv + 2, argv + argc, argv + 1);
  argv[--argc] = nullptr;
}

}  // namespace troupe_test
