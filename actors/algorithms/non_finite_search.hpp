#pragma once

#include <string>
#include <vector>

#include "actors/algorithms/algorithm.hpp"
#include "actors/messages/synchronous.hpp"

namespace troupe {

/// Why a step cannot be committed of which these workers, of at least one, said that something in `buffer` is not
/// finite: names the first tensor of which that is so.
/// @param optimizer by which slices were applied
Error non_finite_error(const StepContext& context, const UpdateRules& optimizer, const std::vector<int>& workers,
                       int buffer, const Phase& phase);

/// Such as "tensor 'fc.weight'", or "padding".
std::string name_of_tensor(const StepContext& context, const NonFinite& found);
/// Such as "weights" or "momentum".
std::string name_of_part(const NonFinite& found, const UpdateRules& optimizer);

}  // namespace troupe
