#include <doctest/doctest.h>

#include "models/metrics/measured_samples.hpp"
#include "models/metrics/summary.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

void check_class(const ClassMetrics& found, double precision, double recall, double f1, std::int64_t support) {
  CHECK(found.precision == doctest::Approx(precision).epsilon(1e-15));
  CHECK(found.recall == doctest::Approx(recall).epsilon(1e-15));
  CHECK(found.f1 == doctest::Approx(f1).epsilon(1e-15));
  CHECK(found.support == support);
}

}  // namespace

TEST_CASE("precision, recall and F1 are computed for each class, and are 0 without predictions or samples") {
  const auto classes = class_metrics(kMeasuredConfusion);
  REQUIRE(classes.size() == 4);
  check_class(classes[0], 0.5, 0.5, 0.5, 4);
  check_class(classes[1], 0.5, 2.0 / 3, 4.0 / 7, 3);
  check_class(classes[2], 0, 0, 0, 3);
  check_class(classes[3], 0, 0, 0, 0);
  check_class(macro_metrics(classes), 0.25, (0.5 + 2.0 / 3) / 4, (0.5 + 4.0 / 7) / 4, 10);
}

TEST_CASE("rows of the confusion matrix are true classes, and columns are predicted classes") {
  const auto classes = class_metrics(std::vector<std::int64_t>{8, 2, 30, 10});
  check_class(classes[0], 8.0 / 38, 0.8, 16.0 / 48, 10);
  check_class(classes[1], 10.0 / 12, 0.25, 20.0 / 52, 40);
}

TEST_CASE("squared and absolute errors are means, and R2 is 1 minus error by variance") {
  const TargetSums first{1.5, 2, 3.2, 13.3};
  const TargetSums second{24, 8, 30.8, 1060.8};
  const TargetMetrics one = target_metrics(first, 5);
  CHECK(one.mse == doctest::Approx(0.3));
  CHECK(one.mae == doctest::Approx(0.4));
  CHECK(one.r2 == doctest::Approx(1 - 1.5 / 13.3));
  const TargetMetrics all = overall_metrics(std::vector<TargetSums>{first, second}, 5);
  CHECK(all.mse == doctest::Approx((0.3 + 4.8) / 2));
  CHECK(all.mae == doctest::Approx((0.4 + 1.6) / 2));
  CHECK(all.r2 == doctest::Approx(1 - 25.5 / 1074.1));
}

TEST_CASE("for constant targets R2 is 1 without errors and 0 with errors") {
  CHECK(target_metrics({0, 0, 7, 0}, 5).r2 == 1);
  CHECK(target_metrics({1e-9, 1e-5, 7, 0}, 5).r2 == 0);
}

TEST_CASE("merged sums of any parts of a set equal the sums of the whole set") {
  // 1, 2 and 6 have the mean 3 and the squares 4 + 1 + 9.
  TargetSums sums;
  merge(sums, 0, {}, 0);
  merge(sums, 0, {1, 2, 1.5, 0.5}, 2);  // 1 and 2
  merge(sums, 2, {}, 0);
  merge(sums, 2, {3, 4, 6, 0}, 1);
  CHECK(sums.squared_error == 4);
  CHECK(sums.absolute_error == 6);
  CHECK(sums.mean == doctest::Approx(3).epsilon(1e-15));
  CHECK(sums.deviation == doctest::Approx(14).epsilon(1e-15));
}
