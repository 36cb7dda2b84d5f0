#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <set>

#include "runtime/processes/memory.hpp"
#include "runtime/processes/page_lock.hpp"

using namespace troupe;

namespace {

std::set<void*> locked;
std::size_t read_only = 0;
bool refuses = false;

bool lock_or_refuse(void* start, std::size_t /*bytes*/, bool writable) {
  if (refuses) return false;
  read_only += writable ? 0 : 1;
  return locked.insert(start).second;
}

bool unlock(void* start) {
  CHECK(locked.erase(start) == 1);
  return true;
}

}  // namespace

TEST_CASE("mappings are locked as long as they live, also those that were there before") {
  constexpr std::size_t kBytes = 8192;
  const FileDescriptor file = make_memory_file(kBytes);
  const auto before = std::make_unique<Mapping>(file.get(), 0, kBytes, Access::write);
  lock_mappings({.lock = lock_or_refuse, .unlock = unlock});
  CHECK(locked.count(const_cast<float*>(before->floats().data())) == 1);
  const std::size_t others = locked.size();
  {
    const Mapping reads(file.get(), 0, kBytes, Access::read);
    CHECK(locked.size() == others + 1);
    CHECK(read_only == 1);
    refuses = true;
    const Mapping refused(file.get(), 0, kBytes, Access::write);
    CHECK(locked.size() == others + 1);
  }
  CHECK(locked.size() == others);
  lock_mappings({.lock = [](void*, std::size_t, bool) { return true; },
                 .unlock = [](void*) { return true; }});  // the first counts
  const Mapping after(file.get(), 0, kBytes, Access::write);
  CHECK(locked.size() == others);

  refuses = false;
  void* const pages = allocate_lockable(kBytes + 1);
  CHECK(reinterpret_cast<std::uintptr_t>(pages) % kPageBytes == 0);
  CHECK(locked.count(pages) == 1);
  std::memset(pages, 1, kBytes + 1);
  free_lockable(pages);
  CHECK(locked.size() == others);
}
