#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace troupe {

/// The alignment in bytes of buffers of floats: the size of a cache line and of the widest vector register. The
/// alignment of operands can change the order in which a vectorised sum adds floats, and thus its result. Therefore all
/// operands of such sums have this alignment.
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

/// Floats that start on a multiple of `kAlignment` bytes.
using AlignedFloats = std::vector<float, AlignedAllocator<float>>;

}  // namespace troupe
