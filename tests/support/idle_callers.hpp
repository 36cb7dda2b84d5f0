#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "runtime/processes/child_process.hpp"
#include "support/temporary_folder.hpp"

namespace troupe_test {

/// Opens 200 connections to a port of 127.0.0.1 and says nothing, while this object lives. This process may have 128
/// files meanwhile.
class IdleCallers {
 public:
  explicit IdleCallers(std::uint16_t port) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{128, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    callers_ = troupe::ChildProcess::start(
        "/bin/bash",
        {"bash", "-c",
         "ulimit -Sn 512; for ((i = 0; i < 200; i++)); do while ! exec {file}<>/dev/tcp/127.0.0.1/" +
             std::to_string(port) + "; do sleep 0.01; done; done 2>/dev/null; : > " + done() + "; sleep 300"},
        {}, {});
  }
  IdleCallers(const IdleCallers&) = delete;
  IdleCallers& operator=(const IdleCallers&) = delete;
  ~IdleCallers() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  /// Whether all have called.
  bool have_called() const { return std::filesystem::exists(done()); }

 private:
  std::string done() const { return folder_ / "done"; }

  TemporaryFolder folder_;
  rlimit before_{};
  std::optional<troupe::ChildProcess> callers_;
};

}  // namespace troupe_test
