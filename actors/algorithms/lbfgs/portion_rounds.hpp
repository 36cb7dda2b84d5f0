#pragma once

#include <cstdint>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"

namespace troupe {

/// The results of computing the loss and its gradient at one set of weights. The gradient itself stays in the slabs of
/// the portions.
struct PortionSums {
  double loss_sum = 0;  ///< added in the fixed tree over portions
  std::int64_t samples = 0;
  std::int64_t left_out = 0;
  std::int64_t bytes_over_bus = 0;
  std::int64_t correct = 0;          ///< as PassReport::correct; unknown if only some portions of a reply counted
  std::vector<std::int32_t> slabs;   ///< by portion, the slab in its store
  std::vector<double> seconds;       ///< by rank, the time that the worker computed
  std::vector<double> data_seconds;  ///< by rank, the part of that time spent waiting for samples
  int backups = 0;
  int won = 0;  ///< how many backups finished first
};

/// Has free workers compute all portions with the weights in `buffer`. When it returns, no worker is computing.
/// @param step the step whose batches are used; -1: all samples
/// @param spares the largest number of backups that compute at the same time in one store
/// @throws Error as `Rounds::ask`. A loss that is not finite is no error here; the sum is then not finite.
PortionSums compute_portions(const StepContext& context, int buffer, std::int64_t step, int spares, const Phase& phase);

}  // namespace troupe
