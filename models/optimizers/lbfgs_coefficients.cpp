#include "models/optimizers/lbfgs_coefficients.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/invalid.hpp"

namespace troupe {
namespace {

std::size_t triangle(std::size_t rows) { return rows * (rows + 1) / 2; }

std::size_t entries_of(int pairs) {
  if (pairs < 0) throw_invalid("L-BFGS: the number of pairs is negative");
  return triangle(2 * static_cast<std::size_t>(pairs) + 1);
}

/// Returns the dot product of two vectors: the vector with number `vector`, and the sum of coefficient times vector
/// over all vectors of `products`.
double dot_with(const Products& products, const std::vector<double>& coefficients, int vector) {
  double sum = 0;
  for (int each = 0; each < products.vectors(); ++each)
    sum += coefficients[static_cast<std::size_t>(each)] * products.at(each, vector);
  return sum;
}

/// Returns the coefficients of the direction -H g, computed by the two-loop recursion. H is the approximation of the
/// inverse Hessian, and g the gradient.
std::vector<double> two_loops(const Products& products) {
  const int pairs = products.pairs();
  std::vector<double> d(static_cast<std::size_t>(products.vectors()));
  const auto coefficient = [&d](int vector) -> double& { return d[static_cast<std::size_t>(vector)]; };
  const auto along = [&](int pair, int vector) {
    return dot_with(products, d, vector) / products.at(products.s(pair), products.y(pair));
  };
  coefficient(products.g()) = -1;
  if (pairs == 0) return d;

  std::vector<double> alphas(static_cast<std::size_t>(pairs));
  for (int pair = pairs - 1; pair >= 0; --pair) {
    const double alpha = along(pair, products.s(pair));
    alphas[static_cast<std::size_t>(pair)] = alpha;
    coefficient(products.y(pair)) -= alpha;
  }
  const int newest = products.y(pairs - 1);
  const double scale = products.at(products.s(pairs - 1), newest) / products.at(newest, newest);
  for (double& each : d) each *= scale;
  for (int pair = 0; pair < pairs; ++pair) {
    const double beta = along(pair, products.y(pair));
    coefficient(products.s(pair)) += alphas[static_cast<std::size_t>(pair)] - beta;
  }
  return d;
}

}  // namespace

Products::Products(int pairs) : pairs_(pairs), entries_(entries_of(pairs)) {}

std::size_t Products::index(int a, int b) const {
  const auto [column, row] = std::minmax(a, b);
  return triangle(static_cast<std::size_t>(row)) + static_cast<std::size_t>(column);
}

void Products::forget_oldest() {
  Products left(pairs_ - 1);
  const auto before = [&](int vector) { return vector + (vector < left.pairs() ? 1 : 2); };
  for (int a = 0; a < left.vectors(); ++a)
    for (int b = 0; b <= a; ++b) left.at(a, b) = at(before(a), before(b));
  *this = std::move(left);
}

void Products::append(std::span<const double> s_row, std::span<const double> y_row, std::span<const double> g_row) {
  Products grown(pairs_ + 1);
  const auto after = [&](int vector) { return vector + (vector < pairs_ ? 0 : 1); };
  for (int a = 0; a < g(); ++a)
    for (int b = 0; b <= a; ++b) grown.at(after(a), after(b)) = at(a, b);
  grown.set_row(grown.s(pairs_), s_row);
  grown.set_row(grown.y(pairs_), y_row);
  grown.set_gradient(g_row);
  *this = std::move(grown);
}

void Products::set_gradient(std::span<const double> g_row) { set_row(g(), g_row); }

void Products::set_row(int vector, std::span<const double> row) {
  if (row.size() != static_cast<std::size_t>(vectors()))
    throw_invalid("L-BFGS: a row of products has the wrong length");
  for (int each = 0; each < vectors(); ++each) at(vector, each) = row[static_cast<std::size_t>(each)];
}

Direction lbfgs_direction(const Products& products) {
  Direction direction;
  direction.coefficients = two_loops(products);
  direction.slope = dot_with(products, direction.coefficients, products.g());
  for (int each = 0; each < products.vectors(); ++each)
    direction.squared_length +=
        direction.coefficients[static_cast<std::size_t>(each)] * dot_with(products, direction.coefficients, each);
  direction.squared_length = std::max(direction.squared_length, 0.0);  // it may be slightly negative by rounding

  const bool finite = std::ranges::all_of(direction.coefficients, [](double each) { return std::isfinite(each); });
  if (finite && std::isfinite(direction.slope) && std::isfinite(direction.squared_length)) return direction;
  return {std::vector<double>(direction.coefficients.size()), 0, 0};
}

}  // namespace troupe
