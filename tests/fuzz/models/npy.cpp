#include "models/files/npy.hpp"

#include "fuzz/support.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputInFile file;
  const std::string& path = file.hold(std::as_bytes(std::span(data, size)));
  fuzz::may_refuse(
      [&] {
        const NumberArray array = read_npy(path);
        std::int64_t elements = 1;
        for (const std::int64_t length : array.shape) elements *= length;
        fuzz::expect(elements == array.size(), "the number of elements matches the shape");
        fuzz::expect(static_cast<std::int64_t>(array.floats().size()) == elements,
                     "there are as many floats as elements");
        if (array.is_integer())
          fuzz::expect(static_cast<std::int64_t>(array.integers().size()) == elements,
                       "there are as many integers as elements");
      },
      {ErrorCode::bad_file});
  return 0;
}
