#include <doctest/doctest.h>

#include <vector>

#include "runtime/net/data/window_table.hpp"
#include "support/errors.hpp"

using namespace troupe;

TEST_CASE("a withdrawn window is not written any more") {
  WindowTable table({"node0", "node1"});
  std::vector<std::byte> memory(32);
  const auto announce = [&] { table.announce(1, 1, memory, 16, nullptr); };
  announce();
  const auto first = table.claim(1, {1, 0, 1, 16});
  table.arrived(first);
  table.withdraw(1);
  CHECK(code_of([&] { table.claim(1, {1, 1, 1, 16}); }) == ErrorCode::protocol);
  table.withdraw(1);  // there is no such window now
  // A segment that has begun and may take its time.
  announce();
  const auto late = table.claim(1, {1, 1, 2, 16});
  const auto withdraw = [&] { table.withdraw(1); };
  CHECK(message_of(withdraw) == "window 1 is still being written (node node1)");
}

TEST_CASE("a segment may be shorter if its window allows it") {
  WindowTable table({"node0", "node1"});
  std::vector<std::byte> memory(24);
  table.announce(1, 1, memory, 16, nullptr);
  table.announce(2, 1, memory, 16, nullptr, SegmentLength::any);
  CHECK(code_of([&] { table.claim(1, {1, 0, 1, 15}); }) == ErrorCode::protocol);
  CHECK(table.claim(1, {2, 0, 1, 15}).bytes.size() == 15);
  CHECK(table.claim(1, {2, 1, 1, 8}).bytes.data() == memory.data() + 16);
  for (const std::uint64_t bytes : {0, 9, 16})  // nothing, and more than the last segment
    CHECK(code_of([&] { table.claim(1, {2, 1, 2, bytes}); }) == ErrorCode::protocol);
}
