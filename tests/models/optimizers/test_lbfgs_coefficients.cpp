#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/optimizers/lbfgs_coefficients.hpp"
#include "models/optimizers/line_search.hpp"
#include "support/numbers.hpp"
#include "troupe/error.hpp"

using namespace troupe;

namespace {

using troupe_test::dot;
using troupe_test::Numbers;
using troupe_test::plus;

double length(const Numbers& a) { return std::sqrt(dot(a, a)); }

double distance(const Numbers& a, const Numbers& b) { return length(plus(a, -1, b)); }

struct CurvaturePair {
  Numbers s;
  Numbers y;
};
using CurvaturePairs = std::deque<CurvaturePair>;

/// The two-loop recursion over whole vectors: Nocedal and Wright, algorithm 7.4.
Numbers plain_direction(const CurvaturePairs& pairs, const Numbers& g) {
  Numbers q = g;
  Numbers alphas(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    alphas[i] = dot(pairs[i].s, q) / dot(pairs[i].s, pairs[i].y);
    q = plus(q, -alphas[i], pairs[i].y);
  }
  if (!pairs.empty()) {
    const CurvaturePair& newest = pairs.back();
    const double scale = dot(newest.s, newest.y) / dot(newest.y, newest.y);
    for (double& each : q) each *= scale;
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double beta = dot(pairs[i].y, q) / dot(pairs[i].s, pairs[i].y);
    q = plus(q, alphas[i] - beta, pairs[i].s);
  }
  for (double& each : q) each = -each;
  return q;
}

/// Returns the vectors in the order of `Products`.
std::vector<Numbers> in_order(const CurvaturePairs& pairs, const Numbers& g) {
  std::vector<Numbers> vectors;
  for (const CurvaturePair& each : pairs) vectors.push_back(each.s);
  for (const CurvaturePair& each : pairs) vectors.push_back(each.y);
  vectors.push_back(g);
  return vectors;
}

Numbers dots(const Numbers& of, const std::vector<Numbers>& vectors) {
  Numbers row;
  for (const Numbers& each : vectors) row.push_back(dot(of, each));
  return row;
}

Products products_of(const CurvaturePairs& pairs, const Numbers& g) {
  Products products(static_cast<int>(pairs.size()));
  const std::vector<Numbers> vectors = in_order(pairs, g);
  for (int a = 0; a < products.vectors(); ++a)
    for (int b = 0; b <= a; ++b)
      products.at(a, b) = dot(vectors[static_cast<std::size_t>(a)], vectors[static_cast<std::size_t>(b)]);
  return products;
}

bool same_products(const Products& a, const Products& b) {
  if (a.pairs() != b.pairs()) return false;
  for (int i = 0; i < a.vectors(); ++i)
    for (int j = 0; j < a.vectors(); ++j)
      if (a.at(i, j) != b.at(i, j) || a.at(i, j) != a.at(j, i)) return false;
  return true;
}

Numbers combine(const Direction& direction, const std::vector<Numbers>& vectors) {
  REQUIRE(direction.coefficients.size() == vectors.size());
  Numbers sum(vectors.back().size());
  for (std::size_t i = 0; i < vectors.size(); ++i) sum = plus(std::move(sum), direction.coefficients[i], vectors[i]);
  return sum;
}

/// Draws curvature pairs of a quadratic function with curvatures from 1 to 10.
class RandomPairs {
 public:
  explicit RandomPairs(std::size_t size) : size_(size) {}

  Numbers vector() {
    Numbers numbers(size_);
    for (double& each : numbers) each = normal_(random_);
    return numbers;
  }
  CurvaturePair pair() {
    CurvaturePair made{vector(), {}};
    for (std::size_t i = 0; i < size_; ++i) made.y.push_back(made.s[i] * static_cast<double>(1 + i % 10));
    return made;
  }

 private:
  std::size_t size_;
  std::mt19937 random_{3};
  std::normal_distribution<double> normal_;
};

void check_direction(const Products& products, const CurvaturePairs& pairs, const Numbers& g, double tolerance) {
  const Direction direction = lbfgs_direction(products);
  const Numbers plain = plain_direction(pairs, g);
  CHECK(distance(combine(direction, in_order(pairs, g)), plain) <= tolerance * length(plain));
  CHECK(std::abs(direction.slope - dot(plain, g)) <= tolerance * length(plain) * length(g));
  CHECK(std::abs(direction.squared_length - dot(plain, plain)) <= tolerance * dot(plain, plain));
}

/// A function's value and gradient.
struct Evaluated {
  double value = 0;
  Numbers gradient;
};
using Objective = std::function<Evaluated(const Numbers&)>;

struct Minimised {
  std::vector<Numbers> iterates;
  int evaluations = 0;
  double gradient = 0;    ///< norm at the end
  double difference = 0;  ///< largest relative difference between a direction and the plain one at the same point
  LineSearchEnd end = LineSearchEnd::none;
};

/// L-BFGS, by whole vectors or by products. By products, each iteration computes three rows.
class Minimisation {
 public:
  Minimisation(const Objective& objective, Numbers start, std::size_t memory, bool by_products)
      : objective_(objective), memory_(memory), by_products_(by_products), x_(std::move(start)), at_(objective_(x_)) {
    products_.set_gradient(dots(at_.gradient, in_order(pairs_, at_.gradient)));
    result_.iterates.push_back(x_);
  }

  Minimised run(double tolerance, int most_iterations) {
    for (int i = 0; i < most_iterations && length(at_.gradient) > tolerance; ++i)
      if (!iterate()) break;
    result_.gradient = length(at_.gradient);
    return result_;
  }

 private:
  bool iterate() {
    const Numbers direction = find_direction();
    LineSearch search({0, at_.value, dot(direction, at_.gradient)}, pairs_.empty() ? 1 / length(at_.gradient) : 1,
                      {.noise = 1e-15 * std::abs(at_.value)});
    Numbers x;
    Evaluated found;
    while (search.end() == LineSearchEnd::none) {
      x = plus(x_, search.next(), direction);
      found = objective_(x);
      ++result_.evaluations;
      search.note(found.value, dot(direction, found.gradient));
    }
    result_.end = search.end();
    if (search.end() != LineSearchEnd::found) return false;
    CurvaturePair pair{plus(x, -1, x_), plus(found.gradient, -1, at_.gradient)};
    x_ = std::move(x);
    at_ = std::move(found);
    take_in(std::move(pair));
    result_.iterates.push_back(x_);
    return true;
  }

  Numbers find_direction() {
    Numbers plain = plain_direction(pairs_, at_.gradient);
    if (!by_products_) return plain;
    const Direction direction = lbfgs_direction(products_);
    Numbers vector = combine(direction, in_order(pairs_, at_.gradient));
    result_.difference = std::max(result_.difference, distance(vector, plain) / length(plain));
    CHECK(direction.slope < 0);
    CHECK(direction.slope == doctest::Approx(dot(vector, at_.gradient)).epsilon(1e-6));
    return vector;
  }

  void take_in(CurvaturePair pair) {
    REQUIRE(dot(pair.s, pair.y) > 0);
    if (pairs_.size() == memory_) {
      pairs_.pop_front();
      products_.forget_oldest();
    }
    pairs_.push_back(std::move(pair));
    const std::vector<Numbers> vectors = in_order(pairs_, at_.gradient);
    products_.append(dots(pairs_.back().s, vectors), dots(pairs_.back().y, vectors), dots(at_.gradient, vectors));
  }

  const Objective& objective_;
  std::size_t memory_;
  bool by_products_;
  Numbers x_;
  Evaluated at_;
  CurvaturePairs pairs_;
  Products products_;
  Minimised result_;
};

Evaluated rosenbrock(const Numbers& x) {
  Evaluated at{0, Numbers(x.size())};
  for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
    const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
    at.value += a * a + 100 * b * b;
    at.gradient[i] = -2 * a - 400 * x[i] * b;
    at.gradient[i + 1] = 200 * b;
  }
  return at;
}

/// The Rosenbrock function in which each coordinate depends on its neighbours.
Evaluated chained_rosenbrock(const Numbers& x) {
  Evaluated at{0, Numbers(x.size())};
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
    at.value += a * a + 100 * b * b;
    at.gradient[i] += -2 * a - 400 * x[i] * b;
    at.gradient[i + 1] += 200 * b;
  }
  return at;
}

/// Curvatures from 1 to 10^6, evenly in their logarithms.
Evaluated stiff_quadratic(const Numbers& x) {
  Evaluated at{0, Numbers(x.size())};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double curvature = std::pow(10.0, 6 * static_cast<double>(i) / static_cast<double>(x.size() - 1));
    at.gradient[i] = curvature * (x[i] - 1);
    at.value += 0.5 * at.gradient[i] * (x[i] - 1);
  }
  return at;
}

/// Returns the loss over 200 random samples of two overlapping classes, with a little weight decay.
Objective logistic_loss(std::size_t features) {
  RandomPairs random(features);
  std::vector<Numbers> samples;
  for (int i = 0; i < 200; ++i) {
    samples.push_back(random.vector());
    samples.back()[0] += 0.5;
    if (i % 2 == 1)
      for (double& each : samples.back()) each = -each;  // label times sample
  }
  return [samples](const Numbers& w) {
    Evaluated at{0.5e-3 * dot(w, w), Numbers(w.size())};
    for (std::size_t i = 0; i < w.size(); ++i) at.gradient[i] = 1e-3 * w[i];
    for (const Numbers& sample : samples) {
      const double margin = dot(w, sample);
      at.value += std::log1p(std::exp(-margin)) / 200;
      at.gradient = plus(std::move(at.gradient), -1 / (1 + std::exp(margin)) / 200, sample);
    }
    return at;
  };
}

struct LbfgsTrial {
  std::string name;
  Objective objective;
  Numbers start;
  std::size_t memory = 10;
  double tolerance = 0;   ///< for the norm of the gradient, relative to the first
  int same_iterates = 0;  ///< the number of iterates that agree to 1e-6
  int evaluations = 0;    ///< upper limit
};

}  // namespace

TEST_CASE("directions from products equal those of the two-loop recursion over vectors") {
  RandomPairs random(60);
  for (int n = 0; n <= 20; ++n) {
    CAPTURE(n);
    CurvaturePairs pairs;
    for (int i = 0; i < n; ++i) pairs.push_back(random.pair());
    const Numbers g = random.vector();
    check_direction(products_of(pairs, g), pairs, g, 1e-10);
  }
}

TEST_CASE("without pairs the direction is the negative gradient") {
  Products products;
  CHECK(products.vectors() == 1);
  products.set_gradient(Numbers{9});
  const Direction direction = lbfgs_direction(products);
  CHECK(direction.coefficients == Numbers{-1});
  CHECK(direction.slope == -9);
  CHECK(direction.squared_length == 9);
}

TEST_CASE("the direction for one pair equals the result by hand") {
  // H0 = 1/2: s = (1, 0), y = (2, 0), g = (4, 6), d = -(2, 3).
  CurvaturePairs pairs{{{1, 0}, {2, 0}}};
  const Numbers g{4, 6};
  const Direction direction = lbfgs_direction(products_of(pairs, g));
  CHECK(combine(direction, in_order(pairs, g)) == Numbers{-2, -3});
  CHECK(direction.slope == -26);
  CHECK(direction.squared_length == 13);
}

TEST_CASE("products stay correct while pairs are added and removed") {
  RandomPairs random(40);
  CurvaturePairs pairs;
  Numbers g = random.vector();
  Products products = products_of(pairs, g);
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    if (round % 3 == 2 || pairs.size() == 7) {
      pairs.pop_front();
      products.forget_oldest();
      CHECK(same_products(products, products_of(pairs, g)));
    }
    g = random.vector();
    if (round % 5 == 4) {
      products.set_gradient(dots(g, in_order(pairs, g)));
    } else {
      pairs.push_back(random.pair());
      const std::vector<Numbers> vectors = in_order(pairs, g);
      products.append(dots(pairs.back().s, vectors), dots(pairs.back().y, vectors), dots(g, vectors));
    }
    CHECK(same_products(products, products_of(pairs, g)));
    check_direction(products, pairs, g, 1e-10);
  }
  while (products.pairs() > 0) products.forget_oldest();
  CHECK(products.at(products.g(), products.g()) == dot(g, g));
}

TEST_CASE("a direction with overflow has no descending slope") {
  for (const double bad : {0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const int pair : {0, 1}) {
      CAPTURE(bad);
      CAPTURE(pair);
      Products products = products_of({{{1, 0}, {2, 1}}, {{0, 1}, {1, 3}}}, {4, 6});
      products.at(products.s(pair), products.y(pair)) = bad;
      const Direction direction = lbfgs_direction(products);
      CHECK(direction.coefficients == Numbers(5));
      CHECK(direction.slope == 0);
      CHECK(direction.squared_length == 0);
    }
  }
  Products huge(1);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b <= a; ++b) huge.at(a, b) = 1e300;
  huge.at(huge.s(0), huge.y(0)) = 1e-300;
  CHECK(lbfgs_direction(huge).slope == 0);
}

TEST_CASE("rows of a wrong length and missing pairs are refused") {
  CHECK_THROWS_AS(Products(-1), Error);
  Products products;
  CHECK_THROWS_AS(products.forget_oldest(), Error);
  CHECK_THROWS_AS(products.set_gradient(Numbers{1, 2}), Error);
  const Numbers row(3);
  for (const Numbers& wrong : {Numbers(1), Numbers(2), Numbers(4)}) {
    CHECK_THROWS_AS(products.append(wrong, row, row), Error);
    CHECK_THROWS_AS(products.append(row, wrong, row), Error);
    CHECK_THROWS_AS(products.append(row, row, wrong), Error);
    CHECK(products.pairs() == 0);
  }
}

TEST_CASE("L-BFGS by products follows the same iterates as L-BFGS by vectors") {
  Numbers alternating(100);
  for (std::size_t i = 0; i < alternating.size(); ++i) alternating[i] = i % 2 == 0 ? -1.2 : 1;
  // Long runs diverge, because rounding differences grow with every iteration.
  const LbfgsTrial trials[] = {
      {"Rosenbrock, 2", rosenbrock, {-1.2, 1}, 5, 1e-8, 37, 43},
      {"Rosenbrock, 100", rosenbrock, alternating, 10, 1e-8, 36, 45},
      {"chained Rosenbrock, 100", chained_rosenbrock, alternating, 10, 1e-8, 70, 650},
      {"condition 1e6, 30", stiff_quadratic, Numbers(30), 10, 1e-4, 90, 200},
      {"condition 1e6, 30, 20 pairs", stiff_quadratic, Numbers(30), 20, 1e-6, 80, 1500},
      {"logistic, 20", logistic_loss(20), Numbers(20), 10, 1e-8, 16, 15},
  };
  for (const LbfgsTrial& trial : trials) {
    CAPTURE(trial.name);
    const double tolerance = trial.tolerance * length(trial.objective(trial.start).gradient);
    const Minimised plain = Minimisation(trial.objective, trial.start, trial.memory, false).run(tolerance, 4000);
    const Minimised ours = Minimisation(trial.objective, trial.start, trial.memory, true).run(tolerance, 4000);
    CHECK(ours.gradient <= tolerance);
    CHECK(plain.gradient <= tolerance);
    std::size_t same = 0;
    while (same < std::min(plain.iterates.size(), ours.iterates.size()) &&
           distance(plain.iterates[same], ours.iterates[same]) <= 1e-6 * length(plain.iterates[same]))
      ++same;
    MESSAGE(trial.name << ": " << ours.iterates.size() - 1 << " iterations, " << plain.iterates.size() - 1
                       << " by vectors, " << same << " iterates agree; " << ours.evaluations << " evaluations, "
                       << plain.evaluations << "; directions differ by " << ours.difference);
    CHECK(static_cast<int>(same) >= trial.same_iterates);
    CHECK(ours.evaluations <= trial.evaluations);
    CHECK(ours.difference <= 1e-12);
  }
}
