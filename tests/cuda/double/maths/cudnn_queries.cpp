#include "cuda/double/maths/cudnn_algorithms.hpp"
#include "cuda/double/maths/handles.hpp"

namespace troupe::cuda_double {

namespace {

cudnnStatus_t query(cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                    cudnnTensorDescriptor_t y, cudnnConvolutionDescriptor_t how, Geometry& geometry) {
  if (usable_handle(cudnn_handles(), handle) == nullptr) return CUDNN_STATUS_BAD_PARAM;
  return find_geometry(x, w, y, how, geometry);
}

cudnnStatus_t tell_workspace(const Algorithm& algorithm, const Geometry& geometry, std::size_t* bytes) {
  // Backends try algorithms this way, so this is not an error.
  if (!is_supported(algorithm, geometry)) return CUDNN_STATUS_NOT_SUPPORTED;
  *bytes = workspace_bytes(algorithm, geometry);
  return CUDNN_STATUS_SUCCESS;
}

/// @return twice the number of algorithms: one entry for each kind of maths
cudnnStatus_t tell_most(const char* name, cudnnHandle_t handle, Pass pass, int* count) {
  return cudnn_call(name, [&] {
    if (usable_handle(cudnn_handles(), handle) == nullptr) return CUDNN_STATUS_BAD_PARAM;
    *count = 2 * algorithm_count(pass);
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t create_cudnn(cudnnHandle_t* handle) {
  if (handle == nullptr) return bad("a null pointer for the handle");
  if (!state().settings.libraries_begin) return CUDNN_STATUS_NOT_INITIALIZED;
  *handle = cudnn_handles().add({.device = this_thread().device});
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

}  // namespace troupe::cuda_double

using namespace troupe::cuda_double;

extern "C" {

size_t cudnnGetVersion() { return CUDNN_VERSION; }
size_t cudnnGetCudartVersion() { return CUDART_VERSION; }

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "a status of the double";
  }
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return cudnn_call("cudnnCreate", Kind::allocation, [&] { return create_cudnn(handle); });
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return cudnn_call("cudnnDestroy", Kind::release, [&] {
    return cudnn_handles().remove(handle) ? CUDNN_STATUS_SUCCESS : bad("a handle that is unknown or was destroyed");
  });
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return cudnn_call("cudnnSetStream", [&] {
    CudnnHandle* const found = usable_handle(cudnn_handles(), handle);
    return found != nullptr && set_stream(*found, stream) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
  });
}

cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(const cudnnConvolutionDescriptor_t convDesc,
                                                    const cudnnTensorDescriptor_t inputTensorDesc,
                                                    const cudnnFilterDescriptor_t filterDesc, int* n, int* c, int* h,
                                                    int* w) {
  return cudnn_call("cudnnGetConvolution2dForwardOutputDim", [&] {
    Geometry g;
    if (const auto status = find_inputs(inputTensorDesc, filterDesc, convDesc, g); status != CUDNN_STATUS_SUCCESS)
      return status;
    *n = static_cast<int>(g.x.dims[0]);
    *c = static_cast<int>(g.w.dims[0]);
    *h = static_cast<int>(output_side(g, 0));
    *w = static_cast<int>(output_side(g, 1));
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t handle, int* count) {
  return tell_most("cudnnGetConvolutionForwardAlgorithmMaxCount", handle, Pass::forward, count);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithmMaxCount(cudnnHandle_t handle, int* count) {
  return tell_most("cudnnGetConvolutionBackwardDataAlgorithmMaxCount", handle, Pass::data, count);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(cudnnHandle_t handle, int* count) {
  return tell_most("cudnnGetConvolutionBackwardFilterAlgorithmMaxCount", handle, Pass::filter, count);
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t srcDesc,
                                                     const cudnnFilterDescriptor_t filterDesc,
                                                     const cudnnConvolutionDescriptor_t convDesc,
                                                     const cudnnTensorDescriptor_t destDesc,
                                                     const int requestedAlgoCount, int* returnedAlgoCount,
                                                     cudnnConvolutionFwdAlgoPerf_t* perfResults) {
  return cudnn_call("cudnnGetConvolutionForwardAlgorithm_v7", [&] {
    Geometry g;
    const auto status = query(handle, srcDesc, filterDesc, destDesc, convDesc, g);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    *returnedAlgoCount = list_algorithms<cudnnConvolutionFwdAlgoPerf_t, cudnnConvolutionFwdAlgo_t>(
        Pass::forward, g, requestedAlgoCount, perfResults);
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t filterDesc, const cudnnTensorDescriptor_t diffDesc,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t gradDesc, const int requestedAlgoCount,
    int* returnedAlgoCount, cudnnConvolutionBwdDataAlgoPerf_t* perfResults) {
  return cudnn_call("cudnnGetConvolutionBackwardDataAlgorithm_v7", [&] {
    Geometry g;
    const auto status = query(handle, gradDesc, filterDesc, diffDesc, convDesc, g);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    *returnedAlgoCount = list_algorithms<cudnnConvolutionBwdDataAlgoPerf_t, cudnnConvolutionBwdDataAlgo_t>(
        Pass::data, g, requestedAlgoCount, perfResults);
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t srcDesc,
                                                            const cudnnTensorDescriptor_t diffDesc,
                                                            const cudnnConvolutionDescriptor_t convDesc,
                                                            const cudnnFilterDescriptor_t gradDesc,
                                                            const int requestedAlgoCount, int* returnedAlgoCount,
                                                            cudnnConvolutionBwdFilterAlgoPerf_t* perfResults) {
  return cudnn_call("cudnnGetConvolutionBackwardFilterAlgorithm_v7", [&] {
    Geometry g;
    const auto status = query(handle, srcDesc, gradDesc, diffDesc, convDesc, g);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    *returnedAlgoCount = list_algorithms<cudnnConvolutionBwdFilterAlgoPerf_t, cudnnConvolutionBwdFilterAlgo_t>(
        Pass::filter, g, requestedAlgoCount, perfResults);
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc,
                                                      const cudnnFilterDescriptor_t wDesc,
                                                      const cudnnConvolutionDescriptor_t convDesc,
                                                      const cudnnTensorDescriptor_t yDesc,
                                                      cudnnConvolutionFwdAlgo_t algo, size_t* sizeInBytes) {
  return cudnn_call("cudnnGetConvolutionForwardWorkspaceSize", [&] {
    Geometry g;
    const auto status = query(handle, xDesc, wDesc, yDesc, convDesc, g);
    return status == CUDNN_STATUS_SUCCESS ? tell_workspace({Pass::forward, algo}, g, sizeInBytes) : status;
  });
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t handle, const cudnnFilterDescriptor_t wDesc,
                                                           const cudnnTensorDescriptor_t dyDesc,
                                                           const cudnnConvolutionDescriptor_t convDesc,
                                                           const cudnnTensorDescriptor_t dxDesc,
                                                           cudnnConvolutionBwdDataAlgo_t algo, size_t* sizeInBytes) {
  return cudnn_call("cudnnGetConvolutionBackwardDataWorkspaceSize", [&] {
    Geometry g;
    const auto status = query(handle, dxDesc, wDesc, dyDesc, convDesc, g);
    return status == CUDNN_STATUS_SUCCESS ? tell_workspace({Pass::data, algo}, g, sizeInBytes) : status;
  });
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc,
                                                             const cudnnTensorDescriptor_t dyDesc,
                                                             const cudnnConvolutionDescriptor_t convDesc,
                                                             const cudnnFilterDescriptor_t gradDesc,
                                                             cudnnConvolutionBwdFilterAlgo_t algo,
                                                             size_t* sizeInBytes) {
  return cudnn_call("cudnnGetConvolutionBackwardFilterWorkspaceSize", [&] {
    Geometry g;
    const auto status = query(handle, xDesc, gradDesc, dyDesc, convDesc, g);
    return status == CUDNN_STATUS_SUCCESS ? tell_workspace({Pass::filter, algo}, g, sizeInBytes) : status;
  });
}
}
