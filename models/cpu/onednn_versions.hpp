#pragma once

#include <dnnl.hpp>
#include <string>
#include <utility>
#include <vector>

/// This file and onednn_versions.cpp contain all code that depends on the version of oneDNN: a version 2 from 2.6 on,
/// or version 3. No other file tests the version.
namespace troupe::cpu {

/// True if oneDNN has kernels for Winograd's algorithm.
inline constexpr bool kHasWinograd = DNNL_VERSION_MAJOR < 3;

/// True if oneDNN finds the fast weight gradient for one input channel in bfloat16 only if the input has the format
/// `any`.
inline constexpr bool kNeedsAnyInput = DNNL_VERSION_MAJOR >= 3;

/// Returns the version of the loaded library, such as "3.7.2". Results of different versions may not be bitwise
/// identical.
std::string onednn_version();

/// The memory layout of a tensor that is stored in blocks.
struct BlockedLayout {
  dnnl::memory::dims extents;                     ///< number of values in each dimension, without padding
  dnnl::memory::dims padded;                      ///< number of values in each dimension, rounded up to whole blocks
  dnnl::memory::dims strides;                     ///< values from one outermost block to the next, by dimension
  std::vector<std::pair<int, dnnl_dim_t>> inner;  ///< nested blocks, outermost first: (dimension, length)
};

/// Returns the layout that `desc` describes. Its format must not be `any`.
BlockedLayout layout_of(const dnnl::memory::desc& desc);
/// Returns the number of values of the described tensor in each dimension.
dnnl::memory::dims extents_of(const dnnl::memory::desc& desc);
/// Returns the type of the described tensor's values.
dnnl::memory::data_type type_of(const dnnl::memory::desc& desc);

/// Creates the descriptor of a forward primitive.
/// @param arguments the arguments that the constructor of oneDNN 3's descriptor takes between engine and attributes
/// @throws dnnl::error if oneDNN has no implementation
template <class Forward, class... Arguments>
typename Forward::primitive_desc describe_forward(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                                  const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, arguments..., attributes};
#else
  return {typename Forward::desc(arguments...), attributes, engine};
#endif
}

/// Creates the descriptor of a backward primitive.
/// @param hint descriptor of the forward primitive
/// @param arguments the arguments that the constructor of oneDNN 3's descriptor takes between engine and hint
/// @throws dnnl::error if oneDNN has no implementation
template <class Backward, class Hint, class... Arguments>
typename Backward::primitive_desc describe_backward(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                                    const Hint& hint, const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, arguments..., hint, attributes};
#else
  return {typename Backward::desc(arguments...), attributes, engine, hint};
#endif
}

using EltwiseForward = dnnl::eltwise_forward;
using EltwiseBackward = dnnl::eltwise_backward;
using PoolForward = dnnl::pooling_forward;
using PoolBackward = dnnl::pooling_backward;

/// Creates the descriptor of an activation function, which is applied to each value. The output has the layout of the
/// input.
EltwiseForward::primitive_desc describe_eltwise(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                                dnnl::algorithm function, const dnnl::memory::desc& values);
/// Creates the descriptor of the gradient of an activation function.
EltwiseBackward::primitive_desc describe_eltwise_gradient(const dnnl::engine& engine,
                                                          const dnnl::primitive_attr& attributes,
                                                          const EltwiseForward::primitive_desc& hint,
                                                          dnnl::algorithm function, const dnnl::memory::desc& values);

/// The parameters of a pooling of images. Each `dims` has two elements, for height and for width.
struct Pooling {
  dnnl::algorithm how;
  dnnl::memory::desc source, destination;
  dnnl::memory::dims strides, kernel, padding, far_padding;
};

/// Creates the descriptor of a pooling's forward pass.
PoolForward::primitive_desc describe_pooling(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                             const Pooling& pooling);
/// Creates the descriptor of a pooling's backward pass.
PoolBackward::primitive_desc describe_pooling_gradient(const dnnl::engine& engine,
                                                       const dnnl::primitive_attr& attributes,
                                                       const PoolForward::primitive_desc& hint, const Pooling& pooling);

}  // namespace troupe::cpu
