#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// The size of a page in bytes and in floats. If several replicas or workers write the same slab, each writes a range
/// that begins and ends at page boundaries.
inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPageFloats = kPageBytes / sizeof(float);
/// The size of a cache line in floats.
inline constexpr std::size_t kLineFloats = 16;

/// The use of a mapping.
enum class Access : unsigned char { read, write };

/// A range of a memory file, which is mapped into this process's address space for the lifetime of the object.
class Mapping {
 public:
  /// Maps `bytes` bytes of the memory file `fd`, starting at `offset`. `offset` must be a multiple of the page size.
  /// Loads all pages immediately, so that later accesses cause no page faults. @throws Error system
  Mapping(int fd, std::size_t offset, std::size_t bytes, Access access);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::size_t bytes() const { return bytes_; }
  std::span<const float> floats() const { return {static_cast<const float*>(data_), bytes_ / sizeof(float)}; }
  /// Returns the floats for writing. @throws Error store_failed if the range was mapped for reading
  std::span<float> writable_floats() const;

 private:
  void* data_;
  std::size_t bytes_;
  Access access_;
};

/// Creates an empty memory file (memfd). The caller may later seal its size, which prevents changes of the size. On
/// Linux 6.3 and later, the file cannot be executed as a program.
/// @param name a name that /proc shows for the file, which helps a person to recognize the file
/// @throws Error system
FileDescriptor open_memory_file(const char* name);

/// Makes an empty memory file exactly `bytes` bytes large. All pages are allocated immediately. Otherwise the first
/// access to a page could crash the process, if memory had run out.
/// @throws Error store_full if the machine has not enough memory; the file may then have any size
void fill_memory_file(int fd, std::size_t bytes);

/// Makes a memory file of exactly `bytes` bytes, whose size cannot be changed. All pages are allocated immediately,
/// as by `fill_memory_file`.
/// @throws Error store_full if the machine has not enough memory; system for other failures
FileDescriptor make_memory_file(std::size_t bytes);

/// Prevents all processes from making new mappings of a memory file for writing. Existing mappings stay writable.
void seal_against_new_writers(int fd);

}  // namespace troupe
