#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "actors/tune/scheduler.hpp"
#include "troupe/error.hpp"

namespace troupe::tune {
namespace {

TEST_CASE("asha lets the best trials of each rung continue") {
  const auto stopper = make_stopper(asha(27, 1, 3));  // rungs at 1, 3, 9
  CHECK(stopper->goes_on(1, 1, 0.5));                 // the first trial always continues
  CHECK_FALSE(stopper->goes_on(2, 1, 0.6));           // the second of two
  CHECK(stopper->goes_on(3, 1, 0.4));                 // the best of three
  CHECK(stopper->goes_on(1, 2, 9.0));                 // not a rung
  CHECK_FALSE(stopper->goes_on(4, 1, NAN));
  CHECK_FALSE(stopper->goes_on(5, 1, 0.45));  // one of five
  CHECK(stopper->goes_on(6, 1, 0.42));        // two of six
  CHECK_FALSE(stopper->goes_on(7, 1, 0.43));
  CHECK(stopper->goes_on(3, 3, 0.3));
  CHECK_FALSE(stopper->goes_on(1, 3, 0.31));
  CHECK(stopper->goes_on(3, 9, 0.2));
  CHECK(stopper->goes_on(3, 27, 5.0));  // the last iteration is not a rung
}

TEST_CASE("asha judges a trial once per rung, also if the trial reports again") {
  const auto stopper = make_stopper(asha(9, 1, 3));
  CHECK(stopper->goes_on(1, 1, 0.5));
  CHECK(stopper->goes_on(2, 1, 0.1));
  CHECK(stopper->goes_on(1, 1, 0.5));  // as after a loss
}

TEST_CASE("median stopping ends trials that are worse than the median of the other trials' averages") {
  const auto stopper = make_stopper(median_stopping(2, 2));
  for (std::int64_t i = 1; i <= 3; ++i) {
    CHECK(stopper->goes_on(1, i, 1.0));
    CHECK(stopper->goes_on(2, i, 2.0 / static_cast<double>(i)));
  }
  CHECK(stopper->goes_on(3, 1, 9.0));        // within the grace period
  CHECK_FALSE(stopper->goes_on(3, 2, 8.0));  // the averages of the others are 1 and 1.5
  CHECK(stopper->goes_on(4, 1, 9.0));
  CHECK(stopper->goes_on(4, 2, 0.5));
  CHECK(stopper->goes_on(4, 3, 7.0));  // the trial's best value counts
}

TEST_CASE("invalid scheduler options are refused") {
  CHECK_THROWS_AS(make_stopper(asha(0)), Error);
  CHECK_THROWS_AS(make_stopper(asha(10, 0)), Error);
  CHECK_THROWS_AS(make_stopper(asha(10, 1, 1)), Error);
  CHECK_THROWS_AS(make_stopper(asha(10, 1, NAN)), Error);
  CHECK_THROWS_AS(make_stopper(median_stopping(0)), Error);
  CHECK_THROWS_AS(make_stopper(median_stopping(1, 0)), Error);
  CHECK_THROWS_AS(make_stopper({.max_iterations = -1}), Error);
}

}  // namespace
}  // namespace troupe::tune
