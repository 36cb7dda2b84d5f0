#include "models/optimizers/groups.hpp"

#include <algorithm>

#include "models/tensor_numbers.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

bool contains(const ParameterGroup& group, const TensorInfo& tensor) {
  return fits(group.pattern, tensor.name) && (group.dimensions == 0 || std::ssize(tensor.shape) == group.dimensions);
}

std::size_t group_of(std::span<const ParameterGroup> groups, const TensorInfo& tensor) {
  const auto found = std::ranges::find_if(groups, [&](const ParameterGroup& each) { return contains(each, tensor); });
  return found == groups.end() ? 0 : static_cast<std::size_t>(found - groups.begin()) + 1;
}

[[noreturn]] void refuse_idle(const ParameterGroup& group, std::span<const TensorInfo> tensors) {
  const bool any = std::ranges::any_of(tensors, [&](const TensorInfo& each) { return contains(group, each); });
  const std::string of_dimensions =
      group.dimensions == 0 ? "" : " with " + std::to_string(group.dimensions) + " dimensions";
  throw_invalid("optimizer: the pattern '" + group.pattern + "' of a group matches " +
                (any ? "only tensors that earlier groups match"
                     : "no tensor of the model" + of_dimensions + "; the first tensor is '" + tensors.front().name +
                           "', and * matches any text"));
}

/// Returns the number of the group that `number` encodes. `number` is a float of the vector that shows the group of
/// each float: g + 1 encodes group g, because padding is 0.
/// @throws Error model_failed if `number` encodes no group
std::size_t group_at(float number, std::size_t groups) {
  if (number >= 1 && number <= static_cast<float>(groups + 1)) {
    const auto whole = static_cast<std::size_t>(number);
    if (static_cast<float>(whole) == number) return whole - 1;
  }
  throw Error(ErrorCode::model_failed,
              "the model's from_canonical changes values instead of only moving floats, so groups of tensors "
              "cannot be located");
}

}  // namespace

bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;  // position of the last *; `taken` is the end of the text it matches
  std::size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::size_t> groups_of(std::span<const ParameterGroup> groups, std::span<const TensorInfo> tensors) {
  std::vector<std::size_t> by_tensor;
  by_tensor.reserve(tensors.size());
  for (const TensorInfo& tensor : tensors) by_tensor.push_back(group_of(groups, tensor));
  for (std::size_t group = 1; group <= groups.size(); ++group)
    if (std::ranges::find(by_tensor, group) == by_tensor.end()) refuse_idle(groups[group - 1], tensors);
  const auto frozen = [&](std::size_t group) { return group > 0 && groups[group - 1].frozen; };
  if (!tensors.empty() && std::ranges::all_of(by_tensor, frozen))
    throw_invalid("optimizer: all tensors are frozen, so training would change nothing");
  return by_tensor;
}

GroupRuns group_runs(std::span<const ParameterGroup> groups, const Model& model) {
  if (groups.empty()) return {{model.info().size, 0}};
  auto numbers = groups_of(groups, model.info().tensors);
  for (std::size_t& number : numbers) ++number;
  GroupRuns runs;
  std::size_t at = 0;
  for (const float number : number_floats(model, numbers)) {
    const std::size_t before = runs.empty() ? 0 : runs.back().group;
    const std::size_t group = number == 0 ? before : group_at(number, groups.size());
    if (runs.empty() || group != before) runs.push_back({at, group, group > 0 && groups[group - 1].frozen});
    runs.back().end = ++at;
  }
  return runs;
}

GroupRuns as_one_group(GroupRuns runs) {
  for (GroupRun& run : runs) run.group = 0;
  return runs;
}

std::function<bool(const std::string&)> frozen_tensors(const std::vector<ParameterGroup>& groups) {
  if (std::ranges::none_of(groups, &ParameterGroup::frozen)) return {};
  return [groups](const std::string& name) {  // frozen groups are before all groups with dimensions
    const auto first =
        std::ranges::find_if(groups, [&](const ParameterGroup& each) { return fits(each.pattern, name); });
    return first != groups.end() && first->frozen;
  };
}

void clear_frozen(const GroupRuns& runs, std::span<float> gradient) {
  for_each_run(runs, 0, gradient.size(), [&](std::size_t begin, std::size_t end, const GroupRun& run) {
    if (run.frozen) std::ranges::fill(gradient.subspan(begin, end - begin), 0.0F);
  });
}

}  // namespace troupe
