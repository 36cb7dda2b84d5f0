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

/// Whether a whole name fits a pattern: * is any text, ? any one byte.
bool fits(std::string_view pattern, std::string_view name);

/// By tensor, its group: the number of the first whose pattern fits, counted from 1; 0 where none does.
/// @throws Error invalid_argument naming a pattern that no tensor is left for.
std::vector<std::size_t> groups_of(std::span<const ParameterGroup> groups, std::span<const TensorInfo> tensors);

/// Floats of the flat vector that lie side by side and belong to one group, from where the run before ends.
struct GroupRun {
  std::size_t end = 0;
  std::size_t group = 0;
  bool frozen = false;

  bool operator==(const GroupRun&) const = default;
};
using GroupRuns = std::vector<GroupRun>;

/// Which floats of the model's flat vector belong to which group; padding goes with what lies before it. Takes memory
/// for two flat vectors while it looks, unless there are no groups.
/// @throws Error model_failed for a model whose `from_canonical` makes other numbers of ours.
GroupRuns group_runs(std::span<const ParameterGroup> groups, const Model& model);

/// The same runs as one group, apart from those that are frozen.
GroupRuns as_one_group(GroupRuns runs);

/// ReplicaContext::keeps of these groups.
std::function<bool(const std::string&)> frozen_tensors(const std::vector<ParameterGroup>& groups);

/// Makes the gradient of frozen tensors zero.
void clear_frozen(const GroupRuns& runs, std::span<float> gradient);

/// Calls `work(begin, end, run)` for each stretch of [begin, end) that lies in one run.
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
