#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#include "models/aligned.hpp"
#include "runtime/processes/page_lock.hpp"

namespace troupe {

/// The kind of memory for samples. An accelerator copies faster from memory that is locked, but locking memory takes as
/// long as copying it once. Therefore `lockable` is only useful for memory that is filled and copied several times.
enum class Pages : std::uint8_t {
  ordinary,
  lockable,  ///< memory that accelerators can lock and then copy from directly; see runtime/processes/page_lock.hpp
};

/// An allocator for std::vector that allocates memory of a given kind (see Pages).
template <class T>
class PagesAllocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  explicit PagesAllocator(Pages pages) : pages_(pages) {}
  template <class U>
  PagesAllocator(const PagesAllocator<U>& other) : pages_(other.pages()) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    if (pages_ == Pages::ordinary) return AlignedAllocator<T>().allocate(count);
    return static_cast<T*>(allocate_lockable(count * sizeof(T)));
  }
  void deallocate(T* pointer, std::size_t count) {
    if (pages_ == Pages::ordinary) return AlignedAllocator<T>().deallocate(pointer, count);
    free_lockable(pointer);
  }

  Pages pages() const { return pages_; }
  template <class U>
  bool operator==(const PagesAllocator<U>& other) const {
    return pages_ == other.pages();
  }

 private:
  Pages pages_;
};

/// A vector of floats in memory of a given kind (see Pages). The address of the first float is a multiple of
/// `kAlignment`.
using SampleFloats = std::vector<float, PagesAllocator<float>>;

}  // namespace troupe
