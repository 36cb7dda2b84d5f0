#include "cuda/double/state.hpp"
#include "cuda/double/streams.hpp"

namespace troupe::cuda_double {

namespace {

cudaError_t create_stream(cudaStream_t* stream, unsigned flags) {
  if (stream == nullptr) return complain(cudaErrorInvalidValue, "a null pointer for the stream");
  if (flags != cudaStreamNonBlocking)
    return complain(cudaErrorInvalidValue, "a stream that synchronizes with the default stream");
  *stream = streams().create(this_thread().device);
  return cudaSuccess;
}

cudaError_t destroy_stream(cudaStream_t stream) {
  if (stream_for_work(stream) == nullptr) return cudaErrorInvalidResourceHandle;
  streams().destroy(stream);
  return cudaSuccess;
}

cudaError_t synchronize_stream(cudaStream_t handle) {
  Stream* const stream = stream_for_work(handle);
  if (stream == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = streams().run_until(*stream, stream->queued);
  races().host_saw(stream->clock);
  return error;
}

cudaError_t query_stream(cudaStream_t handle) {
  Stream* const stream = stream_for_work(handle);
  if (stream == nullptr) return cudaErrorInvalidValue;
  // With probability 1/2, so that a loop of polls ends.
  if (draw(2) == 0) streams().run_one();
  if (!stream->queue.empty()) return cudaErrorNotReady;
  races().host_saw(stream->clock);
  return cudaSuccess;
}

cudaError_t queue_kernel(cudaStream_t handle, std::function<void()> work, std::vector<Touch> touches) {
  Stream* stream = nullptr;
  if (const cudaError_t error = stream_for_kernel(handle, stream); error != cudaSuccess) return error;
  ++state().launches;
  streams().push(
      *stream,
      {.what = "kernel " + std::to_string(state().launches), .run = std::move(work), .touches = std::move(touches)});
  return cudaSuccess;
}

}  // namespace

cudaError_t launch(cudaStream_t stream, std::function<void()> work, std::vector<Touch> touches) {
  return cuda_call("launch", [&] { return queue_kernel(stream, std::move(work), std::move(touches)); });
}

}  // namespace troupe::cuda_double

using namespace troupe::cuda_double;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cuda_call("cudaStreamCreateWithFlags", [&] { return create_stream(stream, flags); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return cuda_call("cudaStreamDestroy", Kind::release, [&] { return destroy_stream(stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return cuda_call("cudaStreamSynchronize", [&] { return synchronize_stream(stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cuda_call("cudaStreamQuery", [&] { return query_stream(stream); });
}

cudaError_t cudaDeviceSynchronize() {
  return cuda_call("cudaDeviceSynchronize", [] { return streams().run_all(this_thread().device); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return cuda_call("cudaLaunchHostFunc", [&] {
    if (function == nullptr) return complain(cudaErrorInvalidValue, "no function");
    return queue_kernel(stream, [function, data] { function(data); }, {});
  });
}
}
