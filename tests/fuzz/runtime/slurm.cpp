#include "runtime/processes/slurm.hpp"

#include "fuzz/support.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  // An input is a list of hosts, followed by the lines of an environment.
  const std::string list = input.text_until('\n');
  fuzz::may_refuse([&] { fuzz::expect(!first_slurm_host(list).empty(), "a host has a name"); },
                   {ErrorCode::invalid_argument});
  std::map<std::string, std::string> environment{{"SLURM_STEP_NODELIST", list}};
  while (!input.empty()) {
    const std::string line = input.text_until('\n');
    const auto equals = std::min(line.find('='), line.size());
    environment["SLURM_" + line.substr(0, equals)] = line.substr(std::min(equals + 1, line.size()));
  }
  fuzz::may_refuse(
      [&] {
        const auto task = find_slurm_task(environment);
        if (!task) return;
        fuzz::expect(task->rank >= 0 && task->rank < task->tasks, "a rank is one of the tasks'");
        fuzz::expect(task->port >= 20000 && task->port < 30000, "the port is in Troupe's range");
      },
      {ErrorCode::invalid_argument});
  return 0;
}
