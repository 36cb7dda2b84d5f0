#pragma once

#include <algorithm>
#include <vector>

#include "cuda/double/maths/cudnn_descriptors.hpp"

namespace troupe::cuda_double {

/// A convolution: copies of its descriptors at the time of the call.
struct Geometry {
  TensorShape x;
  TensorShape w;
  TensorShape y;
  ConvolutionShape how;
};

/// Returns the number of output rows (`side` 0) or columns (`side` 1).
std::int64_t output_side(const Geometry& geometry, std::size_t side);

/// Looks up the descriptors and checks that they match. `find_inputs` omits the output, for queries of its shape.
cudnnStatus_t find_geometry(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t y,
                            cudnnConvolutionDescriptor_t how, Geometry& geometry);
cudnnStatus_t find_inputs(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnConvolutionDescriptor_t how,
                          Geometry& geometry);

enum class Pass : std::uint8_t { forward, data, filter };

/// An algorithm of a pass, by its number in cuDNN's enumeration.
struct Algorithm {
  Pass pass = Pass::forward;
  int number = 0;
};

int algorithm_count(Pass pass);

/// Depend on shapes, types and layouts, as documented.
bool is_supported(const Algorithm& algorithm, const Geometry& geometry);
bool is_deterministic(const Algorithm& algorithm);
std::size_t workspace_bytes(const Algorithm& algorithm, const Geometry& geometry);

/// Returns whether all channel counts are multiples of eight, as tensor cores need.
bool takes_tensor_cores(const Geometry& geometry);

/// Returns the kinds of maths that each algorithm is listed with: every requested kind. Without tensor cores the
/// algorithm may be listed with either of the other kinds.
std::vector<cudnnMathType_t> maths_of(const Geometry& geometry);

/// Lists the algorithms as the queries do, but in an order that depends on the seed.
template <class Perf, class Number>
int list_algorithms(Pass pass, const Geometry& geometry, int most, Perf* results) {
  std::vector<Perf> all;
  for (int number = 0; number < algorithm_count(pass); ++number) {
    const Algorithm algorithm{pass, number};
    Perf perf{};
    perf.algo = static_cast<Number>(number);
    const bool supported = is_supported(algorithm, geometry);
    perf.status = supported ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    perf.time = -1;
    perf.memory = supported ? workspace_bytes(algorithm, geometry) : 0;
    perf.determinism = is_deterministic(algorithm) ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC;
    for (const cudnnMathType_t math : maths_of(geometry)) {
      perf.mathType = math;
      all.push_back(perf);
    }
  }
  std::ranges::shuffle(all, state().random);
  const int count = std::min(most, static_cast<int>(all.size()));
  std::copy_n(all.begin(), count, results);
  return count;
}

}  // namespace troupe::cuda_double
