#include "models/cpu/layers/sequence/sequence.hpp"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>

namespace troupe::cpu {

void place_sequence(PlacedLayer& layer) {
  layer.output = sequence_layout(layer.planned.output);
  layer.parameters.set_parts(layer.planned.tensor_sizes);
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
