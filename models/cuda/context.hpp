#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "models/cuda/api/handle.hpp"
#include "models/cuda/api/memory.hpp"
#include "models/devices/element.hpp"

namespace troupe::cuda {

/// Resources that the layers of a replica's network share: the device's streams, the handles of CUDA libraries, and
/// memory (workspace) that a layer uses only while it runs.
class Context {
 public:
  /// Creates the resources on a device.
  /// @param element the type in which images are stored and products are computed
  /// @param tf32 true: products of floats may round their factors to TensorFloat-32
  Context(int device, Element element, bool tf32);

  /// Returns the versions of the libraries, which affect results bit by bit: "cuda13000-cudnn91900-cublas130100".
  std::string libraries() const;
  int device() const { return device_; }
  Element element() const { return element_; }
  bool tf32() const { return tf32_; }
  const Stream& compute() const { return compute_; }
  const Stream& copies() const { return copies_; }
  /// Returns the stream for copies that are made ahead of time, because only a later pass needs them.
  const Stream& early_copies() const { return early_copies_; }
  cudnnHandle_t cudnn() const { return cudnn_.get(); }
  cublasHandle_t cublas() const { return cublas_.get(); }

  // The following functions enqueue a copy of `count` floats between host and device on a stream. `what` describes the
  // copy in error messages.
  void copy_to_device(const Stream& stream, float* to, const float* from, std::size_t count, const char* what) {
    copy(stream, to, from, count, cudaMemcpyHostToDevice, what);
  }
  void copy_to_host(const Stream& stream, float* to, const float* from, std::size_t count, const char* what) {
    copy(stream, to, from, count, cudaMemcpyDeviceToHost, what);
  }
  /// Returns the number of bytes that were copied between host and device so far, in both directions.
  std::int64_t bytes_over_bus() const { return bytes_over_bus_; }

  /// Maximum size in bytes of a layer's workspace. A layer's workspace is larger only if every algorithm of cuDNN for
  /// the layer needs more.
  static constexpr std::size_t kUsualWorkspace = std::size_t{256} << 20;
  /// `need_workspace` registers how many bytes of workspace an operation needs; operations call it when they are
  /// created. `take_need` returns the largest number that was registered since the last call of `take_need`.
  void need_workspace(std::size_t bytes) { need_ = std::max(need_, bytes); }
  std::size_t take_need() { return std::exchange(need_, 0); }
  /// Increases the workspace to at least `bytes`. Must be called before a network runs that needs this size, and while
  /// the device runs no work. The content of the workspace is not needed between operations.
  void reserve_workspace(std::size_t bytes) { workspace_.reserve(bytes); }
  std::byte* workspace() const { return workspace_.data(); }
  std::size_t workspace_bytes() const { return workspace_.bytes(); }

 private:
  void copy(const Stream& stream, float* to, const float* from, std::size_t count, cudaMemcpyKind kind,
            const char* what);

  int device_;
  Element element_;
  bool tf32_;
  Stream compute_;
  Stream copies_;
  Stream early_copies_;
  Handle<cudnnHandle_t, cudnnDestroy> cudnn_;
  Handle<cublasHandle_t, cublasDestroy> cublas_;
  DeviceMemory cublas_workspace_;
  DeviceMemory workspace_;
  std::size_t need_ = 0;
  std::int64_t bytes_over_bus_ = 0;
};

}  // namespace troupe::cuda
