#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace troupe {

/// The alignment in bytes of buffers of floats. It is the size of a cache line and of the widest vector register. The
/// order in which a vectorised sum adds floats can depend on the alignment of its operands, and the order can change
/// the result. Therefore all operands of vectorised sums are aligned to `kAlignment` bytes.
inline constexpr std::size_t kAlignment = 64;

/// An allocator for std::vector that aligns memory to `kAlignment` bytes.
template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kAlignment}));
  }
  void deallocate(T* pointer, std::size_t) { ::operator delete (pointer, std::align_val_t{kAlignment}); }

  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

/// A vector of floats whose first element is at an address that is a multiple of `kAlignment`.
using AlignedFloats = std::vector<float, AlignedAllocator<float>>;

}  // namespace troupe
