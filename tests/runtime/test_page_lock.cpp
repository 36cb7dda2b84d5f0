#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <thread>

#include "runtime/processes/memory.hpp"
#include "runtime/processes/page_lock.hpp"
#include "support/captured_errors.hpp"
#include "support/patience.hpp"

using namespace troupe;

namespace {

constexpr std::size_t kLockedBytes = 8192;

/// The memory that a device has locked. Read after a wait for its thread.
std::set<void*> locked;
std::size_t read_only = 0;
std::size_t unknown = 0;
bool refuses = false;
std::atomic<bool> hangs = false;
std::atomic<bool> hung = false;

bool lock_or_refuse(void* start, std::size_t /*bytes*/, bool writable) {
  if (refuses) return false;
  read_only += writable ? 0 : 1;
  return locked.insert(start).second;
}

bool unlock(void* start) {
  for (; hangs; std::this_thread::yield()) hung = true;
  unknown += locked.erase(start) == 1 ? 0 : 1;
  return true;
}

std::size_t locked_now() {
  await_page_locks();
  return locked.size();
}

bool is_locked(const void* start) {
  await_page_locks();
  return locked.count(const_cast<void*>(start)) == 1;
}

}  // namespace

TEST_CASE("mappings are locked during their lifetime, also those created earlier") {
  const troupe_test::CapturedErrors errors;
  const FileDescriptor file = make_memory_file(kLockedBytes);
  const auto before = std::make_unique<Mapping>(file.get(), 0, kLockedBytes, Access::write);
  lock_mappings({.lock = lock_or_refuse, .unlock = unlock});
  CHECK(is_locked(before->floats().data()));
  const std::size_t others = locked_now();
  {
    const Mapping reads(file.get(), 0, kLockedBytes, Access::read);
    CHECK(locked_now() == others + 1);
    CHECK(read_only == 1);
    refuses = true;
    const Mapping refused(file.get(), 0, kLockedBytes, Access::write);
    CHECK(locked_now() == others + 1);
    const Mapping only_read(file.get(), 0, kLockedBytes, Access::read);
    CHECK(locked_now() == others + 1);
    CHECK(errors.text() ==
          "troupe: 8 KB of memory could not be locked for copies from and to devices: the processor copies instead, "
          "which takes longer\n");
  }
  CHECK(locked_now() == others);
  lock_mappings({.lock = [](void*, std::size_t, bool) { return true; },
                 .unlock = [](void*) { return true; }});  // the first call counts
  const Mapping after(file.get(), 0, kLockedBytes, Access::write);
  CHECK(locked_now() == others);

  refuses = false;
  void* const pages = allocate_lockable(kLockedBytes + 1);
  CHECK(reinterpret_cast<std::uintptr_t>(pages) % kPageBytes == 0);
  CHECK(is_locked(pages));
  std::memset(pages, 1, kLockedBytes + 1);
  free_lockable(pages);
  CHECK(locked_now() == others);
  CHECK(unknown == 0);
}

TEST_CASE("a hanging device does not block threads that map and unmap") {
  lock_mappings({.lock = lock_or_refuse, .unlock = unlock});
  const FileDescriptor file = make_memory_file(kLockedBytes);
  auto mapped = std::make_unique<Mapping>(file.get(), 0, kLockedBytes, Access::write);
  const std::size_t others = locked_now() - 1;
  hangs = true;
  mapped.reset();
  CHECK(troupe_test::comes_true([] { return hung.load(); }));
  const float* const first = std::make_unique<Mapping>(file.get(), 0, kLockedBytes, Access::write)->floats().data();
  CHECK(first[0] == 0);  // still mapped
  free_lockable(allocate_lockable(kLockedBytes));
  std::atomic<bool> waited = false;
  std::thread copies([&] {
    await_page_locks();
    waited = true;
  });
  CHECK_FALSE(waited);
  hangs = false;
  copies.join();
  CHECK(locked_now() == others);
  CHECK(unknown == 0);
}
