#include "runtime/processes/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>

#include "runtime/processes/limits.hpp"
#include "runtime/processes/page_lock.hpp"

namespace troupe {

Mapping::Mapping(int fd, std::size_t offset, std::size_t bytes, Access access) : bytes_(bytes), access_(access) {
  const int protection = access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  data_ = ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_POPULATE, fd, static_cast<off_t>(offset));
  if (data_ == MAP_FAILED) throw_errno("cannot map a slab");
  try {
    note_mapped(data_, bytes, access == Access::write);
  } catch (...) {
    ::munmap(data_, bytes);
    throw;
  }
}

Mapping::~Mapping() {
  end_mapped(data_, [](void* start, std::size_t bytes) { ::munmap(start, bytes); });
}

std::span<float> Mapping::writable_floats() const {
  if (access_ != Access::write) throw Error(ErrorCode::store_failed, "this slab is mapped for reading only");
  return {static_cast<float*>(data_), bytes_ / sizeof(float)};
}

namespace {

/// Before a slab of at least this many bytes is made, the available memory is checked.
constexpr std::size_t kLarge = std::size_t{1} << 20;

}  // namespace

FileDescriptor open_memory_file(const char* name) {
  constexpr unsigned kNotExecutable = 0x8;  // MFD_NOEXEC_SEAL, which is missing in headers of older systems
  constexpr unsigned kUsual = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  FileDescriptor file(::memfd_create(name, kUsual | kNotExecutable));
  if (!file && errno == EINVAL) file = FileDescriptor(::memfd_create(name, kUsual));  // a kernel before Linux 6.3
  if (!file) throw_errno("memfd_create");
  return file;
}

void fill_memory_file(int fd, std::size_t bytes) {
  const std::string lack = bytes >= kLarge ? lack_of_memory(bytes) : "";
  if (!lack.empty()) throw Error(ErrorCode::store_full, "a slab " + lack);
  int failed = 0;
  while ((failed = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes))) == EINTR) {
  }
  if (failed != 0)
    throw Error(ErrorCode::store_full,
                "the machine has not enough memory for a slab of " + std::to_string(bytes) + " bytes");
}

FileDescriptor make_memory_file(std::size_t bytes) {
  FileDescriptor file = open_memory_file("troupe-slab");
  fill_memory_file(file.get(), bytes);
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) throw_errno("sealing a slab's size");
  return file;
}

void seal_against_new_writers(int fd) {
  if (::fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) != 0) throw_errno("sealing a slab");
}

}  // namespace troupe
