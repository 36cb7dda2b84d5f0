#include "models/cpu/layers/sequence/sequence.hpp"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <numeric>

namespace troupe::cpu {

void place_sequence(PlacedLayer& layer) {
  const PlannedLayer& planned = layer.planned;
  layer.output = sequence_layout(planned.output);
  layer.parameters.parts = planned.tensor_sizes;
  layer.parameters.vectors = planned.tensor_sizes.empty() ? 0 : 1;
  layer.parameters.channels =
      std::accumulate(planned.tensor_sizes.begin(), planned.tensor_sizes.end(), std::int64_t{0});
}

void clear_tensor_padding(const PlacedLayer& layer, float* gradient) {
  std::fill(gradient + layer.parameters.channels, gradient + layer.parameters.size(), 0.0F);
}

void product(std::int64_t rows, std::int64_t columns, std::int64_t inner, float scale, const MatrixView& a,
             const MatrixView& b, float kept, float* to, std::int64_t stride) {
  const dnnl_status_t status = dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', rows, columns, inner,
                                          scale, a.data, a.stride, b.data, b.stride, kept, to, stride);
  if (status != dnnl_success) throw dnnl::error(status, "a matrix product failed");
}

}  // namespace troupe::cpu
