#pragma once

#include <cudnn.h>

#include <array>
#include <cstdint>
#include <optional>

#include "cuda/double/maths/elements.hpp"
#include "cuda/double/state.hpp"

namespace troupe::cuda_double {

/// Four dimensions and their strides in elements: samples, channels, rows, columns. In a filter, the first two are
/// outputs and inputs.
struct TensorShape {
  std::optional<cudnnDataType_t> type;  ///< empty until it is set
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  std::array<std::int64_t, 4> dims = {};
  std::array<std::int64_t, 4> strides = {};

  Element element() const { return type == CUDNN_DATA_BFLOAT16 ? Element::bf16 : Element::f32; }
  std::int64_t count() const { return dims[0] * dims[1] * dims[2] * dims[3]; }

  /// Returns the size from the first element to the end of the last one.
  std::size_t bytes() const;
};

struct ConvolutionShape {
  bool set = false;
  std::array<int, 2> padding = {};
  std::array<int, 2> stride = {};
  std::array<int, 2> dilation = {};
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int groups = 1;
};

struct Activation {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_RELU;
};

/// The contents of all descriptors by handle.
struct Descriptors {
  Registry<cudnnTensorDescriptor_t, TensorShape> tensors;
  Registry<cudnnFilterDescriptor_t, TensorShape> filters;
  Registry<cudnnConvolutionDescriptor_t, ConvolutionShape> convolutions;
  Registry<cudnnActivationDescriptor_t, Activation> activations;

  std::int64_t size() const { return tensors.size() + filters.size() + convolutions.size() + activations.size(); }
};

Descriptors& descriptors();

/// Returns cuDNN's status for a CUDA error.
cudnnStatus_t cudnn_failure(cudaError_t error);

template <class Body>
cudnnStatus_t cudnn_call(const char* name, Kind kind, const Body& body) {
  return library_call(name, kind, cudnn_failure, body);
}

template <class Body>
cudnnStatus_t cudnn_call(const char* name, const Body& body) {
  return cudnn_call(name, Kind::ordinary, body);
}

/// Record a complaint and return an error status.
cudnnStatus_t bad(const std::string& text);
cudnnStatus_t unsupported(const std::string& text);

}  // namespace troupe::cuda_double
