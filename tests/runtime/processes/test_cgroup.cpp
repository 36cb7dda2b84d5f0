#include <doctest/doctest.h>

#include <map>

#include "runtime/processes/cgroup.hpp"

using namespace troupe;
using Folders = std::vector<std::string>;

namespace {

// Copied from a kernel.
constexpr const char* kVersion2Mounts =
    "22 27 0:20 / /proc rw,nosuid,nodev,noexec,relatime shared:13 - proc proc rw\n"
    "29 22 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kVersion1Mounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
    "40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
constexpr const char* kVersion1Memberships =
    "9:name=systemd:/\n8:pids:/a/b\n4:memory:/process_api/682eb2\n2:cpu,cpuacct:/\n0::/unified.slice\n";

/// A file system in memory.
class Machine {
 public:
  Machine(const std::string& memberships, const std::string& mounts) {
    write("/proc/self/cgroup", memberships);
    write("/proc/self/mountinfo", mounts);
  }
  void write(const std::string& path, const std::string& content) { files_[path] = content; }
  cgroup::Reader reader() const {
    return cgroup::Reader([this](const std::string& path) {
      const auto found = files_.find(path);
      return found == files_.end() ? "" : found->second;
    });
  }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace

TEST_CASE("a cgroup and its ancestors are found at their mount points") {
  CHECK(cgroup::folders("0::/user.slice/run.scope\n", kVersion2Mounts, "memory") ==
        Folders{"/sys/fs/cgroup/user.slice/run.scope", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"});
  CHECK(cgroup::folders("0::/\n", kVersion2Mounts, "memory") == Folders{"/sys/fs/cgroup"});
  // Version 1, next to a version 2 without controllers.
  CHECK(cgroup::folders(kVersion1Memberships, kVersion1Mounts, "pids") ==
        Folders{"/sys/fs/cgroup/pids/a/b", "/sys/fs/cgroup/pids/a", "/sys/fs/cgroup/pids",
                "/sys/fs/cgroup/unified/unified.slice", "/sys/fs/cgroup/unified"});
  CHECK(cgroup::folders(kVersion1Memberships, kVersion1Mounts, "cpu").front() == "/sys/fs/cgroup/cpu,cpuacct");
}

TEST_CASE("a container sees its own cgroup at the mount point") {
  const char* const docker =
      "1 2 0:32 /docker/3f /sys/fs/cgroup/memory ro,nosuid master:17 - cgroup cgroup rw,memory\n";
  CHECK(cgroup::folders("4:memory:/docker/3f\n", docker, "memory") == Folders{"/sys/fs/cgroup/memory"});
  CHECK(cgroup::folders("4:memory:/docker/3f/inner\n", docker, "memory") ==
        Folders{"/sys/fs/cgroup/memory/inner", "/sys/fs/cgroup/memory"});
  // Cgroups that are not below the mounted one: a longer name, or a path upwards.
  for (const char* other : {"4:memory:/docker/3fa\n", "4:memory:/\n", "4:memory:/docker/3f/../x\n"})
    CHECK(cgroup::folders(other, docker, "memory") == Folders{"/sys/fs/cgroup/memory"});
}

TEST_CASE("invalid lines are skipped") {
  for (const char* memberships : {"", "\n\n", "garbage", "0:", "0::", "0::relative\n", "::::\n"})
    CHECK(cgroup::folders(memberships, kVersion2Mounts, "memory").empty());
  for (const char* mounts : {"", " - ", " - cgroup2", "a - cgroup2 x y\n", "1 2 3 rel rel - cgroup2 cgroup2 rw\n"})
    CHECK(cgroup::folders("0::/\n", mounts, "memory").empty());
  CHECK(cgroup::folders("0::/\n", "1 2 3 / /with\\040space - cgroup2 cgroup2 rw", "memory") == Folders{"/with space"});
}

TEST_CASE("limits and counts are parsed") {
  CHECK(cgroup::parse_limit("20\n") == 20);
  CHECK(cgroup::parse_limit("0") == 0);
  for (const char* none :
       {"max\n", "", "\n", "-1\n", "9223372036854771712\n", "99999999999999999999\n", "12x\n", "1 2"})
    CHECK_FALSE(cgroup::parse_limit(none));
  CHECK(cgroup::parse_count("low 0\noom 3\noom_kill 2\n", "oom_kill") == 2);
  CHECK_FALSE(cgroup::parse_count("oom_kill\noom_killer 4\n", "oom_kill"));
}

TEST_CASE("version 2 has a memory limit on each level, and the page cache does not count as used") {
  Machine machine("0::/pod/app\n", kVersion2Mounts);
  machine.write("/sys/fs/cgroup/pod/app/memory.max", "max\n");
  machine.write("/sys/fs/cgroup/pod/memory.max", "1000000\n");
  machine.write("/sys/fs/cgroup/pod/memory.current", "700000\n");
  machine.write("/sys/fs/cgroup/pod/memory.stat",
                "anon 100000\nfile 600000\ninactive_file 300000\nactive_file 100000\n");
  machine.write("/sys/fs/cgroup/pod/app/memory.events", "low 0\nhigh 0\nmax 7\noom 2\noom_kill 2\n");
  const auto limits = machine.reader().memory();
  REQUIRE(limits.size() == 1);
  CHECK(limits[0].most == 1000000);
  CHECK(limits[0].used == 300000);
  CHECK(limits[0].left() == 700000);
  CHECK(limits[0].file == "/sys/fs/cgroup/pod/memory.max");
  CHECK(limits[0].swap_left > 1'000'000'000);
  machine.write("/sys/fs/cgroup/pod/memory.swap.max", "max\n");
  CHECK(machine.reader().memory().front().swap_left > 1'000'000'000);
  machine.write("/sys/fs/cgroup/pod/memory.swap.max", "50000\n");
  machine.write("/sys/fs/cgroup/pod/memory.swap.current", "20000\n");
  CHECK(machine.reader().memory().front().swap_left == 30000);
  machine.write("/sys/fs/cgroup/pod/memory.swap.max", "0\n");
  CHECK(machine.reader().memory().front().swap_left == 0);
  CHECK(machine.reader().out_of_memory_kills() == 2);
}

TEST_CASE("memory limits of version 1 are read") {
  Machine machine(kVersion1Memberships, kVersion1Mounts);
  const std::string folder = "/sys/fs/cgroup/memory/process_api/682eb2";
  machine.write(folder + "/memory.limit_in_bytes", "5000\n");
  machine.write(folder + "/memory.usage_in_bytes", "4000\n");
  machine.write(folder + "/memory.stat", "inactive_file 1\ntotal_inactive_file 500\ntotal_active_file 1500\n");
  machine.write(folder + "/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  machine.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const auto limits = machine.reader().memory();
  REQUIRE(limits.size() == 1);
  CHECK(limits[0].most == 5000);
  CHECK(limits[0].used == 2000);
  CHECK(limits[0].swap_left > 1'000'000'000);
  machine.write(folder + "/memory.memsw.limit_in_bytes", "7000\n");
  machine.write(folder + "/memory.memsw.usage_in_bytes", "5500\n");  // 2000 are files, and 1500 are swapped
  CHECK(machine.reader().memory().front().swap_left == 500);
  machine.write(folder + "/memory.memsw.usage_in_bytes", "6900\n");
  CHECK(machine.reader().memory().front().swap_left == 0);
  CHECK(machine.reader().out_of_memory_kills() == 3);
}

TEST_CASE("limits on threads and processes are read on each level") {
  Machine machine("0::/a/b\n", kVersion2Mounts);
  machine.write("/sys/fs/cgroup/a/pids.max", "20\n");
  machine.write("/sys/fs/cgroup/a/pids.current", "20\n");
  machine.write("/sys/fs/cgroup/a/b/pids.max", "100\n");
  machine.write("/sys/fs/cgroup/a/b/pids.current", "19\n");
  const auto limits = machine.reader().tasks();
  REQUIRE(limits.size() == 2);
  CHECK(limits[0].left() == 81);
  CHECK(limits[1].left() == 0);
  CHECK(limits[1].file == "/sys/fs/cgroup/a/pids.max");
}

TEST_CASE("a CPU quota is rounded up to whole cores") {
  const std::map<std::string, std::optional<std::uint64_t>> quotas{
      {"max 100000\n", std::nullopt}, {"100000 100000\n", 1}, {"150000 100000\n", 2},     {"1000 100000\n", 1},
      {"400000 100000\n", 4},         {"", std::nullopt},     {"100000\n", std::nullopt}, {"0 0\n", std::nullopt}};
  for (const auto& quota : quotas) {
    Machine machine("0::/a\n", kVersion2Mounts);
    machine.write("/sys/fs/cgroup/a/cpu.max", quota.first);
    CHECK_MESSAGE(machine.reader().cores() == quota.second, quota.first);
  }
  Machine nested("0::/a/b\n", kVersion2Mounts);
  nested.write("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  nested.write("/sys/fs/cgroup/a/b/cpu.max", "800000 100000\n");
  CHECK(nested.reader().cores() == 2);
  Machine version_1(kVersion1Memberships, kVersion1Mounts);
  version_1.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  version_1.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  CHECK_FALSE(version_1.reader().cores());
  version_1.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n");
  CHECK(version_1.reader().cores() == 3);
}

TEST_CASE("a machine without cgroups has no limits") {
  const cgroup::Reader reader([](const std::string&) { return std::string(); });
  CHECK(reader.memory().empty());
  CHECK(reader.tasks().empty());
  CHECK_FALSE(reader.cores());
  CHECK(reader.out_of_memory_kills() == 0);
}
