#pragma once

#include <vector>

#include "cuda/double/maths/cudnn_algorithms.hpp"

namespace troupe::cuda_double {

/// How the terms of an element are added.
struct Summing {
  bool exact = true;  ///< in double, in a fixed order; otherwise in float, in an order that depends on `order`
  std::uint64_t order = 0;
  bool tf32 = false;  ///< factors are rounded to TF32 first
};

/// Values in the layout of plain loops: dense, in the order of the dimensions.
using Values = std::vector<double>;

/// Reads the values of a shape from device memory, with DeviceAccess.
Values read(const TensorShape& shape, const void* from);

/// Writes alpha * values + beta * old values. The old values are not read if beta is 0.
void write(const TensorShape& shape, void* to, const Values& values, double alpha, double beta);

/// Return the sums of a convolution's passes.
Values forward_sums(const Geometry& geometry, Values x, Values w, const Summing& summing);
Values data_sums(const Geometry& geometry, Values w, Values dy, const Summing& summing);
Values filter_sums(const Geometry& geometry, Values x, Values dy, const Summing& summing);

}  // namespace troupe::cuda_double
