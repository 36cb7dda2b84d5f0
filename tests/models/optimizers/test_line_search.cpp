#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "models/optimizers/line_search.hpp"
#include "troupe/error.hpp"

using namespace troupe;

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Phi {
  double value = 0;
  double slope = 0;
};
using PhiFunction = std::function<Phi(double)>;

/// A finished search and the points that it evaluated.
struct Searched {
  LineSearch search;
  std::vector<LinePoint> points = {};

  LineSearchEnd end() const { return search.end(); }
  int evaluations() const { return search.evaluations(); }
};

Searched search_along(const PhiFunction& phi, double first_step, const LineSearchOptions& options = {}) {
  const Phi start = phi(0);
  Searched searched{LineSearch({0, start.value, start.slope}, first_step, options)};
  while (searched.search.end() == LineSearchEnd::none) {
    const double step = searched.search.next();
    REQUIRE(std::isfinite(step));
    REQUIRE(step > 0);
    const Phi found = phi(step);
    searched.points.push_back({step, found.value, found.slope});
    searched.search.note(found.value, found.slope);
  }
  CHECK(searched.evaluations() == static_cast<int>(searched.points.size()));
  CHECK(searched.evaluations() <= options.max_evaluations);
  return searched;
}

/// Checks that the accepted point satisfies the conditions of the search's end, without noise.
void check_accepted(const Searched& searched, const PhiFunction& phi, const LineSearchOptions& options = {}) {
  const Phi start = phi(0);
  const LinePoint& best = searched.search.best();
  CAPTURE(best.step);
  REQUIRE((searched.end() == LineSearchEnd::found || searched.end() == LineSearchEnd::decreased));
  CHECK(best.value == phi(best.step).value);
  CHECK(best.value <= start.value + options.decrease * best.step * start.slope);
  CHECK(searched.search.best_is_last() == (best.step == searched.points.back().step));
  if (searched.end() == LineSearchEnd::found) {
    CHECK(std::abs(best.slope) <= options.curvature * std::abs(start.slope));
    CHECK(searched.search.best_is_last());
  } else {
    CHECK(best.value < start.value);
    for (const LinePoint& each : searched.points)
      if (each.value <= start.value + options.decrease * each.step * start.slope && std::isfinite(each.value) &&
          std::isfinite(each.slope))
        CHECK(best.value <= each.value);
  }
}

/// The functions of More and Thuente, Line search algorithms with guaranteed sufficient decrease, 1994, section 5.
Phi more_thuente_1(double a) { return {-a / (a * a + 2), (a * a - 2) / ((a * a + 2) * (a * a + 2))}; }

Phi more_thuente_2(double a) {
  const double b = a + 0.004;
  return {b * b * b * b * (b - 2), b * b * b * (5 * b - 8)};
}

Phi more_thuente_3(double a) {
  const double beta = 0.01;
  const double l = 39 * std::numbers::pi / 2;
  const double from_1 = a - 1;
  Phi phi{std::abs(from_1), from_1 < 0 ? -1.0 : 1.0};
  if (std::abs(from_1) < beta) phi = {from_1 * from_1 / (2 * beta) + beta / 2, from_1 / beta};
  return {phi.value + (1 - beta) / l * std::sin(l * a), phi.slope + (1 - beta) * std::cos(l * a)};
}

PhiFunction yanai(double beta1, double beta2) {
  const auto gamma = [](double beta) { return std::sqrt(1 + beta * beta) - beta; };
  return [=](double a) -> Phi {
    const double right = std::hypot(1 - a, beta2);
    const double left = std::hypot(a, beta1);
    return {gamma(beta1) * right + gamma(beta2) * left, gamma(beta1) * (a - 1) / right + gamma(beta2) * a / left};
  };
}

struct MoreThuente {
  PhiFunction phi;
  double decrease = 0;
  double curvature = 0;
  std::array<int, 4> evaluations = {};  ///< measured, from 1e-3, 0.1, 10 and 1000
};

/// Returns noise from -1 to 1 that is deterministic for each step.
double wobble(double step) { return std::sin(1e6 * step + 0.5); }

}  // namespace

TEST_CASE("the search needs no more evaluations on the functions of More and Thuente than their own") {
  // theirs, as MINPACK's dcsrch: 6 3 1 4, 12 8 8 11, 12 12 10 13, 4 1 3 4, 6 3 7 8, 13 11 8 11: 179
  const MoreThuente functions[] = {
      {more_thuente_1, 0.001, 0.1, {6, 4, 1, 4}},       {more_thuente_2, 0.1, 0.1, {13, 11, 9, 14}},
      {more_thuente_3, 0.1, 0.1, {12, 9, 9, 12}},       {yanai(0.001, 0.001), 0.001, 0.001, {3, 1, 3, 4}},
      {yanai(0.01, 0.001), 0.001, 0.001, {5, 3, 6, 8}}, {yanai(0.001, 0.01), 0.001, 0.001, {8, 6, 7, 10}}};
  const double first_steps[] = {1e-3, 0.1, 10, 1000};
  int total = 0;
  for (const MoreThuente& each : functions) {
    CAPTURE(&each - functions);
    const LineSearchOptions options{.decrease = each.decrease, .curvature = each.curvature};
    for (std::size_t i = 0; i < std::size(first_steps); ++i) {
      CAPTURE(first_steps[i]);
      const Searched searched = search_along(each.phi, first_steps[i], options);
      CHECK(searched.end() == LineSearchEnd::found);
      check_accepted(searched, each.phi, options);
      CHECK(searched.evaluations() <= each.evaluations[i]);
      total += searched.evaluations();
    }
  }
  MESSAGE("evaluations: " << total);
  CHECK(total <= 168);
}

TEST_CASE("a quadratic function needs one evaluation from its minimum, and two from elsewhere") {
  const PhiFunction phi = [](double step) -> Phi { return {0.5 * (step - 1) * (step - 1) + 3, step - 1}; };
  const LineSearchOptions exact{.decrease = 1e-4, .curvature = 1e-3};
  for (const double first_step : {0.2, 1.0, 1.5, 2.5, 100.0, 1e6}) {
    CAPTURE(first_step);
    const Searched searched = search_along(phi, first_step, exact);
    check_accepted(searched, phi, exact);
    CHECK(searched.end() == LineSearchEnd::found);
    CHECK(searched.evaluations() == (first_step == 1 ? 1 : 2));
    CHECK(searched.search.best().step == doctest::Approx(1).epsilon(1e-3));
  }
  for (const double first_step : {0.2, 1.0, 1.8}) CHECK(search_along(phi, first_step).evaluations() == 1);
  for (const double first_step : {1e-3, 1e-6}) {
    CAPTURE(first_step);
    CHECK(search_along(phi, first_step, exact).evaluations() <= 8);  // grows tenfold each time
  }
}

TEST_CASE("on convex functions a first step of 1 is accepted if it satisfies the Wolfe conditions") {
  const PhiFunction functions[] = {
      [](double t) -> Phi {
        return {std::exp(t) - 3 * t, std::exp(t) - 3};
      },
      [](double t) -> Phi {
        return {std::log1p(std::exp(4 - 6 * t)) + 0.1 * t * t, -6 / (1 + std::exp(6 * t - 4)) + 0.2 * t};
      },
      [](double t) -> Phi {
        return {std::hypot(1, 2 - t), (t - 2) / std::hypot(1, 2 - t)};
      },
  };
  for (const PhiFunction& phi : functions) {
    const Searched searched = search_along(phi, 1);
    check_accepted(searched, phi);
    CHECK(searched.evaluations() == 1);
    CHECK(searched.search.best().step == 1);
  }
}

TEST_CASE("searches along random lines of Rosenbrock's function need few evaluations") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-2, 2);
  int most = 0;
  int total = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const double x = number(random), y = number(random), p = number(random), q = number(random);
    const auto along = [&](double sign, double t) -> Phi {
      const double u = x + sign * t * p, v = y + sign * t * q, r = v - u * u;
      return {(1 - u) * (1 - u) + 100 * r * r, sign * ((-2 * (1 - u) - 400 * u * r) * p + 200 * r * q)};
    };
    const double sign = along(1, 0).slope < 0 ? 1 : -1;
    const PhiFunction phi = [&](double t) { return along(sign, t); };
    const LineSearchOptions options{.curvature = trial % 2 == 0 ? 0.9 : 0.1};
    const Searched searched = search_along(phi, trial % 3 == 0 ? 1e-3 : 1, options);
    CAPTURE(trial);
    CHECK(searched.end() == LineSearchEnd::found);
    check_accepted(searched, phi, options);
    most = std::max(most, searched.evaluations());
    total += searched.evaluations();
  }
  MESSAGE("evaluations: at most " << most << ", " << total << " in 1000 searches");
  CHECK(most <= 8);
  CHECK(total <= 2600);
}

TEST_CASE("a lower value far away is not accepted without sufficient decrease") {
  // Decreases steeply at first, then very slowly until 100.
  const PhiFunction phi = [](double t) -> Phi {
    return {-t / std::hypot(1, t) + 1e-6 * (t - 100) * (t - 100), -std::pow(1 + t * t, -1.5) + 2e-6 * (t - 100)};
  };
  const double first_steps[] = {50, 150, 300, 1000};
  const int evaluations[] = {3, 4, 4, 5};
  for (const double decrease : {0.1, 0.3}) {
    const LineSearchOptions options{.decrease = decrease, .curvature = 0.4};
    for (std::size_t i = 0; i < std::size(first_steps); ++i) {
      CAPTURE(first_steps[i]);
      const Searched searched = search_along(phi, first_steps[i], options);
      CHECK(searched.end() == LineSearchEnd::found);
      check_accepted(searched, phi, options);
      CHECK(searched.evaluations() <= evaluations[i]);
    }
  }
}

TEST_CASE("without sufficient decrease the search interpolates the difference to Armijo's line") {
  LineSearch search({0, 0, -4}, 3, {.decrease = 0.5});
  search.note(-3, 2);  // on t^2 - 4 t, which is t^2 - 2 t above Armijo's line
  CHECK(search.end() == LineSearchEnd::none);
  CHECK(search.next() == doctest::Approx(1));
}

TEST_CASE("a step with too little decrease grows at least by a tenth and at most tenfold") {
  for (double slope = -3; slope < -0.9; slope += 0.1)
    for (double value = -80; value < -0.2; value += value < -5 ? 5 : 0.1) {
      LineSearch search({0, 0, -1}, 2, {});
      search.note(value, slope);
      CAPTURE(value);
      CAPTURE(slope);
      REQUIRE(search.end() == LineSearchEnd::none);
      CHECK(search.next() >= 2.2);
      CHECK(search.next() <= 20);
    }
  // If the slope gets steeper, the minimum of the cubic is behind.
  LineSearch search({0, 0, -1}, 2, {});
  search.note(-2.5, -2);
  CHECK(search.next() == 20);
}

TEST_CASE("a start without descent or with values that are not finite ends the search at once") {
  const LinePoint starts[] = {{0, 1, 0.5},          {0, 1, 0},         {0, 1, kNotANumber}, {0, 1, -kInfinite},
                              {0, kNotANumber, -1}, {0, kInfinite, -1}};
  for (const LinePoint& start : starts) {
    LineSearch search(start, 1, {});
    CHECK(search.end() == LineSearchEnd::no_descent);
    CHECK(search.best().step == 0);
    CHECK(search.evaluations() == 0);
    CHECK_FALSE(search.best_is_last());
    CHECK_THROWS_AS(search.note(0, 0), Error);
  }
}

TEST_CASE("an unbounded line uses all evaluations, and the last point is the best") {
  const PhiFunction phi = [](double step) -> Phi { return {-step, -1}; };
  const Searched searched = search_along(phi, 1);
  CHECK(searched.end() == LineSearchEnd::decreased);
  CHECK(searched.evaluations() == 25);
  CHECK(searched.search.best_is_last());
  CHECK(searched.search.best().step == 1e24);
  check_accepted(searched, phi);

  const Searched to_the_end = search_along(phi, 1, {.max_evaluations = 1000});
  CHECK(to_the_end.end() == LineSearchEnd::decreased);
  CHECK(to_the_end.search.best().step == std::numeric_limits<double>::max());
  CHECK(to_the_end.evaluations() < 400);
}

TEST_CASE("a function that rises in spite of its negative slope ends the search without descent") {
  const PhiFunction phi = [](double step) -> Phi { return {1 + step, step > 0 ? 1.0 : -1.0}; };
  const Searched few = search_along(phi, 1);
  CHECK(few.end() == LineSearchEnd::budget);
  CHECK(few.evaluations() == 25);
  CHECK(few.search.best().step == 0);
  CHECK_FALSE(few.search.best_is_last());
  const Searched many = search_along(phi, 1, {.max_evaluations = 100000});
  CHECK(many.search.best().step == 0);
  CHECK(many.evaluations() < 2000);
  CHECK(many.end() == LineSearchEnd::no_descent);
}

TEST_CASE("at a kink, where no slope is small, the search returns the lowest value") {
  const PhiFunction phi = [](double step) -> Phi { return {std::abs(step - 0.7), step < 0.7 ? -1.0 : 1.0}; };
  const Searched few = search_along(phi, 1, {.max_evaluations = 5});
  CHECK(few.end() == LineSearchEnd::decreased);
  check_accepted(few, phi, {});
  const Searched many = search_along(phi, 1, {.max_evaluations = 1000});
  CHECK(many.end() == LineSearchEnd::decreased);
  CHECK(many.evaluations() < 400);
  check_accepted(many, phi, {});
  CHECK(many.search.best().step == doctest::Approx(0.7).epsilon(1e-12));
}

TEST_CASE("the search reports whether the best point is an earlier one") {
  // Lower at 1, and NaN beyond.
  const PhiFunction phi = [](double step) -> Phi { return {step > 1 ? kNotANumber : -step, -1}; };
  const Searched few = search_along(phi, 1);
  CHECK(few.end() == LineSearchEnd::decreased);
  CHECK(few.search.best().step == 1);
  CHECK_FALSE(few.search.best_is_last());
  check_accepted(few, phi);
  const Searched many = search_along(phi, 1, {.max_evaluations = 1000});
  CHECK(many.end() == LineSearchEnd::decreased);
  CHECK(many.evaluations() < 100);
}

TEST_CASE("a point with any value that is not finite is treated as too far away") {
  const Phi beyond[] = {{kNotANumber, kNotANumber}, {kNotANumber, 0}, {kInfinite, kInfinite}, {-kInfinite, 0},
                        {-5, kNotANumber},          {-5, kInfinite},  {-5, -kInfinite}};
  const struct {
    double first_step = 0;
    int evaluations = 0;
  } trials[] = {{0.01, 4}, {0.5, 1}, {0.999999, 2}, {1, 2}, {10, 4}, {1000, 5}, {1e12, 14}};
  for (const Phi& bad : beyond) {
    const PhiFunction phi = [&](double t) { return t >= 1 ? bad : Phi{-std::log1p(-t) - 3 * t, 1 / (1 - t) - 3}; };
    for (const auto& trial : trials) {
      CAPTURE(bad.value);
      CAPTURE(bad.slope);
      CAPTURE(trial.first_step);
      const Searched searched = search_along(phi, trial.first_step);
      CHECK(searched.end() == LineSearchEnd::found);
      CHECK(searched.search.best().step < 1);
      check_accepted(searched, phi);
      CHECK(searched.evaluations() <= trial.evaluations);
    }
  }
}

TEST_CASE("the bracket shrinks towards its finite side if the interpolation hits an undefined region") {
  // Lowest at 0.2 and high at 1, for which the cubic predicts a minimum in the undefined region.
  const PhiFunction phi = [](double t) -> Phi {
    if (t > 0.25 && t < 0.9) return {-kInfinite, kNotANumber};
    return t < 0.9 ? Phi{(t - 0.2) * (t - 0.2), 2 * (t - 0.2)} : Phi{0.1, 0.2};
  };
  const LineSearchOptions options{.curvature = 0.1};
  const Searched searched = search_along(phi, 1, options);
  REQUIRE(searched.points.size() >= 2);
  CHECK_FALSE(std::isfinite(searched.points[1].value));
  CHECK(searched.end() == LineSearchEnd::found);
  CHECK(searched.search.best().step == doctest::Approx(0.2).epsilon(0.1));
  CHECK(searched.evaluations() <= 5);
  // From below, the undefined region is between the low end and the minimum.
  const PhiFunction mirrored = [](double t) -> Phi {
    if (t > 1.5 && t < 2) return {kNotANumber, kNotANumber};
    return {t <= 1.5 ? -t : (t - 2.1) * (t - 2.1) - 3, t <= 1.5 ? -1 : 2 * (t - 2.1)};
  };
  const Searched right = search_along(mirrored, 3, options);
  CHECK(right.end() == LineSearchEnd::found);
  check_accepted(right, mirrored, options);
}

TEST_CASE("if values are noisy, slopes decide") {
  const double noise = 1e-8;
  const PhiFunction phi = [&](double step) -> Phi {
    const double slope = 1e-12 * (step - 1);
    return {step == 0 ? 5 - noise : 5 + noise * wobble(step), slope};
  };
  const LineSearchOptions plain{.curvature = 0.1};
  LineSearchOptions noisy = plain;
  noisy.noise = 3 * noise;
  for (const double first_step : {1e-3, 0.1, 1.0, 10.0, 1000.0}) {
    CAPTURE(first_step);
    const LineSearchEnd without = search_along(phi, first_step, plain).end();
    CHECK((without == LineSearchEnd::budget || without == LineSearchEnd::no_descent));
    const Searched with = search_along(phi, first_step, noisy);
    CHECK(with.end() == LineSearchEnd::found);
    CHECK(with.search.best_is_last());
    CHECK(std::abs(with.search.best().step - 1) <= 0.1 + 1e-9);
    CHECK(with.evaluations() <= (first_step < 0.1 ? 4 : 2));
  }
  // Noise must not permit an increase.
  const PhiFunction rises = [&](double step) -> Phi { return {step == 0 ? 0.0 : 1.0, step == 0 ? -1.0 : 0.0}; };
  CHECK(search_along(rises, 1, noisy).end() == LineSearchEnd::budget);
}

TEST_CASE("with noise a small slope is accepted only if Armijo's condition would hold on a quadratic function") {
  const LineSearchOptions options{.decrease = 0.3, .noise = 0.1};
  LineSearch search({0, 1, -1}, 1, options);
  search.note(1.05, 0.5);
  CHECK(search.end() == LineSearchEnd::none);
  search.note(1.11, 0.3);
  CHECK(search.end() == LineSearchEnd::none);
  search.note(1.05, 0.3);
  CHECK(search.end() == LineSearchEnd::found);
  CHECK(search.best().value == 1.05);
}

TEST_CASE("on a plateau with equal float values, slopes decide") {
  const PhiFunction phi = [](double step) -> Phi {
    return {static_cast<float>(1e3 + 1e-7 * (step - 1) * (step - 1)), 2e-7 * (step - 1)};
  };
  for (const double noise : {0.0, 1e-4}) {
    const LineSearchOptions options{.curvature = 0.1, .noise = noise};
    for (const double first_step : {0.01, 1.0, 1.5, 5.0, 300.0}) {
      CAPTURE(first_step);
      CAPTURE(noise);
      const Searched searched = search_along(phi, first_step, options);
      CHECK((searched.end() == LineSearchEnd::found) == (noise > 0));
      if (noise > 0) CHECK(searched.evaluations() <= 4);
    }
  }
}

TEST_CASE("values near the limits of doubles work") {
  for (const double scale : {1e-300, 1e-150, 1e150, 1e300}) {
    CAPTURE(scale);
    const PhiFunction phi = [&](double t) -> Phi { return {scale * (t - 1) * (t - 1), 2 * scale * (t - 1)}; };
    for (const double first_step : {1e-3, 1.0, 1000.0}) {
      const Searched searched = search_along(phi, first_step, {.curvature = 0.1});
      CHECK(searched.end() == LineSearchEnd::found);
      CHECK(searched.evaluations() <= 5);
    }
  }
}

TEST_CASE("the bracket is halved if the interpolation overflows") {
  LineSearch search({0, 1e308, -1e308}, 2, {});
  search.note(-1e308, 1e308);  // the difference of values is infinite
  CHECK(search.end() == LineSearchEnd::none);
  CHECK(search.next() == 1);
}

TEST_CASE("on random functions with undefined regions every search ends with a valid result") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  std::array<int, 5> ends{};
  for (int trial = 0; trial < 5000; ++trial) {
    const double a = number(random), b = 3 * number(random), c = number(random), w = 20 * number(random);
    const double from = 4 * number(random), to = from + number(random), kink = std::abs(2 * number(random));
    const PhiFunction phi = [&](double t) -> Phi {
      if (t > 0 && t > from && t < to) return {trial % 2 == 0 ? kNotANumber : -kInfinite, 1};
      return {a * t * t * t * t / 10 + b * t * t - t + c * std::cos(w * t) + 3 * std::abs(t - kink),
              a * t * t * t * 0.4 + 2 * b * t - 1 - c * w * std::sin(w * t) + (t < kink ? -3 : 3)};
    };
    const LineSearchOptions options{.decrease = trial % 3 == 0 ? 0.1 : 1e-4,
                                    .curvature = trial % 5 == 0 ? 0.1 : 0.9,
                                    .max_evaluations = trial % 7 == 0 ? 5 : 2000};
    const Searched searched = search_along(phi, std::pow(10.0, 3 * number(random)), options);
    ++ends[static_cast<std::size_t>(searched.end())];
    CAPTURE(trial);
    if (searched.end() == LineSearchEnd::found || searched.end() == LineSearchEnd::decreased)
      check_accepted(searched, phi, options);
    else
      CHECK(searched.search.best().step == 0);
    if (searched.end() == LineSearchEnd::budget) CHECK(options.max_evaluations == 5);
  }
  for (const LineSearchEnd end : {LineSearchEnd::found, LineSearchEnd::decreased, LineSearchEnd::no_descent})
    CHECK(ends[static_cast<std::size_t>(end)] > 40);
  MESSAGE("found, decreased, no_descent, budget: " << ends[1] << " " << ends[2] << " " << ends[3] << " " << ends[4]);
}

TEST_CASE("invalid options are refused") {
  const LinePoint start{0, 1, -1};
  for (const double step : {0.0, -1.0, kNotANumber, kInfinite}) CHECK_THROWS_AS(LineSearch(start, step, {}), Error);
  const LineSearchOptions refused[] = {
      {.decrease = 0},        {.decrease = 0.95}, {.curvature = 1},      {.curvature = kNotANumber},
      {.max_evaluations = 0}, {.noise = -1},      {.noise = kNotANumber}};
  for (const LineSearchOptions& options : refused) CHECK_THROWS_AS(LineSearch(start, 1, options), Error);
}
