#pragma once

#include <cstdint>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"

namespace troupe {

/// What workers found when they computed the loss and its gradient at some weights, which lies in their portions'
/// slabs.
struct PortionSums {
  double loss_sum = 0;  ///< added in the tree over portions
  std::int64_t samples = 0;
  std::int64_t left_out = 0;
  std::int64_t bytes_over_bus = 0;
  std::int64_t correct = 0;  ///< as PassReport::correct; not known where some of a reply's portions did not count
  std::vector<std::int32_t> slabs;   ///< by portion, of its store
  std::vector<double> seconds;       ///< that each worker computed, by rank
  std::vector<double> data_seconds;  ///< of these, until samples were there
  int backups = 0;
  int won = 0;  ///< of these, those that were there before what they backed up
};

/// Has the portions computed, dealt out to whoever is free, on weights `buffer`. When it returns nobody is at work.
/// @param step whose batches are taken; -1: all samples. @param spares backups at a time
/// @throws Error as rounds do, non_finite_loss never: the sum says it
PortionSums compute_portions(const StepContext& context, int buffer, std::int64_t step, int spares, const Phase& phase);

}  // namespace troupe
