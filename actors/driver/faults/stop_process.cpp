#include "actors/driver/faults/stop_process.hpp"

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "runtime/clock.hpp"
#include "runtime/processes/kernel_file.hpp"

namespace troupe {
namespace {

bool stands(const std::filesystem::path& task) {
  const std::string text = read_kernel_file((task / "stat").string());
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || text.substr(name_end, 3) == ") T";
}

}  // namespace

bool is_stopped(int pid) {
  std::error_code ended;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", ended))
    if (!stands(task.path())) return false;
  return true;
}

void stop_process(int pid) {
  ::kill(pid, SIGSTOP);
  const Deadline deadline(std::chrono::seconds(1));
  while (!is_stopped(pid) && !deadline.passed()) Clock::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace troupe
