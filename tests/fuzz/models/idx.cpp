#include "models/files/idx.hpp"

#include "fuzz/support.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputInFile file;
  const std::string& path = file.hold(std::as_bytes(std::span(data, size)));
  fuzz::may_refuse(
      [&] {
        const NumberArray array = read_idx(path);
        std::int64_t elements = 1;
        for (const std::int64_t length : array.shape) elements *= length;
        fuzz::expect(array.size() == elements, "the number of elements matches the shape");
      },
      {ErrorCode::bad_file});
  return 0;
}
