#pragma once

#include <span>
#include <vector>

namespace troupe {

/// The dot products of the vectors of L-BFGS with each other. The vectors are the last n pairs, oldest first, and the
/// gradient g. Pair i consists of s_i = x_{i+1} - x_i and y_i = g_{i+1} - g_i, where x_i are the weights in step i.
/// Vectors are numbered in the order s_0 .. s_{n-1}, y_0 .. y_{n-1}, g. A row contains the dot products of one vector
/// with all 2n + 1 vectors, in this order.
class Products {
 public:
  /// Sets all products of `pairs` pairs and the gradient to zero.
  /// @throws Error invalid_argument for a negative number.
  explicit Products(int pairs = 0);

  int pairs() const { return pairs_; }
  int vectors() const { return 2 * pairs_ + 1; }
  // The following functions return the numbers of the vectors.
  int s(int pair) const { return pair; }
  int y(int pair) const { return pairs_ + pair; }
  int g() const { return 2 * pairs_; }

  /// Returns the dot product of the vectors with numbers `a` and `b`. The order of `a` and `b` does not matter.
  double& at(int a, int b) { return entries_[index(a, b)]; }
  double at(int a, int b) const { return entries_[index(a, b)]; }

  /// Removes pair 0; the numbers of the other pairs decrease by one.
  /// @throws Error invalid_argument if there is no pair.
  void forget_oldest();
  /// Appends a pair as the newest one, and replaces the gradient. The arguments are the rows of the new vectors s, y
  /// and g. Each row contains the dot products with all vectors, including the new pair and the new gradient: 2n + 1
  /// values, where n counts the new pair, too.
  /// @throws Error invalid_argument for a row of another length.
  void append(std::span<const double> s_row, std::span<const double> y_row, std::span<const double> g_row);
  /// Replaces the gradient and keeps the pairs. Used if the new pair was rejected, for example.
  /// @throws Error like `append`.
  void set_gradient(std::span<const double> g_row);

 private:
  std::size_t index(int a, int b) const;
  void set_row(int vector, std::span<const double> row);

  int pairs_ = 0;
  std::vector<double> entries_;  ///< the lower triangle of the matrix of products, with the diagonal, row by row
};

/// A search direction d: the sum of coefficient times vector over all vectors of `Products`. Also contains dot products
/// of d.
struct Direction {
  std::vector<double> coefficients;
  double slope = 0;           ///< the dot product of d and the gradient g
  double squared_length = 0;  ///< the dot product of d and d
};

/// Returns the search direction of L-BFGS: -H g, or -g if there are no pairs. Here H is the approximation of the
/// inverse Hessian. Computes the two-loop recursion from dot products alone (Chen et al., Large-scale L-BFGS using
/// MapReduce, 2014), with H0 = (s.y / y.y) I of the newest pair. s_i.y_i must be positive for every pair. If the
/// arithmetic overflows, all members of the result are 0. If the slope of the result is not negative, the caller must
/// remove the pairs and use the negative gradient.
Direction lbfgs_direction(const Products& products);

}  // namespace troupe
