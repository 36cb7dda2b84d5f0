#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// Floats of one page: the granule in which slabs are cut among writers.
inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPageFloats = kPageBytes / sizeof(float);
/// Of a cache line.
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
  /// @throws Error store_failed when mapped for reading.
  std::span<float> writable_floats() const;

 private:
  void* data_;
  std::size_t bytes_;
  Access access_;
};

/// Creates an empty memory file (memfd) whose size can be sealed. On Linux 6.3 and later nobody can execute the file.
/// @throws Error system
FileDescriptor open_memory_file(const char* name);

/// Makes an anonymous memory file of exactly `bytes`, every page allocated now (so that no later access can fail) and
/// the size sealed. @throws Error store_full when the machine has no memory for it, system otherwise.
FileDescriptor make_memory_file(std::size_t bytes);

/// From now on nobody can map the file for writing; mappings that exist stay as they are.
void seal_against_new_writers(int fd);

}  // namespace troupe
