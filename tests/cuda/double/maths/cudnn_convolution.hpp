#pragma once

#include <vector>

#include "cuda/double/maths/cudnn_algorithms.hpp"

namespace troupe::cuda_double {

/// How the terms of an element are added up.
struct Summing {
  bool exact = true;  ///< in double, in one order; otherwise in float, in the order drawn by `order`
  std::uint64_t order = 0;
  bool tf32 = false;  ///< factors are rounded first
};

/// Values as plain loops use them: dense, in the order of the dimensions.
using Values = std::vector<double>;

/// Reads and writes what a shape says, with DeviceAccess.
Values read(const TensorShape& shape, const void* from);

/// Writes alpha * values + beta * what is there, which is not read where beta is 0.
void write(const TensorShape& shape, void* to, const Values& values, double alpha, double beta);

/// The sums of a convolution's passes.
Values forward_sums(const Geometry& geometry, Values x, Values w, const Summing& summing);
Values data_sums(const Geometry& geometry, Values w, Values dy, const Summing& summing);
Values filter_sums(const Geometry& geometry, Values x, Values dy, const Summing& summing);

}  // namespace troupe::cuda_double
