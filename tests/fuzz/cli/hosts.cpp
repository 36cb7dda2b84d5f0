#include "cli/hosts_file.hpp"
#include "fuzz/support.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputInFile file;
  const std::string& path = file.hold(std::as_bytes(std::span(data, size)));
  fuzz::may_refuse(
      [&] {
        const auto hosts = cli::read_hosts(path);
        fuzz::expect(!hosts.empty(), "there is a host");
        for (const std::string& host : hosts)
          fuzz::expect(!host.empty() && host.front() != '-' && host.find_first_of(" \t\r\n;&|$`'\"\\<>()") == host.npos,
                       "a host is not an option and contains no shell command");
      },
      {ErrorCode::bad_file});
  return 0;
}
