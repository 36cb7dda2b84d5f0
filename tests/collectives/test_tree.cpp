#include <doctest/doctest.h>

#include <random>

#include "collectives/reduce.hpp"
#include "collectives/tree.hpp"

using namespace troupe;

namespace {

/// The tree as the design words it, one element at a time.
float plain_tree(const std::vector<float>& leaves, std::size_t begin, std::size_t count) {
  if (count == 1) return leaves[begin];
  std::size_t left = 1;
  while (2 * left < count) left *= 2;
  return plain_tree(leaves, begin, left) + plain_tree(leaves, begin + left, count - left);
}

std::vector<std::vector<float>> random_vectors(std::size_t count, std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(count * 1000 + size));
  std::uniform_real_distribution<float> values(-1e3F, 1e3F);
  std::vector<std::vector<float>> vectors(count, std::vector<float>(size));
  for (auto& vector : vectors)
    for (float& value : vector) value = values(random);
  return vectors;
}

std::vector<float> leaves_at(const std::vector<std::vector<float>>& vectors, std::size_t i) {
  std::vector<float> leaves;
  for (const auto& vector : vectors) leaves.push_back(vector[i]);
  return leaves;
}

}  // namespace

TEST_CASE("the left part is the largest power of two below the count") {
  const std::vector<std::size_t> expected{1, 2, 2, 4, 4, 4, 4, 8, 8};
  for (std::size_t count = 2; count <= 10; ++count) CHECK(left_leaves(count) == expected[count - 2]);
}

TEST_CASE("losses are summed in the tree, not in order") {
  CHECK(tree_sum(std::vector<double>{}) == 0);
  CHECK(tree_sum({3.5}) == 3.5);
  // From left to right the ones would vanish in the big number one by one.
  CHECK(tree_sum({1e16, 1, 1, 1}) == (1e16 + 1) + 2);
  CHECK(tree_sum({1e16, 1, 1, 1}) != ((1e16 + 1) + 1) + 1);
}

TEST_CASE("vectors are summed in the same tree for every number of shards") {
  for (std::size_t shards = 1; shards <= 17; ++shards) {
    const auto vectors = random_vectors(shards, kTreeChunk);
    std::vector<const float*> sources;
    for (const auto& vector : vectors) sources.push_back(vector.data());
    for (const std::size_t count : {std::size_t{1}, std::size_t{7}, kTreeChunk}) {
      std::vector<float> sum(count);
      tree_sum(sources.data(), shards, count, sum.data());
      for (std::size_t i = 0; i < count; ++i) REQUIRE(sum[i] == plain_tree(leaves_at(vectors, i), 0, shards));
    }
  }
}

TEST_CASE("reduce_and_apply hands every float of the range on once, in order, as the mean over samples") {
  const std::size_t size = 3 * kTreeChunk + 5;
  const auto vectors = random_vectors(5, size);
  const Gradients gradients(vectors.begin(), vectors.end());
  const Range range{1024, size};
  std::size_t next = range.begin;
  const auto spent = reduce_and_apply(gradients, 3, range, [&](std::size_t begin, std::span<const float> mean) {
    REQUIRE(begin == next);
    for (const float value : mean) REQUIRE(value == plain_tree(leaves_at(vectors, next++), 0, 5) / 3.0F);
  });
  CHECK(next == range.end);
  CHECK(spent.reduce > 0);
  CHECK(spent.apply > 0);
}
