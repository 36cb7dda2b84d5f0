#pragma once

#include <span>
#include <vector>

namespace troupe {

/// Dot products among the vectors of L-BFGS: of the n last pairs s_i = x_{i+1} - x_i and y_i = g_{i+1} - g_i, the
/// oldest first, and the gradient g. Rows and coefficients of these 2n + 1 vectors have the order s_0 .. s_{n-1},
/// y_0 .. y_{n-1}, g.
class Products {
 public:
  /// All zeros. @throws Error invalid_argument for a number below 0.
  explicit Products(int pairs = 0);

  int pairs() const { return pairs_; }
  int vectors() const { return 2 * pairs_ + 1; }
  int s(int pair) const { return pair; }
  int y(int pair) const { return pairs_ + pair; }
  int g() const { return 2 * pairs_; }

  /// The dot product of two vectors, in either order.
  double& at(int a, int b) { return entries_[index(a, b)]; }
  double at(int a, int b) const { return entries_[index(a, b)]; }

  /// Drops pair 0, and the others move down by one. @throws Error invalid_argument where there is none.
  void forget_oldest();
  /// Takes a pair in as the newest, and another gradient. Each row has the products with all vectors as they are then,
  /// 2n + 1 with the new pair. @throws Error invalid_argument for a row of another length.
  void append(std::span<const double> s_row, std::span<const double> y_row, std::span<const double> g_row);
  /// Another gradient beside the same pairs, such as where a pair was refused. @throws Error as `append`.
  void set_gradient(std::span<const double> g_row);

 private:
  std::size_t index(int a, int b) const;
  void set_row(int vector, std::span<const double> row);

  int pairs_ = 0;
  std::vector<double> entries_;  ///< below the diagonal and on it, row after row
};

/// d = sum of coefficients times vectors, in the order of `Products`.
struct Direction {
  std::vector<double> coefficients;
  double slope = 0;           ///< d.g
  double squared_length = 0;  ///< d.d
};

/// The direction -H g of L-BFGS, by the two loops over dot products alone (Chen et al., Large-scale L-BFGS using
/// MapReduce, 2014), with H0 = (s.y / y.y) I of the newest pair; -g without pairs. Each s_i.y_i is above 0. Where the
/// arithmetic overflows all is 0: a slope that is not below 0 tells the caller to forget the pairs.
Direction lbfgs_direction(const Products& products);

}  // namespace troupe
