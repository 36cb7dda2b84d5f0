#include "cuda/double/maths/cudnn_descriptors.hpp"

#include <algorithm>

namespace troupe::cuda_double {

std::size_t TensorShape::bytes() const {
  std::int64_t last = 0;
  for (std::size_t at = 0; at < dims.size(); ++at) last += (dims[at] - 1) * strides[at];
  return static_cast<std::size_t>(last + 1) * size_of(element());
}

Descriptors& descriptors() {
  static auto* const kAll = new Descriptors;
  return *kAll;
}

cudnnStatus_t cudnn_failure(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
      return CUDNN_STATUS_NOT_INITIALIZED;
    default:
      return CUDNN_STATUS_EXECUTION_FAILED;
  }
}

cudnnStatus_t bad(const std::string& text) { return complain(CUDNN_STATUS_BAD_PARAM, text); }
cudnnStatus_t unsupported(const std::string& text) { return complain(CUDNN_STATUS_NOT_SUPPORTED, text); }

namespace {

template <class Handle, class Object>
cudnnStatus_t create_descriptor(const char* name, Registry<Handle, Object>& all, Handle* handle) {
  return cudnn_call(name, Kind::allocation, [&] {
    if (handle == nullptr) return bad("a null pointer for the descriptor");
    *handle = all.add({});
    return CUDNN_STATUS_SUCCESS;
  });
}

template <class Handle, class Object>
cudnnStatus_t destroy_descriptor(const char* name, Registry<Handle, Object>& all, Handle handle) {
  return cudnn_call(name, Kind::release,
                    [&] { return all.remove(handle) ? CUDNN_STATUS_SUCCESS : bad("an unknown descriptor"); });
}

template <class Handle, class Object, class Body>
cudnnStatus_t change_descriptor(const char* name, Registry<Handle, Object>& all, Handle handle, const Body& body) {
  return cudnn_call(name, [&] {
    Object* const object = all.find(handle);
    return object == nullptr ? bad("an unknown descriptor") : body(*object);
  });
}

bool is_element(cudnnDataType_t type) { return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_BFLOAT16; }

cudnnStatus_t set_shape(TensorShape& shape, cudnnDataType_t type, const std::array<std::int64_t, 4>& dims,
                        const std::array<std::int64_t, 4>& strides) {
  if (!is_element(type)) return unsupported("a type that is neither float nor bfloat16");
  if (std::ranges::any_of(dims, [](std::int64_t dim) { return dim <= 0; })) return bad("a dimension below 1");
  for (std::size_t at = 0; at < dims.size(); ++at)
    if (strides[at] <= 0 && dims[at] > 1) return bad("a stride below 1");
  shape.type = type;
  shape.dims = dims;
  shape.strides = strides;
  return CUDNN_STATUS_SUCCESS;
}

/// Sets the strides of dense values.
cudnnStatus_t set_packed(TensorShape& shape, cudnnDataType_t type, cudnnTensorFormat_t format,
                         const std::array<std::int64_t, 4>& dims) {
  const auto [n, c, h, w] = dims;
  shape.format = format;
  if (format == CUDNN_TENSOR_NCHW) return set_shape(shape, type, dims, {c * h * w, h * w, w, 1});
  if (format == CUDNN_TENSOR_NHWC) return set_shape(shape, type, dims, {h * w * c, 1, w * c, c});
  return unsupported("a format that is neither NCHW nor NHWC");
}

cudnnStatus_t set_convolution(ConvolutionShape& shape, const ConvolutionShape& wanted) {
  for (std::size_t at = 0; at < 2; ++at)
    if (wanted.padding[at] < 0 || wanted.stride[at] < 1 || wanted.dilation[at] < 1)
      return bad("a padding below 0, or a stride or dilation below 1");
  if (wanted.mode != CUDNN_CROSS_CORRELATION) return unsupported("a flipped filter");
  const ConvolutionShape before = shape;
  shape = wanted;
  shape.math = before.math;
  shape.groups = before.groups;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

}  // namespace troupe::cuda_double

using namespace troupe::cuda_double;

extern "C" {

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* tensor) {
  return create_descriptor("cudnnCreateTensorDescriptor", descriptors().tensors, tensor);
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  return change_descriptor("cudnnSetTensor4dDescriptor", descriptors().tensors, tensor, [&](TensorShape& shape) {
    return set_packed(shape, type, format, {n, c, h, w});
  });
}

cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int n, int c, int h,
                                           int w, int n_stride, int c_stride, int h_stride, int w_stride) {
  return change_descriptor("cudnnSetTensor4dDescriptorEx", descriptors().tensors, tensor, [&](TensorShape& shape) {
    return set_shape(shape, type, {n, c, h, w}, {n_stride, c_stride, h_stride, w_stride});
  });
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
  return destroy_descriptor("cudnnDestroyTensorDescriptor", descriptors().tensors, tensor);
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* filter) {
  return create_descriptor("cudnnCreateFilterDescriptor", descriptors().filters, filter);
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return change_descriptor("cudnnSetFilter4dDescriptor", descriptors().filters, filter, [&](TensorShape& shape) {
    return set_packed(shape, type, format, {k, c, h, w});
  });
}

cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
  return destroy_descriptor("cudnnDestroyFilterDescriptor", descriptors().filters, filter);
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* convolution) {
  return create_descriptor("cudnnCreateConvolutionDescriptor", descriptors().convolutions, convolution);
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution, int pad_h, int pad_w, int u,
                                              int v, int dilation_h, int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
  return change_descriptor("cudnnSetConvolution2dDescriptor", descriptors().convolutions, convolution,
                           [&](ConvolutionShape& shape) {
                             return set_convolution(shape, {.set = true,
                                                            .padding = {pad_h, pad_w},
                                                            .stride = {u, v},
                                                            .dilation = {dilation_h, dilation_w},
                                                            .mode = mode,
                                                            .compute = compute});
                           });
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution, cudnnMathType_t math) {
  return change_descriptor("cudnnSetConvolutionMathType", descriptors().convolutions, convolution,
                           [&](ConvolutionShape& shape) {
                             shape.math = math;
                             return CUDNN_STATUS_SUCCESS;
                           });
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int groups) {
  return change_descriptor("cudnnSetConvolutionGroupCount", descriptors().convolutions, convolution,
                           [&](ConvolutionShape& shape) {
                             if (groups < 1) return bad("a count of groups below 1");
                             shape.groups = groups;
                             return CUDNN_STATUS_SUCCESS;
                           });
}

cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution) {
  return destroy_descriptor("cudnnDestroyConvolutionDescriptor", descriptors().convolutions, convolution);
}

cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t* activation) {
  return create_descriptor("cudnnCreateActivationDescriptor", descriptors().activations, activation);
}

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activation, cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t, double) {
  return change_descriptor("cudnnSetActivationDescriptor", descriptors().activations, activation,
                           [&](Activation& shape) {
                             if (mode != CUDNN_ACTIVATION_RELU && mode != CUDNN_ACTIVATION_IDENTITY)
                               return unsupported("an activation that is neither ReLU nor the identity");
                             shape.mode = mode;
                             return CUDNN_STATUS_SUCCESS;
                           });
}

cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t activation) {
  return destroy_descriptor("cudnnDestroyActivationDescriptor", descriptors().activations, activation);
}
}
