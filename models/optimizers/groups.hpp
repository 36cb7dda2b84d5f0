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

/// Returns true if the pattern matches the whole name: * matches any text, ? any single byte.
bool fits(std::string_view pattern, std::string_view name);

/// Returns the group of each tensor: the number, from 1, of the first group whose pattern matches; 0 if none matches.
/// @throws Error invalid_argument that names a pattern for which no tensor remains.
std::vector<std::size_t> groups_of(std::span<const ParameterGroup> groups, std::span<const TensorInfo> tensors);

/// A range of adjacent floats of the flat vector that belong to one group. It starts at the end of the previous run.
struct GroupRun {
  std::size_t end = 0;
  std::size_t group = 0;
  bool frozen = false;

  bool operator==(const GroupRun&) const = default;
};
using GroupRuns = std::vector<GroupRun>;

/// Returns the group of each float of the model's flat vector; padding belongs to the group of the floats before it.
/// Allocates two flat vectors temporarily, unless there are no groups.
/// @throws Error model_failed if the model's `from_canonical` changes values.
GroupRuns group_runs(std::span<const ParameterGroup> groups, const Model& model);

/// Returns the runs with all groups merged into one. Frozen runs remain separate.
GroupRuns as_one_group(GroupRuns runs);

/// Returns ReplicaContext::keeps for these groups.
std::function<bool(const std::string&)> frozen_tensors(const std::vector<ParameterGroup>& groups);

/// Sets the gradient of frozen tensors to zero.
void clear_frozen(const GroupRuns& runs, std::span<float> gradient);

/// Calls `work(begin, end, run)` for each part of [begin, end) that lies in one run.
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
