#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "runtime/random.hpp"

using troupe::philox;
using troupe::Random;

TEST_CASE("philox computes the test vectors of Random123") {
  using Words = std::array<std::uint32_t, 4>;
  CHECK(philox(0, 0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox(~0ULL, ~0ULL, ~0ULL) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  // Counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0.
  CHECK(philox(0x299f31d0a4093822ULL, 0x0370734413198a2eULL, 0x85a308d3243f6a88ULL) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a random stream is a function of its seed and numbers") {
  const auto first_words = [](Random random) { return std::array{random.next(), random.next(), random.next()}; };
  CHECK(first_words(Random(7, 3, 2)) == first_words(Random(7, 3, 2)));
  CHECK(first_words(Random(7, 3, 2)) != first_words(Random(8, 3, 2)));
  CHECK(first_words(Random(7, 3, 2)) != first_words(Random(7, 4, 2)));
  CHECK(first_words(Random(7, 3, 2)) != first_words(Random(7, 3, 3)));
  CHECK(first_words(Random(7, 3, 2)) != first_words(Random(7, 2, 3)));
}

TEST_CASE("below() returns every value below its limit with the same probability") {
  Random random(1);
  std::vector<int> seen(7);
  constexpr int kDraws = 70'000;
  for (int i = 0; i < kDraws; ++i) ++seen.at(random.below(seen.size()));
  for (const int count : seen) CHECK(std::abs(count - 10'000) < 500);
  CHECK(Random(1).below(1) == 0);
}

TEST_CASE("uniform and normal numbers have the right moments") {
  Random random(2);
  constexpr int kDraws = 100'000;
  double uniform_sum = 0;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const float uniform = random.uniform();
    REQUIRE(uniform >= 0);
    REQUIRE(uniform < 1);
    uniform_sum += static_cast<double>(uniform);
    const double normal = random.normal();
    sum += normal;
    squares += normal * normal;
  }
  CHECK(std::abs(uniform_sum / kDraws - 0.5) < 0.005);
  CHECK(std::abs(sum / kDraws) < 0.02);
  CHECK(std::abs(squares / kDraws - 1) < 0.02);
}
