#pragma once

#include <cublas_v2.h>
#include <cudnn.h>

#include "cuda/double/trial.hpp"

namespace troupe::cuda_double {

/// A device with a stream, library handles, and arrays on the device.
class Device {
 public:
  explicit Device(const Settings& settings = {}) {
    reset(settings);
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudnnCreate(&dnn) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cudnnSetStream(dnn, stream) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cublasSetStream(blas, stream) == CUBLAS_STATUS_SUCCESS);
  }

  void* block(std::size_t bytes) const {
    void* start = nullptr;
    REQUIRE(cudaMalloc(&start, bytes) == cudaSuccess);
    return start;
  }

  template <class Number>
  Number* put(const std::vector<Number>& values) const {
    auto* const start = static_cast<Number*>(block(values.size() * sizeof(Number)));
    REQUIRE(cudaMemcpyAsync(start, values.data(), values.size() * sizeof(Number), cudaMemcpyHostToDevice, stream) ==
            cudaSuccess);
    return start;
  }

  template <class Number>
  std::vector<Number> get(const Number* start, std::size_t count) const {
    std::vector<Number> values(count);
    REQUIRE(cudaMemcpyAsync(values.data(), start, count * sizeof(Number), cudaMemcpyDeviceToHost, stream) ==
            cudaSuccess);
    return values;
  }

  cudaStream_t stream = nullptr;
  cudnnHandle_t dnn = nullptr;
  cublasHandle_t blas = nullptr;
};

/// The descriptors of a convolution.
struct Layer {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t how = nullptr;
  int n = 0, k = 0, p = 0, q = 0;

  std::size_t outputs() const { return static_cast<std::size_t>(n * k * p * q); }
};

struct Sizes {
  int n = 1, c = 1, h = 3, w = 3, k = 1, kernel = 2, padding = 0, stride = 1, groups = 1;
};

inline Layer new_layer(const Sizes& sizes, cudnnDataType_t type = CUDNN_DATA_FLOAT,
                       cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW) {
  Layer layer;
  REQUIRE(cudnnCreateTensorDescriptor(&layer.x) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnCreateTensorDescriptor(&layer.y) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnCreateFilterDescriptor(&layer.w) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnCreateConvolutionDescriptor(&layer.how) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetTensor4dDescriptor(layer.x, format, type, sizes.n, sizes.c, sizes.h, sizes.w) ==
          CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetFilter4dDescriptor(layer.w, type, format, sizes.k, sizes.c / sizes.groups, sizes.kernel,
                                     sizes.kernel) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetConvolution2dDescriptor(layer.how, sizes.padding, sizes.padding, sizes.stride, sizes.stride, 1, 1,
                                          CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetConvolutionMathType(layer.how, CUDNN_FMA_MATH) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetConvolutionGroupCount(layer.how, sizes.groups) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnGetConvolution2dForwardOutputDim(layer.how, layer.x, layer.w, &layer.n, &layer.k, &layer.p, &layer.q) ==
          CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetTensor4dDescriptor(layer.y, format, type, layer.n, layer.k, layer.p, layer.q) ==
          CUDNN_STATUS_SUCCESS);
  return layer;
}

inline constexpr float kOne = 1;
inline constexpr float kZero = 0;
inline constexpr auto kForward = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
inline constexpr auto kData = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
inline constexpr auto kFilter = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

inline Floats forward(const Device& device, const Layer& layer, const Floats& x, const Floats& w) {
  float* const y = static_cast<float*>(device.block(layer.outputs() * sizeof(float)));
  REQUIRE(cudnnConvolutionForward(device.dnn, &kOne, layer.x, device.put(x), layer.w, device.put(w), layer.how,
                                  kForward, nullptr, 0, &kZero, layer.y, y) == CUDNN_STATUS_SUCCESS);
  return device.get(y, layer.outputs());
}

inline Floats backward_filter(const Device& device, const Layer& layer, const Floats& x, const Floats& dy,
                              std::size_t count, cudnnConvolutionBwdFilterAlgo_t algorithm = kFilter) {
  std::size_t bytes = 0;
  REQUIRE(cudnnGetConvolutionBackwardFilterWorkspaceSize(device.dnn, layer.x, layer.y, layer.how, layer.w, algorithm,
                                                         &bytes) == CUDNN_STATUS_SUCCESS);
  auto* const dw = static_cast<float*>(device.block(count * sizeof(float)));
  REQUIRE(cudnnConvolutionBackwardFilter(device.dnn, &kOne, layer.x, device.put(x), layer.y, device.put(dy), layer.how,
                                         algorithm, device.block(bytes), bytes, &kZero, layer.w,
                                         dw) == CUDNN_STATUS_SUCCESS);
  return device.get(dw, count);
}

inline Floats backward_data(const Device& device, const Layer& layer, const Floats& w, const Floats& dy,
                            std::size_t count) {
  std::size_t bytes = 0;
  REQUIRE(cudnnGetConvolutionBackwardDataWorkspaceSize(device.dnn, layer.w, layer.y, layer.how, layer.x, kData,
                                                       &bytes) == CUDNN_STATUS_SUCCESS);
  auto* const dx = static_cast<float*>(device.block(count * sizeof(float)));
  REQUIRE(cudnnConvolutionBackwardData(device.dnn, &kOne, layer.w, device.put(w), layer.y, device.put(dy), layer.how,
                                       kData, device.block(bytes), bytes, &kZero, layer.x, dx) == CUDNN_STATUS_SUCCESS);
  return device.get(dx, count);
}

}  // namespace troupe::cuda_double
