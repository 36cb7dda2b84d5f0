#pragma once

#include <span>
#include <vector>

namespace troupe {

/// Dot products among the vectors of L-BFGS: the last n pairs, oldest first, and the gradient g. A pair is s_i =
/// x_{i+1} - x_i and y_i = g_{i+1} - g_i. Vectors are numbered in the order s_0 .. s_{n-1}, y_0 .. y_{n-1}, g. A row
/// contains the products of one vector with all 2n + 1 vectors, in this order.
class Products {
 public:
  /// Initializes all products to zero. @throws Error invalid_argument for a negative number.
  explicit Products(int pairs = 0);

  int pairs() const { return pairs_; }
  int vectors() const { return 2 * pairs_ + 1; }
  // The numbers of the vectors.
  int s(int pair) const { return pair; }
  int y(int pair) const { return pairs_ + pair; }
  int g() const { return 2 * pairs_; }

  /// Returns the dot product of the vectors with numbers `a` and `b`. The order of `a` and `b` does not matter.
  double& at(int a, int b) { return entries_[index(a, b)]; }
  double at(int a, int b) const { return entries_[index(a, b)]; }

  /// Removes pair 0; the numbers of the other pairs decrease by one.
  /// @throws Error invalid_argument if there is no pair.
  void forget_oldest();
  /// Appends a pair as the newest one and replaces the gradient. Each row contains the products with all vectors,
  /// including the new pair and the new gradient: 2n + 1 values, where n includes the new pair.
  /// @throws Error invalid_argument for a row of another length.
  void append(std::span<const double> s_row, std::span<const double> y_row, std::span<const double> g_row);
  /// Replaces the gradient and keeps the pairs, for example after a pair was rejected. @throws Error like `append`.
  void set_gradient(std::span<const double> g_row);

 private:
  std::size_t index(int a, int b) const;
  void set_row(int vector, std::span<const double> row);

  int pairs_ = 0;
  std::vector<double> entries_;  ///< the lower triangle with the diagonal, row by row
};

/// A direction d: the sum of coefficient times vector over all vectors of `Products`, in their order.
struct Direction {
  std::vector<double> coefficients;
  double slope = 0;           ///< d.g
  double squared_length = 0;  ///< d.d
};

/// Returns the L-BFGS direction -H g, or -g if there are no pairs. Uses the two-loop recursion on dot products alone
/// (Chen et al., Large-scale L-BFGS using MapReduce, 2014), with H0 = (s.y / y.y) I of the newest pair. Every s_i.y_i
/// must be positive. If the arithmetic overflows, all members of the result are 0. If the slope of the result is not
/// negative, the caller must remove the pairs and use the negative gradient.
Direction lbfgs_direction(const Products& products);

}  // namespace troupe
