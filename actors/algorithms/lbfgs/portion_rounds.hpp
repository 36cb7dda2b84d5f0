#pragma once

#include <cstdint>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"

namespace troupe {

/// The workers' results of computing the loss and its gradient at some weights. The gradient is in the slabs of the
/// portions.
struct PortionSums {
  double loss_sum = 0;  ///< added in the tree over portions
  std::int64_t samples = 0;
  std::int64_t left_out = 0;
  std::int64_t bytes_over_bus = 0;
  std::int64_t correct = 0;          ///< as PassReport::correct; unknown if a portion in a counted reply did not count
  std::vector<std::int32_t> slabs;   ///< by portion, the slab in its store
  std::vector<double> seconds;       ///< by rank, the time that the worker computed
  std::vector<double> data_seconds;  ///< by rank, the part of that time spent waiting for samples
  int backups = 0;
  int won = 0;  ///< the backups that finished first
};

/// Has all portions computed with weights `buffer` by the workers that are free. When it returns, no worker is
/// computing.
/// @param step the step whose batches are used; -1: all samples. @param spares the limit of concurrent backups
/// @throws Error as `Rounds::ask`, but never non_finite_loss: the sum then is not finite
PortionSums compute_portions(const StepContext& context, int buffer, std::int64_t step, int spares, const Phase& phase);

}  // namespace troupe
