#include <sstream>

#include "cli/node_table.hpp"
#include "fuzz/byte_stream.hpp"
#include "runtime/net/gate/hello.hpp"
#include "runtime/printable.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const Deadline deadline(std::chrono::seconds(5));
  const auto table = [](const std::string& text) {
    std::istringstream lines(cli::node_table(text));
    std::string line;
    fuzz::expect(std::getline(lines, line) && line.starts_with("node"), "a table has headings");
    while (std::getline(lines, line)) fuzz::expect(is_printable(line, line.size()), "a table is printable");
  };
  fuzz::ScriptedStream said(bytes, 7);
  fuzz::may_refuse([&] { table(hear_status(said, deadline)); }, {ErrorCode::protocol, ErrorCode::worker_lost});

  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto told = encode_status(text);
  fuzz::ScriptedStream stream(told, told.size());
  fuzz::expect(hear_status(stream, deadline) == text, "a status is received as it was sent");
  fuzz::may_refuse([&] { table(text); }, {ErrorCode::protocol});
  return 0;
}
