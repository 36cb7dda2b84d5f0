#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "models/torch/torch_page_lock.hpp"
#include "runtime/processes/memory.hpp"
#include "runtime/processes/page_lock.hpp"

using namespace troupe;

namespace {

std::map<void*, std::size_t> locked;
std::set<int> spoken_to;

int set_device(int device) {
  spoken_to.insert(device);
  return 0;
}

int register_host(void* start, std::size_t bytes, unsigned how) {
  if (how != 1) return 801;  // cudaErrorNotSupported: this device cannot lock read-only memory
  locked[start] = bytes;
  return 0;
}

int unregister_host(void* start) { return locked.erase(start) == 1 ? 0 : 1; }

int errors_taken = 0;
int get_last_error() {
  ++errors_taken;
  return 0;
}

}  // namespace

TEST_CASE("CUDA's runtime locks the memory of slabs on the chosen device") {
  std::string missing;
  const auto function_of = [&](const char* name) -> void* {
    if (std::strcmp(name, "cudaSetDevice") == 0) return reinterpret_cast<void*>(set_device);
    if (std::strcmp(name, "cudaHostRegister") == 0) return reinterpret_cast<void*>(register_host);
    if (std::strcmp(name, "cudaHostUnregister") == 0) return reinterpret_cast<void*>(unregister_host);
    if (std::strcmp(name, "cudaGetLastError") == 0) return reinterpret_cast<void*>(get_last_error);
    missing = name;
    return nullptr;
  };
  lock_slabs(3, function_of);
  CHECK(missing.empty());
  void* const block = allocate_lockable(10'000);
  await_page_locks();
  CHECK(errors_taken == 0);
  const FileDescriptor file = make_memory_file(kPageBytes);
  const Mapping read_only(file.get(), 0, kPageBytes, Access::read);
  await_page_locks();
  CHECK(errors_taken == 1);  // the error is not left to a later call
  CHECK(locked[block] >= 10'000);
  CHECK(spoken_to == std::set<int>{3});
  lock_slabs(4, function_of);  // only the first call counts
  free_lockable(block);
  await_page_locks();
  CHECK(locked.count(block) == 0);
  CHECK(spoken_to == std::set<int>{3});
}
