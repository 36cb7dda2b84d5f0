#pragma once

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "models/cpu/element.hpp"
#include "models/devices/element.hpp"
#include "runtime/random.hpp"

// Arrays for kernels, and comparisons with suitable tolerances.
namespace troupe::cuda {

inline constexpr Element kElements[] = {Element::f32, Element::bf16};
inline constexpr std::int64_t kChannelCounts[] = {1, 3, 8, 17, 64};
struct ImageSides {
  std::int64_t height;
  std::int64_t width;
};
inline constexpr ImageSides kImages[] = {{1, 1}, {5, 7}, {8, 8}};
inline constexpr std::int64_t kRowCounts[] = {1, 2, 7, 1000};

/// Returns the stream for kernels. A new stream is created after a reset of the device.
inline cudaStream_t stream() {
  static cudaStream_t made = nullptr;
  const bool lives = made != nullptr && cudaStreamQuery(made) != cudaErrorInvalidResourceHandle;
  cudaGetLastError();  // clears the error of the query, including cudaErrorNotReady
  if (!lives) REQUIRE(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking) == cudaSuccess);
  return made;
}

/// Memory of the device.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) : bytes_(bytes) { REQUIRE(cudaMalloc(&data_, bytes + 1) == cudaSuccess); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(data_); }

  void* data() const { return data_; }
  /// Waits for the copy: a copy from pageable memory may end after the call, and a non-blocking stream does not wait
  /// for it.
  void write(const void* from) {
    REQUIRE(cudaMemcpyAsync(data_, from, bytes_, cudaMemcpyHostToDevice, stream()) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream()) == cudaSuccess);
  }
  void read(void* to) const {
    REQUIRE(cudaStreamSynchronize(stream()) == cudaSuccess);
    REQUIRE(cudaMemcpy(to, data_, bytes_, cudaMemcpyDeviceToHost) == cudaSuccess);
  }

 private:
  std::size_t bytes_;
  void* data_ = nullptr;
};

/// Elements on the device, initially NaN.
class DeviceArray {
 public:
  DeviceArray(Element element, const std::vector<float>& values)
      : element_(element), count_(values.size()), memory_(count_ * size_of(element)) {
    write(values);
  }
  DeviceArray(Element element, std::size_t count)
      : DeviceArray(element, std::vector<float>(count, std::numeric_limits<float>::quiet_NaN())) {}
  explicit DeviceArray(const std::vector<float>& values) : DeviceArray(Element::f32, values) {}
  explicit DeviceArray(std::size_t count) : DeviceArray(Element::f32, count) {}

  void* data() const { return memory_.data(); }
  float* floats() const { return static_cast<float*>(memory_.data()); }

  void write(const std::vector<float>& values) {
    if (element_ == Element::f32) {
      memory_.write(values.data());
      return;
    }
    std::vector<cpu::Bfloat16> narrow(count_);
    for (std::size_t i = 0; i < count_; ++i) cpu::store(values[i], narrow[i]);
    memory_.write(narrow.data());
  }

  std::vector<float> read() const {
    std::vector<float> values(count_);
    if (element_ == Element::f32) {
      memory_.read(values.data());
      return values;
    }
    std::vector<cpu::Bfloat16> narrow(count_);
    memory_.read(narrow.data());
    for (std::size_t i = 0; i < count_; ++i) values[i] = cpu::to_float(narrow[i]);
    return values;
  }

 private:
  Element element_;
  std::size_t count_;
  DeviceBytes memory_;
};

/// Returns the float value after rounding to an element.
inline float stored(Element element, float value) {
  if (element == Element::f32) return value;
  cpu::Bfloat16 narrow;
  cpu::store(value, narrow);
  return cpu::to_float(narrow);
}

/// Returns numbers of about [-2, 2) that are exact elements, some of them equal.
inline std::vector<float> drawn(Element element, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = stored(element, std::round(256 * (4 * random.uniform() - 2)) / 256);
  return values;
}

/// Returns whether a value computed in float and stored as an element is within tolerance.
inline bool close(Element element, double found, double expected, double absolute = 2e-5) {
  const double relative = element == Element::f32 ? 2e-5 : 0x1p-8;
  return std::abs(found - expected) <= absolute + relative * std::abs(expected);
}

/// Returns the first index where values differ by more than the tolerance, or -1. NaN equals NaN.
template <class Expected>
std::ptrdiff_t first_difference(Element element, const std::vector<float>& found, const std::vector<Expected>& expected,
                                double absolute = 2e-5) {
  if (found.size() != expected.size()) return static_cast<std::ptrdiff_t>(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(found[i]) && std::isnan(expected[i])) continue;
    if (!close(element, found[i], static_cast<double>(expected[i]), absolute)) return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

/// Returns the first index where bits differ, or -1. NaN equals NaN.
inline std::ptrdiff_t first_other_bits(const std::vector<float>& found, const std::vector<float>& expected) {
  if (found.size() != expected.size()) return static_cast<std::ptrdiff_t>(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(found[i]) && std::isnan(expected[i])) continue;
    if (std::memcmp(&found[i], &expected[i], sizeof(float)) != 0) return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

}  // namespace troupe::cuda
