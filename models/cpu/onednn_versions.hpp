#pragma once

#include <dnnl.hpp>
#include <string>
#include <utility>
#include <vector>

/// Contains all code that depends on the version of oneDNN: 2.6 and later versions 2, or version 3. No other file tests
/// the version.
namespace troupe::cpu {

/// True if oneDNN has kernels for Winograd's algorithm.
inline constexpr bool kHasWinograd = DNNL_VERSION_MAJOR < 3;

/// True if the fast weight gradient of one input channel in bfloat16 needs an input of the format `any`.
inline constexpr bool kNeedsAnyInput = DNNL_VERSION_MAJOR >= 3;

/// Returns the version of the loaded library, such as "3.7.2". Results of different versions may not be bitwise
/// identical.
std::string onednn_version();

/// The memory layout of a tensor.
struct BlockedLayout {
  dnnl::memory::dims extents;                     ///< number of values in each dimension
  dnnl::memory::dims padded;                      ///< the same, rounded up to whole blocks
  dnnl::memory::dims strides;                     ///< values from one outermost block to the next, by dimension
  std::vector<std::pair<int, dnnl_dim_t>> inner;  ///< nested blocks, outermost first: (dimension, length)
};

/// Returns the layout that `desc` describes. Its format must not be `any`.
BlockedLayout layout_of(const dnnl::memory::desc& desc);
/// Returns the number of values in each dimension.
dnnl::memory::dims extents_of(const dnnl::memory::desc& desc);
/// Returns the type of the values.
dnnl::memory::data_type type_of(const dnnl::memory::desc& desc);

/// Creates the descriptor of a forward primitive.
/// @param arguments the arguments between engine and attributes in the constructor of oneDNN 3's descriptor
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
/// @param arguments the arguments between engine and hint in the constructor of oneDNN 3's descriptor
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

/// Creates the descriptor of a function of one variable, applied to each value. The output has the input's layout.
EltwiseForward::primitive_desc describe_eltwise(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                                dnnl::algorithm function, const dnnl::memory::desc& values);
/// Creates the descriptor of the gradient of such a function.
EltwiseBackward::primitive_desc describe_eltwise_gradient(const dnnl::engine& engine,
                                                          const dnnl::primitive_attr& attributes,
                                                          const EltwiseForward::primitive_desc& hint,
                                                          dnnl::algorithm function, const dnnl::memory::desc& values);

/// A pooling of images. Windows have two dimensions: height, width.
struct Pooling {
  dnnl::algorithm how;
  dnnl::memory::desc source, destination;
  dnnl::memory::dims strides, kernel, padding, far_padding;
};

/// Creates the descriptor of a pooling.
PoolForward::primitive_desc describe_pooling(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                             const Pooling& pooling);
/// Creates the descriptor of the gradient of a pooling.
PoolBackward::primitive_desc describe_pooling_gradient(const dnnl::engine& engine,
                                                       const dnnl::primitive_attr& attributes,
                                                       const PoolForward::primitive_desc& hint, const Pooling& pooling);

}  // namespace troupe::cpu
