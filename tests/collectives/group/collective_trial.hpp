#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/plain_tree.hpp"
#include "support/same_bits.hpp"
#include "troupe/error.hpp"
#include "troupe/group.hpp"

// Runs every collective on one group and compares the result with a plain computation.
namespace troupe {

/// Selects the test values. Each call uses different values, so that remains of an earlier call are detected.
inline thread_local std::size_t trial_number = 0;

/// Returns the value of rank `rank` at element `index`: numbers of both signs whose sums are rounded.
template <class T>
T trial_value(int rank, std::size_t index) {
  const auto mixed = (index * 2654435761u + static_cast<std::size_t>(rank) * 40503u + trial_number * 7919u) % 100003;
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
T plain_result(std::span<const T> leaves, ReduceOp op) {
  if (op == ReduceOp::max) return *std::max_element(leaves.begin(), leaves.end());
  const T sum = troupe_test::plain_tree([&](std::size_t rank) { return leaves[rank]; }, 0, leaves.size());
  return op == ReduceOp::mean ? sum / static_cast<T>(leaves.size()) : sum;
}

/// Returns the expected result of `size` ranks for the elements of `part`.
template <class T>
std::vector<T> plain_results(int size, Group::Part part, ReduceOp op) {
  std::vector<T> results(part.size()), leaves(static_cast<std::size_t>(size));
  for (std::size_t i = part.begin; i < part.end; ++i) {
    for (int rank = 0; rank < size; ++rank) leaves[static_cast<std::size_t>(rank)] = trial_value<T>(rank, i);
    results[i - part.begin] = plain_result<T>(leaves, op);
  }
  return results;
}

inline void require(bool holds, const std::string& what) {
  if (!holds) throw Error(ErrorCode::protocol, "wrong: " + what);
}

template <class T>
void try_all_reduce(Group& group, std::size_t count, ReduceOp op, bool in_place) {
  ++trial_number;
  std::vector<T> own = trial_values<T>(group.rank(), count);
  std::vector<T> out(count);
  in_place ? group.all_reduce(std::span<T>(own), op) : group.all_reduce(std::span<const T>(own), std::span<T>(out), op);
  require(troupe_test::same_bits<T>(in_place ? own : out, plain_results<T>(group.size(), {0, count}, op)),
          "all_reduce");
}

template <class T>
void try_reduce_scatter(Group& group, std::size_t count, ReduceOp op, bool in_place) {
  ++trial_number;
  const Group::Part part = group.part_of(count);
  std::vector<T> own = trial_values<T>(group.rank(), count);
  std::vector<T> out(part.size());
  const auto piece = in_place ? std::span<T>(own).subspan(part.begin, part.size()) : std::span<T>(out);
  group.reduce_scatter(std::span<const T>(own), piece, op);
  require(troupe_test::same_bits<T>(piece, plain_results<T>(group.size(), part, op)), "reduce_scatter");
}

template <class T>
void try_all_gather(Group& group, std::size_t count, bool in_place) {
  ++trial_number;
  const std::vector<T> whole = trial_values<T>(3, count);
  const Group::Part part = group.part_of(count);
  const auto own = std::span<const T>(whole).subspan(part.begin, part.size());
  std::vector<T> all(count);
  const auto lies = std::span<T>(all).subspan(part.begin, part.size());
  std::copy(own.begin(), own.end(), lies.begin());
  group.all_gather(in_place ? std::span<const T>(lies) : own, std::span<T>(all));
  require(troupe_test::same_bits<T>(all, whole), "all_gather");
}

template <class T>
void try_copies(Group& group, std::size_t count) {
  for (const bool in_place : {false, true}) try_all_gather<T>(group, count, in_place);
  for (int root = 0; root < group.size(); root += std::max(1, group.size() - 1)) {
    ++trial_number;
    std::vector<T> values = trial_values<T>(group.rank(), count);
    group.broadcast(std::span<T>(values), root);
    require(troupe_test::same_bits<T>(values, trial_values<T>(root, count)), "broadcast");
  }
}

template <class T>
void try_reductions(Group& group, std::size_t count, ReduceOp op) {
  for (const bool in_place : {false, true}) {
    try_all_reduce<T>(group, count, op, in_place);
    try_reduce_scatter<T>(group, count, op, in_place);
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

/// @throws Error that describes the first mismatch
inline void try_all_collectives(Group& group, std::size_t count) {
  trial_number = 0;  // the same on all ranks
  try_all_of_type<float>(group, count);
  try_all_of_type<double>(group, count);
  try_all_of_type<std::int64_t>(group, count);
}

}  // namespace troupe
