#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runtime/processes/child_process.hpp"
#include "support/few_files.hpp"
#include "support/temporary_folder.hpp"

namespace troupe_test {

/// Opens 200 connections to a port of 127.0.0.1 and sends nothing. The connections stay open during the lifetime of
/// this object, and this process may have at most 128 open files in that time.
class IdleCallers {
 public:
  explicit IdleCallers(std::uint16_t port)
      : callers_(troupe::ChildProcess::start(
            "/bin/bash",
            {"bash", "-c",
             "ulimit -Sn 512; for ((i = 0; i < 200; i++)); do while ! exec {file}<>/dev/tcp/127.0.0.1/" +
                 std::to_string(port) + "; do sleep 0.01; done; done 2>/dev/null; : > " + done() + "; sleep 300"},
            {}, {})) {}

  /// Returns whether all 200 connections are open.
  bool have_called() const { return std::filesystem::exists(done()); }

 private:
  std::string done() const { return folder_ / "done"; }

  TemporaryFolder folder_;
  FileLimit limit_{128};
  troupe::ChildProcess callers_;
};

}  // namespace troupe_test
