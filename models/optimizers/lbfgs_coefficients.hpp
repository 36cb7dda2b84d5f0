#pragma once

#include <span>
#include <vector>

namespace troupe {

/// Dot products among the vectors of L-BFGS: the last n pairs s_i = x_{i+1} - x_i and y_i = g_{i+1} - g_i, oldest
/// first, and the gradient g. Rows and coefficients list these 2n + 1 vectors in the order s_0 .. s_{n-1}, y_0 ..
/// y_{n-1}, g.
class Products {
 public:
  /// Initializes all products to zero. @throws Error invalid_argument for a negative number.
  explicit Products(int pairs = 0);

  int pairs() const { return pairs_; }
  int vectors() const { return 2 * pairs_ + 1; }
  int s(int pair) const { return pair; }
  int y(int pair) const { return pairs_ + pair; }
  int g() const { return 2 * pairs_; }

  /// Returns the dot product of two vectors, in either order.
  double& at(int a, int b) { return entries_[index(a, b)]; }
  double at(int a, int b) const { return entries_[index(a, b)]; }

  /// Removes pair 0; the others move down by one. @throws Error invalid_argument if there is no pair.
  void forget_oldest();
  /// Appends a pair as the newest one and replaces the gradient. Each row holds the products with all vectors,
  /// including the new pair: 2n + 1 values. @throws Error invalid_argument for a row of another length.
  void append(std::span<const double> s_row, std::span<const double> y_row, std::span<const double> g_row);
  /// Replaces the gradient and keeps the pairs, for example after a pair was rejected. @throws Error like `append`.
  void set_gradient(std::span<const double> g_row);

 private:
  std::size_t index(int a, int b) const;
  void set_row(int vector, std::span<const double> row);

  int pairs_ = 0;
  std::vector<double> entries_;  ///< the lower triangle with the diagonal, row by row
};

/// d = the sum of coefficients times vectors, in the order of `Products`.
struct Direction {
  std::vector<double> coefficients;
  double slope = 0;           ///< d.g
  double squared_length = 0;  ///< d.d
};

/// Returns the L-BFGS direction -H g, or -g if there are no pairs. Uses the two-loop recursion on dot products alone
/// (Chen et al., Large-scale L-BFGS using MapReduce, 2014), with H0 = (s.y / y.y) I of the newest pair. Every s_i.y_i
/// must be positive. If the arithmetic overflows, all results are 0; a slope that is not negative tells the caller to
/// drop the pairs.
Direction lbfgs_direction(const Products& products);

}  // namespace troupe
