#include "fuzz/support.hpp"
#include "models/files/network_text.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::may_refuse(
      [&] {
        const NetworkText network = network_from_json("a file", text);
        const std::string again = to_json(network);
        // Numbers may be written with more digits than in the input.
        if (!again.empty())
          fuzz::expect(to_json(network_from_json("a file", again)) == again, "the network is read as it was written");
      },
      {ErrorCode::bad_file});
  return 0;
}
