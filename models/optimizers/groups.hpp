#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/model.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {

/// Returns true if `pattern` matches the whole `name`. In the pattern, * matches any text, and ? matches one byte.
bool fits(std::string_view pattern, std::string_view name);

/// Returns the number of the group of each tensor, counted from 1: the first group whose pattern and number of
/// dimensions match the tensor. 0 means that no group matches.
/// @throws Error invalid_argument if the pattern of a group matches no tensor, or only tensors of earlier groups; the
/// message contains the pattern.
/// @throws Error invalid_argument if all tensors are frozen.
std::vector<std::size_t> groups_of(std::span<const ParameterGroup> groups, std::span<const TensorInfo> tensors);

/// A run: a range of adjacent floats of the flat vector that belong to the same group. A run begins at the end of the
/// previous run. The first run begins at 0.
struct GroupRun {
  std::size_t end = 0;
  std::size_t group = 0;
  bool frozen = false;

  bool operator==(const GroupRun&) const = default;
};
using GroupRuns = std::vector<GroupRun>;  ///< runs that together cover the whole flat vector, in order

/// Returns the runs of the model's flat vector. Padding belongs to the group of the floats before it. If `groups` is
/// not empty, group_runs temporarily allocates two flat vectors.
/// @throws Error model_failed if the model's `from_canonical` changes values.
GroupRuns group_runs(std::span<const ParameterGroup> groups, const Model& model);

/// Returns the same runs, but with group 0 in each run. So all floats have the same options. Frozen runs stay frozen.
GroupRuns as_one_group(GroupRuns runs);

/// Returns a function for ReplicaContext::keeps. The function returns true for the name of a tensor in a frozen group.
/// If no group is frozen, the result is an empty function.
std::function<bool(const std::string&)> frozen_tensors(const std::vector<ParameterGroup>& groups);

/// Sets the floats of frozen runs to zero in `gradient`, which is a whole flat vector.
void clear_frozen(const GroupRuns& runs, std::span<float> gradient);

/// Divides the range [begin, end) of the flat vector at the ends of runs. Calls `work(begin, end, run)` for each
/// resulting piece, in order.
template <class Work>
void for_each_run(const GroupRuns& runs, std::size_t begin, std::size_t end, const Work& work) {
  auto run = std::ranges::upper_bound(runs, begin, {}, &GroupRun::end);
  while (begin < end) {
    const std::size_t until = std::min(end, run->end);
    work(begin, until, *run);
    begin = until;
    ++run;
  }
}

}  // namespace troupe
