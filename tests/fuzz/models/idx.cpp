#include "models/files/idx.hpp"

#include "fuzz/support.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputInFile file;
  const std::string& path = file.hold(std::as_bytes(std::span(data, size)));
  for (const int dimensions : {1, 3})
    fuzz::may_refuse(
        [&] {
          const IdxArray array = read_idx(path, dimensions);
          fuzz::expect(array.shape.size() == static_cast<std::size_t>(dimensions), "as many lengths as dimensions");
          std::int64_t bytes = 1;
          for (const std::int64_t length : array.shape) bytes *= length;
          fuzz::expect(static_cast<std::int64_t>(array.bytes.size()) == bytes, "as many bytes as the shape says");
        },
        {ErrorCode::bad_file});
  return 0;
}
