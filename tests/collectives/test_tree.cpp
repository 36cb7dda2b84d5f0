#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "collectives/exchange/reduce.hpp"
#include "collectives/plan/term_tree.hpp"
#include "collectives/plan/tree.hpp"
#include "support/errors.hpp"
#include "support/plain_tree.hpp"

using namespace troupe;
using troupe_test::plain_tree;

namespace {

std::vector<std::vector<float>> random_vectors(std::size_t count, std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(count * 1000 + size));
  std::uniform_real_distribution<float> values(-1e3F, 1e3F);
  std::vector<std::vector<float>> vectors(count, std::vector<float>(size));
  for (auto& vector : vectors)
    for (float& value : vector) value = values(random);
  return vectors;
}

/// Returns a function that returns float i of a vector.
auto leaves_at(const std::vector<std::vector<float>>& vectors, std::size_t i) {
  return [&vectors, i](std::size_t vector) { return vectors[vector][i]; };
}

}  // namespace

TEST_CASE("the left part is the largest power of two below the count") {
  const std::vector<std::size_t> expected{1, 2, 2, 4, 4, 4, 4, 8, 8};
  for (std::size_t count = 2; count <= 10; ++count) CHECK(left_leaves(count) == expected[count - 2]);
}

TEST_CASE("losses are summed in the tree, not from left to right") {
  CHECK(tree_sum(std::vector<double>{}) == 0);
  CHECK(tree_sum(std::vector<double>{3.5}) == 3.5);
  // From left to right, each 1 would be lost when it is added to the large number.
  CHECK(tree_sum(std::vector<double>{1e16, 1, 1, 1}) == (1e16 + 1) + 2);
  CHECK(tree_sum(std::vector<double>{1e16, 1, 1, 1}) != ((1e16 + 1) + 1) + 1);
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

TEST_CASE("reduce_and_apply passes on every float of the range once, in order, as the mean over samples") {
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

TEST_CASE("complete subtrees tile a range, and their number is minimal") {
  for (std::size_t leaves = 1; leaves <= 70; ++leaves)
    for (std::size_t begin = 0; begin <= leaves; ++begin)
      for (std::size_t end = begin; end <= leaves; ++end) {
        std::size_t at = begin;
        const auto subtrees = complete_subtrees(leaves, begin, end);
        for (const Range& subtree : subtrees) {
          REQUIRE(subtree.begin == at);
          REQUIRE(subtree.end > at);
          at = subtree.end;
        }
        REQUIRE(at == end);
        if (leaves > 1) REQUIRE(static_cast<double>(subtrees.size()) <= 2 * std::log2(leaves));
      }
  CHECK(complete_subtrees(7, 0, 7) == std::vector<Range>{{0, 7}});
  CHECK(complete_subtrees(7, 4, 7) == std::vector<Range>{{4, 7}});
  CHECK(complete_subtrees(7, 1, 6) == std::vector<Range>{{1, 2}, {2, 4}, {4, 6}});
  CHECK(complete_subtrees(8, 3, 5) == std::vector<Range>{{3, 4}, {4, 5}});
}

TEST_CASE("sums of complete subtrees are combined in the order of the whole tree") {
  const std::size_t size = 9;
  std::mt19937 random(1);
  for (std::size_t leaves = 1; leaves <= 40; ++leaves) {
    const auto vectors = random_vectors(leaves, size);
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<Range> terms;
      for (std::size_t begin = 0, end = 0; begin < leaves; begin = end) {
        end = begin + 1 + random() % (leaves - begin);
        for (const Range& subtree : complete_subtrees(leaves, begin, end)) terms.push_back(subtree);
      }
      std::vector<std::vector<float>> sums(terms.size(), std::vector<float>(size));
      std::vector<const float*> sources;
      for (std::size_t term = 0; term < terms.size(); ++term) {
        for (std::size_t i = 0; i < size; ++i)
          sums[term][i] = plain_tree(leaves_at(vectors, i), terms[term].begin, terms[term].size());
        sources.push_back(sums[term].data());
      }
      std::vector<float> whole(size);
      TermTree(leaves, terms).sum(sources.data(), size, whole.data());
      for (std::size_t i = 0; i < size; ++i) REQUIRE(whole[i] == plain_tree(leaves_at(vectors, i), 0, leaves));
    }
  }
}

TEST_CASE("terms that are not subtrees, overlap or omit leaves are refused") {
  for (const std::vector<Range>& terms : std::vector<std::vector<Range>>{
           {}, {{0, 3}}, {{0, 1}, {1, 3}, {3, 4}}, {{0, 2}, {1, 4}}, {{0, 2}, {3, 4}}, {{0, 4}, {4, 5}}, {{0, 2}}})
    CHECK(code_of([&] { TermTree(4, terms); }) == ErrorCode::invalid_argument);
}
