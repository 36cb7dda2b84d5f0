#pragma once

#include "models/cuda/api/handle.hpp"
#include "models/cuda/api/memory.hpp"
#include "models/devices/element.hpp"

namespace troupe::cuda {

/// What the layers of a replica's network share: the device's streams and libraries, and memory that each of them uses
/// while it runs.
class Context {
 public:
  /// @param element that images are stored and products are computed in
  Context(int device, Element element);

  int device() const { return device_; }
  Element element() const { return element_; }
  const Stream& compute() const { return compute_; }
  const Stream& copies() const { return copies_; }
  cudnnHandle_t cudnn() const { return cudnn_.get(); }
  cublasHandle_t cublas() const { return cublas_.get(); }

  /// What a layer may use at most beside its operands. Algorithms that want more are not looked at.
  static constexpr std::size_t kMostWorkspace = std::size_t{256} << 20;
  /// Layers say when they are made what they will need; it is there when they run, and holds nothing between them.
  void need_workspace(std::size_t bytes);
  std::byte* workspace() const { return workspace_.data(); }
  std::size_t workspace_bytes() const { return workspace_.bytes(); }

 private:
  int device_;
  Element element_;
  Stream compute_;
  Stream copies_;
  Handle<cudnnHandle_t, cudnnDestroy> cudnn_;
  Handle<cublasHandle_t, cublasDestroy> cublas_;
  DeviceMemory cublas_workspace_;
  DeviceMemory workspace_;
};

}  // namespace troupe::cuda
