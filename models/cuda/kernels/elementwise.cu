#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/kernels/flat.hpp"

namespace troupe::cuda {

namespace {

struct Sum {
  bool relu;
  TROUPE_HOST_DEVICE float operator()(float a, float b) const { return relu ? cut(a + b) : a + b; }
};

struct Cut {
  TROUPE_HOST_DEVICE float operator()(float value) const { return cut(value); }
};

struct CutGradient {
  TROUPE_HOST_DEVICE float operator()(float output, float gradient) const { return output > 0 ? gradient : 0.0F; }
};

struct Same {
  TROUPE_HOST_DEVICE float operator()(float value) const { return value; }
};

}  // namespace

void add(cudaStream_t stream, Element element, std::size_t count, const void* first, const void* second, bool relu,
         void* output) {
  map_two(stream, element, first, second, output, count, Sum{relu});
}

void relu_forward(cudaStream_t stream, Element element, std::size_t count, const void* input, void* output) {
  map_one(stream, element, input, output, count, Cut{});
}

void relu_backward(cudaStream_t stream, Element element, std::size_t count, const void* output, void* gradient) {
  map_two(stream, element, output, gradient, gradient, count, CutGradient{});
}

void accumulate(cudaStream_t stream, Element element, std::size_t count, const void* from, void* to) {
  map_two(stream, element, to, from, to, count, Sum{/*relu=*/false});
}

void from_floats(cudaStream_t stream, Element element, std::size_t count, const float* from, void* to) {
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    map_one<decltype(elements)::kPack>(stream, from, static_cast<T*>(to), count, Same{});
  });
}

void to_floats(cudaStream_t stream, Element element, std::size_t count, const void* from, float* to) {
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    map_one<decltype(elements)::kPack>(stream, static_cast<const T*>(from), to, count, Same{});
  });
}

}  // namespace troupe::cuda
