#pragma once

#include <cstdint>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"

namespace troupe {

/// The results of computing the loss and its gradient at one set of weights, without the gradient: each portion's
/// gradient stays in a slab of a worker's object store.
struct PortionSums {
  double loss_sum = 0;  ///< the sum of all losses, added in the order of the fixed tree over portions
  std::int64_t samples = 0;
  PassCounts counts = {};
  /// See PassReport::correct. `BatchResult::kNotCounted` if only some portions of a worker's reply are used.
  std::int64_t correct = 0;
  std::vector<std::int32_t> slabs;   ///< by portion: the slab of its store that contains its gradient
  std::vector<double> seconds;       ///< by rank: the time in seconds that the worker computed
  std::vector<double> data_seconds;  ///< by rank: the part of that time spent waiting for samples
  /// The number of portions that were given to a backup.
  int backups = 0;
  int won = 0;  ///< the number of backups that finished before the original worker
};

/// Computes the loss and its gradient for all portions, with the weights in `buffer`: gives portions to workers until
/// every portion has a result. When the function returns, no worker is computing.
/// @param step the step whose batches are used; -1: all samples
/// @param spares the largest number of backups that compute at the same time in one object store
/// @throws Error as `Rounds::ask` does. A loss that is not finite is not an error of this function; `loss_sum` is then
/// not finite.
PortionSums compute_portions(const StepContext& context, int buffer, std::int64_t step, int spares, const Phase& phase);

}  // namespace troupe
