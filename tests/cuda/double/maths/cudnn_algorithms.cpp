#include "cuda/double/maths/cudnn_algorithms.hpp"

namespace troupe::cuda_double {

namespace {

/// The methods that the three enumerations have in common.
enum class Method : std::uint8_t { implicit, precomputed, unrolled, fft, fft_tiling, winograd, winograd_big, missing };

Method method_of(const Algorithm& algorithm) {
  using enum Method;
  static constexpr Method kForward[] = {implicit, precomputed, unrolled, missing,
                                        fft,      fft_tiling,  winograd, winograd_big};
  static constexpr Method kData[] = {implicit, precomputed, fft, fft_tiling, winograd, winograd_big};
  static constexpr Method kFilter[] = {implicit, precomputed, fft, unrolled, missing, winograd_big, fft_tiling};
  switch (algorithm.pass) {
    case Pass::forward:
      return kForward[algorithm.number];
    case Pass::data:
      return kData[algorithm.number];
    default:
      return kFilter[algorithm.number];
  }
}

bool steps_are_one(const ConvolutionShape& how) {
  return how.stride == std::array{1, 1} && how.dilation == std::array{1, 1};
}

bool is_nchw(const TensorShape& shape) { return shape.strides[3] == 1 && shape.strides[2] == shape.dims[3]; }

bool fits_fft(const Geometry& geometry, bool tiled) {
  const bool small = tiled || (geometry.x.dims[2] <= 256 && geometry.x.dims[3] <= 256);
  return small && geometry.how.stride == std::array{1, 1} && geometry.how.dilation == std::array{1, 1} &&
         is_nchw(geometry.x) && is_nchw(geometry.y) && geometry.w.format == CUDNN_TENSOR_NCHW &&
         geometry.how.padding[0] < geometry.w.dims[2] && geometry.how.padding[1] < geometry.w.dims[3];
}

std::size_t transformed(const TensorShape& shape, std::int64_t sides) {
  return static_cast<std::size_t>(shape.dims[0] * shape.dims[1] * sides) * 8;
}

template <class Handle, class Object>
bool look_up(Registry<Handle, Object>& all, Handle handle, Object& object, const char* what) {
  const Object* const found = all.find(handle);
  if (found == nullptr) return complain(false, std::string("an unknown descriptor of the ") + what);
  object = *found;
  return true;
}

/// With NHWC filters, the values must be NHWC, too.
bool channels_last(const TensorShape& shape) { return shape.strides[1] == 1 || shape.dims[1] == 1; }

cudnnStatus_t check_inputs(const Geometry& geometry) {
  const auto& [x, w, y, how] = geometry;
  if (!x.type || !w.type || !how.set) return bad("a descriptor that was never set");
  if (x.type != w.type) return bad("an input and weights of different types");
  if (how.compute != CUDNN_DATA_FLOAT) return unsupported("a compute type other than float");
  if (x.dims[1] != w.dims[1] * how.groups || w.dims[0] % how.groups != 0)
    return bad("an input with other channels than the weights");
  if (output_side(geometry, 0) < 1 || output_side(geometry, 1) < 1) return bad("an input smaller than the kernel");
  if (w.format == CUDNN_TENSOR_NHWC && !channels_last(x)) return unsupported("NHWC weights for an NCHW input");
  if (x.type == CUDNN_DATA_BFLOAT16 && state().settings.compute_major < 8)
    return complain(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH, "bfloat16 on a device that is too old for it");
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_output(const Geometry& geometry) {
  const auto& [x, w, y, how] = geometry;
  if (!y.type) return bad("a descriptor that was never set");
  if (y.type != x.type) return bad("an input and an output of different types");
  const std::array<std::int64_t, 4> dims = {x.dims[0], w.dims[0], output_side(geometry, 0), output_side(geometry, 1)};
  if (y.dims != dims) return bad("an output of the wrong dimensions");
  if (w.format == CUDNN_TENSOR_NHWC && !channels_last(y)) return unsupported("NHWC weights for an NCHW output");
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

std::int64_t output_side(const Geometry& geometry, std::size_t side) {
  const ConvolutionShape& how = geometry.how;
  const std::int64_t kernel = (geometry.w.dims[2 + side] - 1) * how.dilation[side] + 1;
  const std::int64_t room = geometry.x.dims[2 + side] + 2 * how.padding[side] - kernel;
  return room < 0 ? 0 : room / how.stride[side] + 1;
}

cudnnStatus_t find_inputs(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnConvolutionDescriptor_t how,
                          Geometry& geometry) {
  Descriptors& all = descriptors();
  const bool known = look_up(all.tensors, x, geometry.x, "input") && look_up(all.filters, w, geometry.w, "weights") &&
                     look_up(all.convolutions, how, geometry.how, "convolution");
  return known ? check_inputs(geometry) : CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t find_geometry(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t y,
                            cudnnConvolutionDescriptor_t how, Geometry& geometry) {
  if (const cudnnStatus_t status = find_inputs(x, w, how, geometry); status != CUDNN_STATUS_SUCCESS) return status;
  if (!look_up(descriptors().tensors, y, geometry.y, "output")) return CUDNN_STATUS_BAD_PARAM;
  return check_output(geometry);
}

int algorithm_count(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return CUDNN_CONVOLUTION_FWD_ALGO_COUNT;
    case Pass::data:
      return CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT;
    default:
      return CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT;
  }
}

bool is_supported(const Algorithm& algorithm, const Geometry& geometry) {
  if (algorithm.number < 0 || algorithm.number >= algorithm_count(algorithm.pass)) return false;
  const Method method = method_of(algorithm);
  if (method == Method::precomputed) return true;
  if (geometry.x.type == CUDNN_DATA_BFLOAT16 || method == Method::missing) return false;
  if (geometry.w.format == CUDNN_TENSOR_NHWC) return method == Method::implicit;
  const std::int64_t rows = geometry.w.dims[2];
  const std::int64_t columns = geometry.w.dims[3];
  switch (method) {
    case Method::unrolled:
      return geometry.how.dilation == std::array{1, 1};
    case Method::fft:
      return fits_fft(geometry, false);
    case Method::fft_tiling:
      return fits_fft(geometry, true) && rows <= 32 && columns <= 32;
    case Method::winograd:
      return steps_are_one(geometry.how) && rows == 3 && columns == 3;
    case Method::winograd_big:
      return steps_are_one(geometry.how) && rows == columns &&
             (rows == 3 || (rows == 5 && algorithm.pass != Pass::filter));
    default:
      return true;
  }
}

bool is_deterministic(const Algorithm& algorithm) {
  switch (algorithm.pass) {
    case Pass::forward:
      return true;
    case Pass::data:
      return algorithm.number != CUDNN_CONVOLUTION_BWD_DATA_ALGO_0;
    default:
      return algorithm.number != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 &&
             algorithm.number != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
  }
}

std::size_t workspace_bytes(const Algorithm& algorithm, const Geometry& geometry) {
  const auto& [x, w, y, how] = geometry;
  const std::int64_t padded = (x.dims[2] + w.dims[2] - 1) * (x.dims[3] + w.dims[3] - 1);
  switch (method_of(algorithm)) {
    case Method::precomputed:
      return static_cast<std::size_t>(y.dims[2] * y.dims[3] * w.dims[2] * w.dims[3]) * 4 + 36;
    case Method::unrolled:
      return static_cast<std::size_t>(w.dims[1] * w.dims[2] * w.dims[3] * y.dims[2] * y.dims[3]) * 4;
    case Method::fft:
      return transformed(x, padded) + transformed(w, padded) + transformed(y, padded);
    case Method::fft_tiling:
      return transformed(x, 32 * 32) + transformed(w, 32 * 32) + transformed(y, 32 * 32);
    case Method::winograd_big:
      return transformed(w, 6 * 6) + transformed(x, padded) * 9 / 4;
    default:
      return 0;
  }
}

bool takes_tensor_cores(const Geometry& geometry) { return geometry.x.dims[1] % 8 == 0 && geometry.y.dims[1] % 8 == 0; }

std::vector<cudnnMathType_t> maths_of(const Geometry& geometry) {
  const auto without = draw(2) == 0 ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH;
  switch (geometry.how.math) {
    case CUDNN_FMA_MATH:
      return {without};
    case CUDNN_DEFAULT_MATH:
      return {CUDNN_FMA_MATH, CUDNN_DEFAULT_MATH};
    default:
      return {takes_tensor_cores(geometry) ? geometry.how.math : without};
  }
}

}  // namespace troupe::cuda_double
