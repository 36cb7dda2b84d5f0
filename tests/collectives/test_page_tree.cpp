#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "collectives/exchange/page_squares.hpp"
#include "collectives/plan/page_tree.hpp"
#include "collectives/plan/plan.hpp"
#include "collectives/plan/tree.hpp"
#include "runtime/processes/memory.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

std::vector<double> random_pages(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<double> values(0, 1);
  std::vector<double> pages(count);
  for (double& page : pages) page = values(random);
  return pages;
}

std::vector<float> random_floats(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<float> values(-1e3F, 1e3F);
  std::vector<float> floats(count);
  for (float& value : floats) value = values(random);
  return floats;
}

/// Returns the sum that the driver computes from the subtree sums of the owners of `slices`.
double sum_by(std::size_t size, const std::vector<Range>& slices, const std::vector<double>& pages) {
  std::vector<double> sums;
  for (const Range& slice : slices) {
    const std::size_t end = (slice.end + kPageFloats - 1) / kPageFloats;
    const std::size_t begin = slice.empty() ? end : slice.begin / kPageFloats;
    const auto own = subtree_sums(size, slice, std::span(pages).subspan(begin, end - begin));
    CHECK(own.size() == page_subtrees(size, slice).size());
    CHECK(own.size() <= kMostSubtrees);
    sums.insert(sums.end(), own.begin(), own.end());
  }
  return sum_of_subtrees(size, slices, sums);
}

}  // namespace

TEST_CASE("the sum over pages is bitwise identical for any number of owners") {
  for (const std::size_t pages : {1, 2, 3, 7, 64, 100, 1000})
    for (const std::size_t missing : {std::size_t{0}, kPageFloats - 1}) {
      const std::size_t size = pages * kPageFloats - missing;
      const auto values = random_pages(pages);
      const double expected = tree_sum(values);
      for (std::size_t owners = 1; owners <= 9; ++owners) {
        auto slices = page_slices(size, owners);
        slices.push_back({size, size});  // an owner without floats
        CAPTURE(pages);
        CAPTURE(owners);
        CHECK(sum_by(size, slices, values) == expected);
      }
    }
}

TEST_CASE("sums of slices are refused if the slices do not tile the vector or the number of sums is wrong") {
  const std::size_t size = 8 * kPageFloats;
  const std::vector<Range> slices{{0, 3 * kPageFloats}, {3 * kPageFloats, size}};
  const auto code = [&](const std::vector<Range>& of, std::size_t sums) {
    return code_of([&] { sum_of_subtrees(size, of, std::vector<double>(sums)); });
  };
  CHECK_FALSE(code(slices, 4));
  CHECK(code(slices, 3) == ErrorCode::invalid_argument);
  CHECK(code(slices, 5) == ErrorCode::invalid_argument);
  CHECK(code({slices[0]}, 2) == ErrorCode::invalid_argument);
  CHECK(code({}, 0) == ErrorCode::invalid_argument);
}

TEST_CASE("squares are added page by page, independently of the chunks") {
  const std::size_t size = 5 * kPageFloats + 77;
  const auto floats = random_floats(size);
  const Range slice{kPageFloats, size};
  const auto pages_by = [&](std::size_t chunk, std::size_t end) {
    PageSquares squares(slice, end);
    for (std::size_t begin = slice.begin; begin < slice.end; begin += chunk)
      squares.note(begin, std::span(floats).subspan(begin, std::min(chunk, slice.end - begin)));
    return std::vector<double>(squares.pages().begin(), squares.pages().end());
  };
  for (const std::size_t end : {size, size - 1, 3 * kPageFloats + 32, kPageFloats, std::size_t{0}}) {
    CAPTURE(end);
    const auto pages = pages_by(kPageFloats, end);
    REQUIRE(pages.size() == 5);
    for (std::size_t page = 0; page < pages.size(); ++page) {
      double expected = 0;
      const std::size_t begin = slice.begin + page * kPageFloats;
      for (std::size_t i = begin; i < std::min({begin + kPageFloats, end, size}); ++i)
        expected += std::pow(static_cast<double>(floats[i]), 2);
      CHECK(pages[page] == doctest::Approx(expected).epsilon(1e-13));
    }
    CHECK(pages_by(2 * kPageFloats, end) == pages);
    CHECK(pages_by(size, end) == pages);
  }
}

TEST_CASE("squares of the largest floats are finite, and a value that is not finite is detected") {
  for (const float value : {3.4e38F, INFINITY, NAN}) {
    std::vector<float> floats(kPageFloats, 3.4e38F);
    floats[1000] = value;
    PageSquares squares({0, kPageFloats}, kPageFloats);
    squares.note(0, floats);
    CHECK(std::isfinite(squares.pages()[0]) == std::isfinite(value));
  }
}
