#include <doctest/doctest.h>

#include "cli/limited.hpp"
#include "cli/refused.hpp"
#include "support/control_group.hpp"

using namespace troupe_test;

TEST_CASE("weights that exceed the memory limit of the cgroup are refused, and the process is not killed") {
  const MemoryGroup group(std::uint64_t{600} << 20);
  if (!group.made()) return skipped("a memory cgroup cannot be created on this machine");
  const auto check = [&](const std::vector<std::string>& more, const std::string& named) {
    // 400 MB of weights for each of two buffers. The quota is half of 600 MB.
    const auto large = joined({"sync", "--parameters", "100000000", "--workers", "1"}, more);
    check_refusal(run_limited(large, group.entry()), {named});
  };
  check({}, "troupe-bench: store_full: the object store is full");
  check({"--placement", "processes"}, "troupe-bench: store_full: the object store is full");
  // With a quota above the cgroup's limit, the slabs reach the limit itself.
  check({"--store-bytes", "9000000000"}, group.folder());
}
