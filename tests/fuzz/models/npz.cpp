#include "models/files/archives/npz.hpp"

#include "fuzz/support.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputInFile file;
  const std::string& path = file.hold(std::as_bytes(std::span(data, size)));
  constexpr std::uint64_t kMost = 1 << 22;
  fuzz::may_refuse(
      [&] {
        std::uint64_t bytes = 0;
        for (const auto& [name, array] : read_npz(path, kMost)) {
          fuzz::expect(static_cast<std::uint64_t>(array.size()) * static_cast<std::uint64_t>(array.item_size) ==
                           array.bytes.size(),
                       "whole elements");
          bytes += array.bytes.size();
        }
        fuzz::expect(bytes <= kMost, "there are no more bytes than requested");
      },
      {ErrorCode::bad_file, ErrorCode::limit_reached});
  return 0;
}
