#include "runtime/processes/cgroup.hpp"

#include "fuzz/support.hpp"

using namespace troupe;

// The kernel's files about cgroups, which a container runtime may replace by other files: any text is possible.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::string memberships = input.text_until('\f');
  const std::string mounts = input.text_until('\f');
  const std::string content = input.text_until('\f');
  for (const char* controller : {"memory", "pids", "cpu"})
    for (const std::string& folder : cgroup::folders(memberships, mounts, controller))
      fuzz::expect(folder.starts_with('/'), "a folder is an absolute path");
  const cgroup::Reader reader([&](const std::string& path) {
    if (path == "/proc/self/cgroup") return memberships;
    return path == "/proc/self/mountinfo" ? mounts : content;
  });
  for (const cgroup::Limit& limit : reader.memory())
    fuzz::expect(limit.left() <= limit.most, "no more than the limit is left");
  reader.tasks();
  fuzz::expect(reader.cores().value_or(1) >= 1, "a quota allows at least one core");
  reader.out_of_memory_kills();
  return 0;
}
