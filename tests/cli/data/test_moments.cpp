#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "cli/data/moments.hpp"
#include "cli/data/summary.hpp"
#include "troupe/data.hpp"

using namespace troupe::cli;

namespace {

Moments moments_of(const std::vector<std::vector<float>>& parts) {
  Moments moments;
  for (const auto& part : parts) moments.add(part);
  return moments;
}

}  // namespace

TEST_CASE("mean, deviation, minimum and maximum equal values computed by hand, however the numbers are split") {
  for (const auto& parts : std::vector<std::vector<std::vector<float>>>{
           {{4, 1, 3, 2}}, {{4}, {1}, {3}, {2}}, {{}, {4, 1}, {}, {3, 2}}, {{4, 1, 3}, {2}}}) {
    const Moments moments = moments_of(parts);
    CHECK(moments.count() == 4);
    CHECK(moments.mean() == doctest::Approx(2.5));
    CHECK(moments.deviation() == doctest::Approx(std::sqrt(1.25)));  // (2.25 + 0.25 + 0.25 + 2.25) / 4
    CHECK(moments.least() == 1);
    CHECK(moments.most() == 4);
  }
}

TEST_CASE("a deviation that is small compared to the mean is exact") {
  std::vector<std::vector<float>> parts;
  for (int i = 0; i < 10'000; ++i) parts.push_back({1e6F + static_cast<float>(i % 2)});
  CHECK(moments_of(parts).mean() == doctest::Approx(1e6 + 0.5));
  CHECK(moments_of(parts).deviation() == doctest::Approx(0.5));
}

TEST_CASE("numbers that are not finite are counted and ignored") {
  const float infinity = std::numeric_limits<float>::infinity();
  const Moments moments = moments_of({{1, infinity, 3}, {std::nanf("")}, {-infinity}});
  CHECK(moments.count() == 2);
  CHECK(moments.not_finite() == 3);
  CHECK(moments.mean() == 2);
  CHECK(moments.deviation() == 1);
  CHECK(moments.most() == 3);
  CHECK(moments_of({}).mean() == 0);
  CHECK(moments_of({}).least() == 0);
  CHECK(moments_of({{7}}).deviation() == 0);
}

TEST_CASE("correlations equal values computed by hand") {
  constexpr std::array<std::array<float, 5>, 4> kSamples{
      {{1, 2, 4, 1, 9}, {2, 4, 3, 3, 9}, {3, 6, 2, 2, 9}, {4, 8, 1, 4, 9}}};
  Correlations all(5, 5);
  for (const auto& sample : kSamples) all.add(sample, sample);
  CHECK(all.of(0, 0) == doctest::Approx(1));
  CHECK(all.of(0, 1) == doctest::Approx(1));
  CHECK(all.of(0, 2) == doctest::Approx(-1));
  CHECK(all.of(0, 3) == doctest::Approx(0.8));  // (2.25 - 0.25 - 0.25 + 2.25) / 5
  CHECK(all.of(3, 0) == doctest::Approx(0.8));
  CHECK(std::isnan(all.of(0, 4)));  // the last column is constant
  CHECK(std::isnan(all.of(4, 4)));

  Correlations some(2, 1);
  const float nothing = std::nanf("");
  for (const auto& sample : kSamples) some.add(std::array{sample[3], sample[1]}, std::array{sample[2]});
  some.add(std::array{nothing, 1.0F}, std::array{1.0F});
  CHECK(some.of(0, 0) == doctest::Approx(-0.8));
  CHECK(some.of(1, 0) == doctest::Approx(-1));
}

TEST_CASE("a histogram counts each number once, including those at both ends") {
  Histogram histogram(0, 4, 4);
  histogram.add(std::array{0.0F, 0.5F, 1.0F, 3.9F, 4.0F, std::nanf(""), -1.0F});
  CHECK(histogram.counts == std::vector<std::int64_t>{3, 1, 0, 2});
  Moments whole;
  whole.add(std::array{1.0F, 3.0F, 1.0F});
  const Histogram a_part_a_number(whole, 24);
  CHECK(a_part_a_number.counts.size() == 3);
  CHECK(a_part_a_number.least == 0.5);
  CHECK(a_part_a_number.most == 3.5);
  CHECK(Histogram(whole, 2).counts.size() == 2);
  whole.add(std::array{1.5F});
  CHECK(Histogram(whole, 24).counts.size() == 24);
  Histogram point(5, 5, 4);
  point.add(std::array{5.0F, 5.0F});
  CHECK(point.counts == std::vector<std::int64_t>{2});
}

TEST_CASE("the points of scatter charts are evenly distributed over the whole set") {
  const troupe::TrainingData data = troupe::load_data("synthetic-linear");
  const SetSummary summary = summarise("training", *data.train, /*training=*/false, {});
  REQUIRE(summary.looked_at == 1000);
  CHECK(summary.points.size() == 500);  // every second sample; every sample would be more than a chart shows
}
