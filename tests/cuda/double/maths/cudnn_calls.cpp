#include <functional>

#include "cuda/double/device_memory.hpp"
#include "cuda/double/maths/cudnn_algorithms.hpp"
#include "cuda/double/maths/cudnn_convolution.hpp"
#include "cuda/double/maths/handles.hpp"

namespace troupe::cuda_double {

Registry<cudnnHandle_t, CudnnHandle>& cudnn_handles() {
  static auto* const kAll = new Registry<cudnnHandle_t, CudnnHandle>;
  return *kAll;
}

namespace {

/// The arguments of one pass of a convolution.
struct PassCall {
  cudnnHandle_t handle = nullptr;
  Algorithm algorithm;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

struct Operand {
  const char* name = "";
  const TensorShape& shape;
  const void* pointer = nullptr;
};

cudnnStatus_t check_workspace(const PassCall& call, const Geometry& geometry, int device) {
  if (!is_supported(call.algorithm, geometry)) return unsupported("an algorithm that cannot do this convolution");
  if (geometry.how.math == CUDNN_TENSOR_OP_MATH && !takes_tensor_cores(geometry))
    return unsupported("tensor cores for shapes without such an algorithm");
  const std::size_t needed = workspace_bytes(call.algorithm, geometry);
  if (call.workspace_bytes < needed)
    return bad("a workspace of " + std::to_string(call.workspace_bytes) + " bytes where " + std::to_string(needed) +
               " are needed");
  if (needed == 0 || is_device_range("the workspace", call.workspace, call.workspace_bytes, device, 16))
    return CUDNN_STATUS_SUCCESS;
  return CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t check_operands(const std::vector<Operand>& inputs, const Operand& output, int device) {
  for (const auto& [name, shape, pointer] : inputs) {
    if (!is_device_range(name, pointer, shape.bytes(), device, size_of(shape.element()))) return CUDNN_STATUS_BAD_PARAM;
    if (overlap(pointer, shape.bytes(), output.pointer, output.shape.bytes()))
      return bad(std::string(output.name) + " overlaps " + name);
  }
  const std::size_t bytes = output.shape.bytes();
  const bool fine = is_device_range(output.name, output.pointer, bytes, device, size_of(output.shape.element()));
  return fine ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

Summing summing_of(const Algorithm& algorithm, const Geometry& geometry) {
  Summing result;
  const bool differs = state().settings.algorithms_differ;
  result.exact = is_deterministic(algorithm) && !differs;
  result.order = is_deterministic(algorithm) ? static_cast<std::uint64_t>(algorithm.number) : state().random();
  result.tf32 = state().settings.tf32 && geometry.x.type == CUDNN_DATA_FLOAT && geometry.how.math != CUDNN_FMA_MATH;
  if (!is_deterministic(algorithm)) complain("an algorithm with sums that differ from run to run");
  return result;
}

/// Checks a pass and queues it on the handle's stream.
cudnnStatus_t queue_pass(const PassCall& call, const Geometry& geometry, const std::vector<Operand>& inputs,
                         const Operand& output, const std::function<void(const Summing&)>& compute) {
  const CudnnHandle* const handle = usable_handle(cudnn_handles(), call.handle);
  Stream* const stream = handle == nullptr ? nullptr : stream_of(*handle);
  if (stream == nullptr) return CUDNN_STATUS_BAD_PARAM;
  cudnnStatus_t status = check_workspace(call, geometry, handle->device);
  if (status == CUDNN_STATUS_SUCCESS) status = check_operands(inputs, output, handle->device);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  ++state().launches;
  const std::size_t used = workspace_bytes(call.algorithm, geometry);
  const auto run = [compute, workspace = call.workspace, used, summing = summing_of(call.algorithm, geometry)] {
    spoil(workspace, used);
    compute(summing);
    spoil(workspace, used);
  };
  std::vector<Touch> touches = {{output.pointer, output.shape.bytes(), true}, {call.workspace, used, true}};
  for (const Operand& input : inputs) touches.push_back({input.pointer, input.shape.bytes(), false});
  streams().push(*stream,
                 {.what = std::string("a convolution to ") + output.name, .run = run, .touches = std::move(touches)});
  return CUDNN_STATUS_SUCCESS;
}

float number_at(const void* scale) { return *static_cast<const float*>(scale); }

/// The operations after a forward pass in the same call.
struct Ending {
  float alpha = 1;
  TensorShape z;
  const void* z_pointer = nullptr;
  TensorShape bias;
  const void* bias_pointer = nullptr;
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_IDENTITY;
};

void end_forward(const Geometry& geometry, const Ending& ending, float alpha, Values& sums) {
  const Values bias = read(ending.bias, ending.bias_pointer);
  const Values z = ending.alpha == 0 ? Values(sums.size()) : read(ending.z, ending.z_pointer);
  const auto plane = static_cast<std::size_t>(geometry.y.dims[2] * geometry.y.dims[3]);
  for (std::size_t at = 0; at < sums.size(); ++at) {
    const double value = alpha * sums[at] + ending.alpha * z[at] + bias[at / plane % bias.size()];
    // NaN stays NaN, so that it is visible.
    sums[at] = ending.mode == CUDNN_ACTIVATION_RELU && value < 0 ? 0 : value;
  }
}

cudnnStatus_t find_ending(const Geometry& geometry, const Algorithm& algorithm, cudnnTensorDescriptor_t z,
                          cudnnTensorDescriptor_t bias, cudnnActivationDescriptor_t activation, Ending& ending) {
  const TensorShape* const z_shape = descriptors().tensors.find(z);
  const TensorShape* const bias_shape = descriptors().tensors.find(bias);
  const Activation* const act = descriptors().activations.find(activation);
  if (z_shape == nullptr || bias_shape == nullptr || act == nullptr) return bad("an unknown descriptor");
  ending.z = *z_shape;
  ending.bias = *bias_shape;
  ending.mode = act->mode;
  if (z_shape->type != geometry.y.type || z_shape->dims != geometry.y.dims)
    return bad("a z with another type or shape than y");
  const std::array<std::int64_t, 4> dims = {1, geometry.y.dims[1], 1, 1};
  if (bias_shape->type != geometry.y.type || bias_shape->dims != dims) return bad("a bias that does not fit y");
  if (act->mode == CUDNN_ACTIVATION_IDENTITY && algorithm.number != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM)
    return unsupported("the identity after an algorithm other than IMPLICIT_PRECOMP_GEMM");
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

}  // namespace troupe::cuda_double

using namespace troupe::cuda_double;

extern "C" {

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha, const cudnnTensorDescriptor_t xDesc,
                                      const void* x, const cudnnFilterDescriptor_t wDesc, const void* w,
                                      const cudnnConvolutionDescriptor_t convDesc, cudnnConvolutionFwdAlgo_t algo,
                                      void* workSpace, size_t workSpaceSizeInBytes, const void* beta,
                                      const cudnnTensorDescriptor_t yDesc, void* y) {
  return cudnn_call("cudnnConvolutionForward", [&] {
    Geometry g;
    if (const auto status = find_geometry(xDesc, wDesc, yDesc, convDesc, g); status != CUDNN_STATUS_SUCCESS)
      return status;
    return queue_pass({handle, {Pass::forward, algo}, workSpace, workSpaceSizeInBytes}, g,
                      {{"x", g.x, x}, {"w", g.w, w}}, {"y", g.y, y},
                      [=, a = number_at(alpha), b = number_at(beta)](const Summing& summing) {
                        write(g.y, y, forward_sums(g, read(g.x, x), read(g.w, w), summing), a, b);
                      });
  });
}

cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void* alpha1, const cudnnTensorDescriptor_t xDesc, const void* x,
    const cudnnFilterDescriptor_t wDesc, const void* w, const cudnnConvolutionDescriptor_t convDesc,
    cudnnConvolutionFwdAlgo_t algo, void* workSpace, size_t workSpaceSizeInBytes, const void* alpha2,
    const cudnnTensorDescriptor_t zDesc, const void* z, const cudnnTensorDescriptor_t biasDesc, const void* bias,
    const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t yDesc, void* y) {
  return cudnn_call("cudnnConvolutionBiasActivationForward", [&] {
    Geometry g;
    auto status = find_geometry(xDesc, wDesc, yDesc, convDesc, g);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    Ending ending{.alpha = number_at(alpha2), .z = {}, .z_pointer = z, .bias = {}, .bias_pointer = bias};
    status = find_ending(g, {Pass::forward, algo}, zDesc, biasDesc, activationDesc, ending);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    std::vector<Operand> inputs = {{"x", g.x, x}, {"w", g.w, w}, {"the bias", ending.bias, bias}};
    // z may be y itself.
    if (ending.alpha != 0 && z != y) inputs.push_back({"z", ending.z, z});
    return queue_pass({handle, {Pass::forward, algo}, workSpace, workSpaceSizeInBytes}, g, inputs, {"y", g.y, y},
                      [=, a = number_at(alpha1)](const Summing& summing) {
                        Values sums = forward_sums(g, read(g.x, x), read(g.w, w), summing);
                        end_forward(g, ending, a, sums);
                        write(g.y, y, sums, 1, 0);
                      });
  });
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha, const cudnnFilterDescriptor_t wDesc,
                                           const void* w, const cudnnTensorDescriptor_t dyDesc, const void* dy,
                                           const cudnnConvolutionDescriptor_t convDesc,
                                           cudnnConvolutionBwdDataAlgo_t algo, void* workSpace,
                                           size_t workSpaceSizeInBytes, const void* beta,
                                           const cudnnTensorDescriptor_t dxDesc, void* dx) {
  return cudnn_call("cudnnConvolutionBackwardData", [&] {
    Geometry g;
    if (const auto status = find_geometry(dxDesc, wDesc, dyDesc, convDesc, g); status != CUDNN_STATUS_SUCCESS)
      return status;
    return queue_pass({handle, {Pass::data, algo}, workSpace, workSpaceSizeInBytes}, g,
                      {{"w", g.w, w}, {"dy", g.y, dy}}, {"dx", g.x, dx},
                      [=, a = number_at(alpha), b = number_at(beta)](const Summing& summing) {
                        write(g.x, dx, data_sums(g, read(g.w, w), read(g.y, dy), summing), a, b);
                      });
  });
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha,
                                             const cudnnTensorDescriptor_t xDesc, const void* x,
                                             const cudnnTensorDescriptor_t dyDesc, const void* dy,
                                             const cudnnConvolutionDescriptor_t convDesc,
                                             cudnnConvolutionBwdFilterAlgo_t algo, void* workSpace,
                                             size_t workSpaceSizeInBytes, const void* beta,
                                             const cudnnFilterDescriptor_t dwDesc, void* dw) {
  return cudnn_call("cudnnConvolutionBackwardFilter", [&] {
    Geometry g;
    if (const auto status = find_geometry(xDesc, dwDesc, dyDesc, convDesc, g); status != CUDNN_STATUS_SUCCESS)
      return status;
    return queue_pass({handle, {Pass::filter, algo}, workSpace, workSpaceSizeInBytes}, g,
                      {{"x", g.x, x}, {"dy", g.y, dy}}, {"dw", g.w, dw},
                      [=, a = number_at(alpha), b = number_at(beta)](const Summing& summing) {
                        write(g.w, dw, filter_sums(g, read(g.x, x), read(g.y, dy), summing), a, b);
                      });
  });
}
}
