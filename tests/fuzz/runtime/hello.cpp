#include "runtime/net/gate/hello.hpp"

#include "fuzz/support.hpp"
#include "runtime/net/data/frame.hpp"

using namespace troupe;

namespace {

/// A decoded hello contains all information, so encoding it gives the same bytes.
void hello(std::span<const std::byte, kHelloBytes> bytes) {
  const auto heard = decode_hello(bytes);
  if (!heard) return;
  const std::string why = mismatch(*heard);
  if (heard->protocol != kNetworkProtocol) return fuzz::expect(!why.empty(), "another protocol is refused");
  const auto again = encode(*heard);
  fuzz::expect(std::equal(again.begin(), again.end(), bytes.begin()), "a hello is written as it was read");
}

void frame(std::span<const std::byte, kFrameHeaderBytes> bytes) {
  const auto header = decode_frame_header(bytes);
  if (!header) return;
  const auto again = encode(*header);
  fuzz::expect(std::equal(again.begin(), again.end(), bytes.begin()), "a header is written as it was read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (size >= kHelloBytes) hello(bytes.first<kHelloBytes>());
  if (size >= kFrameHeaderBytes) frame(bytes.first<kFrameHeaderBytes>());
  return 0;
}
