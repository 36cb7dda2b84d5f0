#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// Bytes and floats of one page. Slabs are divided among writers at page boundaries.
inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPageFloats = kPageBytes / sizeof(float);
/// Floats of one cache line.
inline constexpr std::size_t kLineFloats = 16;

enum class Access : unsigned char { read, write };

/// A mapped range of a memory file.
class Mapping {
 public:
  /// Maps `bytes` from `offset` (a multiple of the page size) and faults the pages in. @throws Error system
  Mapping(int fd, std::size_t offset, std::size_t bytes, Access access);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::size_t bytes() const { return bytes_; }
  std::span<const float> floats() const { return {static_cast<const float*>(data_), bytes_ / sizeof(float)}; }
  /// @throws Error store_failed if mapped for reading.
  std::span<float> writable_floats() const;

 private:
  void* data_;
  std::size_t bytes_;
  Access access_;
};

/// Creates an empty memory file (memfd) whose size can be sealed. On Linux 6.3 and later the file cannot be executed.
/// @throws Error system
FileDescriptor open_memory_file(const char* name);

/// Makes an anonymous memory file of exactly `bytes` and seals its size. Every page is allocated now, so that no later
/// access can fail. @throws Error store_full if the machine has not enough memory, system otherwise.
FileDescriptor make_memory_file(std::size_t bytes);

/// Prevents new mappings for writing; existing mappings are not affected.
void seal_against_new_writers(int fd);

}  // namespace troupe
