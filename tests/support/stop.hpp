#pragma once

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/patience.hpp"

namespace troupe_test {

/// Whether each thread of a process stands.
inline bool is_stopped(pid_t pid) {
  const auto stands = [](const std::filesystem::path& task) {
    std::ifstream file(task / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t name_end = text.rfind(')');
    return name_end != text.npos && text.substr(name_end, 3) == ") T";
  };
  const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(pid) + "/task");
  return std::all_of(begin(tasks), end(tasks), [&](const auto& task) { return stands(task.path()); });
}

/// Stops a process, and returns when each of its threads stands.
inline void stop(pid_t pid) {
  ::kill(pid, SIGSTOP);
  CHECK(comes_true([&] { return is_stopped(pid); }));
}

}  // namespace troupe_test
