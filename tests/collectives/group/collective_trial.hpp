#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/plain_tree.hpp"
#include "troupe/error.hpp"
#include "troupe/group.hpp"

// Every collective on one group, against what each should make, computed the plain way.
namespace troupe {

/// What rank `rank` has at element `index`: numbers whose sums round, of both signs.
template <class T>
T trial_value(int rank, std::size_t index) {
  const auto mixed = (index * 2654435761u + static_cast<std::size_t>(rank) * 40503u) % 100003;
  if constexpr (std::is_integral_v<T>) return static_cast<T>(mixed) - 50001;
  return static_cast<T>(mixed) / static_cast<T>(7) - static_cast<T>(5000.1);
}

template <class T>
std::vector<T> trial_values(int rank, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = trial_value<T>(rank, i);
  return values;
}

template <class T>
T plain_result(int size, std::size_t index, ReduceOp op) {
  std::vector<T> leaves;
  for (int rank = 0; rank < size; ++rank) leaves.push_back(trial_value<T>(rank, index));
  if (op == ReduceOp::max) return *std::max_element(leaves.begin(), leaves.end());
  const T sum = troupe_test::plain_tree([&](std::size_t rank) { return leaves[rank]; }, 0, leaves.size());
  return op == ReduceOp::mean ? sum / static_cast<T>(size) : sum;
}

inline void require(bool holds, const std::string& what) {
  if (!holds) throw Error(ErrorCode::protocol, "wrong: " + what);
}

template <class T>
bool same_bits(std::span<const T> values, std::span<const T> expected) {
  return values.size() == expected.size() &&
         (values.empty() || std::memcmp(values.data(), expected.data(), values.size_bytes()) == 0);
}

template <class T>
void try_reductions(Group& group, std::size_t count, ReduceOp op) {
  std::vector<T> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = plain_result<T>(group.size(), i, op);
  const std::vector<T> own = trial_values<T>(group.rank(), count);

  std::vector<T> out(count);
  group.all_reduce(std::span<const T>(own), std::span<T>(out), op);
  require(same_bits<T>(out, expected), "all_reduce");
  std::vector<T> in_place = own;
  group.all_reduce(std::span<T>(in_place), op);
  require(same_bits<T>(in_place, expected), "all_reduce in place");

  const Group::Part part = group.part_of(count);
  const auto wanted = std::span<const T>(expected).subspan(part.begin, part.size());
  std::vector<T> piece(part.size());
  group.reduce_scatter(std::span<const T>(own), std::span<T>(piece), op);
  require(same_bits<T>(piece, wanted), "reduce_scatter");
  in_place = own;
  const auto lies = std::span<T>(in_place).subspan(part.begin, part.size());
  group.reduce_scatter(std::span<const T>(in_place), lies, op);
  require(same_bits<T>(lies, wanted), "reduce_scatter in place");
}

template <class T>
void try_copies(Group& group, std::size_t count) {
  const std::vector<T> whole = trial_values<T>(3, count);
  const Group::Part part = group.part_of(count);
  const auto own = std::span<const T>(whole).subspan(part.begin, part.size());
  std::vector<T> all(count);
  group.all_gather(own, std::span<T>(all));
  require(same_bits<T>(all, whole), "all_gather");
  std::vector<T> in_place(count);
  const auto lies = std::span<T>(in_place).subspan(part.begin, part.size());
  std::copy(own.begin(), own.end(), lies.begin());
  group.all_gather(std::span<const T>(lies), std::span<T>(in_place));
  require(same_bits<T>(in_place, whole), "all_gather in place");

  for (int root = 0; root < group.size(); root += std::max(1, group.size() - 1)) {
    std::vector<T> values = trial_values<T>(group.rank(), count);
    group.broadcast(std::span<T>(values), root);
    require(same_bits<T>(values, trial_values<T>(root, count)), "broadcast");
  }
}

template <class T>
void try_all_of_type(Group& group, std::size_t count) {
  try_reductions<T>(group, count, ReduceOp::sum);
  try_reductions<T>(group, count, ReduceOp::max);
  if constexpr (!std::is_integral_v<T>) try_reductions<T>(group, count, ReduceOp::mean);
  try_copies<T>(group, count);
  group.barrier();
}

/// @throws Error that says what is wrong
inline void try_all_collectives(Group& group, std::size_t count) {
  try_all_of_type<float>(group, count);
  try_all_of_type<double>(group, count);
  try_all_of_type<std::int64_t>(group, count);
}

}  // namespace troupe
