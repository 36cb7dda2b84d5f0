#include <cmath>

#include "models/cuda/kernels/activations.hpp"
#include "models/cuda/kernels/flat.hpp"

// The formulas of these activation functions are those of oneDNN, which computes them on CPUs.
namespace troupe::cuda {

namespace {

constexpr float kRootOfHalf = 0.70710678F;
constexpr float kTwoOverRootOfPi = 1.12837917F;

struct Gelu {
  TROUPE_HOST_DEVICE float operator()(float x) const { return 0.5F * x * (1 + std::erf(x * kRootOfHalf)); }
};

struct GeluGradient {
  TROUPE_HOST_DEVICE float operator()(float x, float gradient) const {
    const float v = x * kRootOfHalf;
    return gradient * 0.5F * (1 + std::erf(v) + v * kTwoOverRootOfPi * std::exp(-v * v));
  }
};

constexpr float kRootOfTwoOverPi = 0.79788456F;
constexpr float kCubic = 0.044715F;

struct GeluTanh {
  TROUPE_HOST_DEVICE float operator()(float x) const {
    return 0.5F * x * (1 + std::tanh(kRootOfTwoOverPi * x * (1 + kCubic * x * x)));
  }
};

struct GeluTanhGradient {
  TROUPE_HOST_DEVICE float operator()(float x, float gradient) const {
    const float t = std::tanh(kRootOfTwoOverPi * x * (1 + kCubic * x * x));
    return gradient * 0.5F * (1 + t + x * (1 - t * t) * kRootOfTwoOverPi * (1 + 3 * kCubic * x * x));
  }
};

struct Sigmoid {
  TROUPE_HOST_DEVICE float operator()(float x) const { return 1 / (1 + std::exp(-x)); }
};

struct SigmoidGradient {
  TROUPE_HOST_DEVICE float operator()(float y, float gradient) const { return gradient * y * (1 - y); }
};

struct Tanh {
  TROUPE_HOST_DEVICE float operator()(float x) const { return std::tanh(x); }
};

struct TanhGradient {
  TROUPE_HOST_DEVICE float operator()(float y, float gradient) const { return gradient * (1 - y) * (1 + y); }
};

}  // namespace

void activation_forward(cudaStream_t stream, Activation activation, Element element, std::size_t count,
                        const void* input, void* output) {
  switch (activation) {
    case Activation::gelu:
      return map_one(stream, element, input, output, count, Gelu{});
    case Activation::gelu_tanh:
      return map_one(stream, element, input, output, count, GeluTanh{});
    case Activation::sigmoid:
      return map_one(stream, element, input, output, count, Sigmoid{});
    case Activation::tanh:
      return map_one(stream, element, input, output, count, Tanh{});
  }
}

void activation_backward(cudaStream_t stream, Activation activation, Element element, std::size_t count,
                         const void* kept, void* gradient) {
  switch (activation) {
    case Activation::gelu:
      return map_two(stream, element, kept, gradient, gradient, count, GeluGradient{});
    case Activation::gelu_tanh:
      return map_two(stream, element, kept, gradient, gradient, count, GeluTanhGradient{});
    case Activation::sigmoid:
      return map_two(stream, element, kept, gradient, gradient, count, SigmoidGradient{});
    case Activation::tanh:
      return map_two(stream, element, kept, gradient, gradient, count, TanhGradient{});
  }
}

}  // namespace troupe::cuda
