#include "actors/messages/options_json.hpp"
#include "fuzz/support.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::may_refuse(
      [&] {
        const std::string again = to_json(optimizer_from_json(text));
        fuzz::expect(to_json(optimizer_from_json(again)) == again, "options are read as they were written");
      },
      {ErrorCode::protocol});
  return 0;
}
