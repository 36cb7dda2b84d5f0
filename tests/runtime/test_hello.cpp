#include <doctest/doctest.h>

#include <random>

#include "runtime/net/data/frame.hpp"
#include "runtime/net/gate/hello.hpp"

using namespace troupe;

namespace {

Hello filled() {
  Hello hello = make_hello(Purpose::data);
  hello.run = 0x0123456789abcdef;
  hello.generation = ~0ull;
  for (std::size_t i = 0; i < hello.token.size(); ++i) hello.token[i] = static_cast<std::byte>(i * 17);
  hello.node = -2;
  hello.stream = 3;
  return hello;
}

}  // namespace

TEST_CASE("a hello is read as it was written") {
  const Hello hello = filled();
  const auto read = decode_hello(encode(hello));
  REQUIRE(read.has_value());
  CHECK(encode(*read) == encode(hello));
  CHECK(read->node == -2);
  CHECK(read->generation == ~0ull);
  CHECK(mismatch(*read).empty());
}

TEST_CASE("the mismatch of another protocol or version is described") {
  Hello hello = filled();
  hello.protocol = 2;
  auto bytes = encode(hello);
  bytes.back() = std::byte{1};  // the other protocol may use reserved bytes
  const auto read = decode_hello(bytes);
  REQUIRE(read.has_value());
  CHECK(mismatch(*read).find("protocol 2") != std::string::npos);
  Hello old = filled();
  old.version = {'0', '.', '0'};
  CHECK(mismatch(*decode_hello(encode(old))).find("the connecting side runs Troupe 0.0") != std::string::npos);
}

TEST_CASE("invalid bytes are not a hello") {
  const auto good = encode(filled());
  const auto changed = [&](std::size_t at, int value) {
    auto bytes = good;
    bytes[at] = static_cast<std::byte>(value);
    return decode_hello(bytes).has_value();
  };
  CHECK_FALSE(changed(0, 0));
  CHECK_FALSE(changed(7, 0));
  CHECK_FALSE(changed(12, 0));  // purpose
  CHECK_FALSE(changed(12, 6));
  CHECK_FALSE(changed(16, 0));  // a version that is empty, has control characters or bytes after its end
  CHECK_FALSE(changed(16, '\n'));
  CHECK_FALSE(changed(39, 'x'));
  CHECK_FALSE(changed(95, 1));  // reserved
  CHECK(changed(90, 0));
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::array<std::byte, kHelloBytes> bytes;
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    CHECK_FALSE(decode_hello(bytes).has_value());
  }
}

TEST_CASE("a frame header is read as it was written, and invalid headers are refused") {
  const FrameHeader header{0x89abcdef, 0xfffffffe, 0xfedcba9876543210, 1ull << 40};
  auto bytes = encode(header);
  CHECK(decode_frame_header(bytes) == header);
  CHECK(bytes[8] == std::byte{0xef});  // lowest byte first
  for (std::size_t i = 0; i < 8; ++i) {
    auto bad = bytes;
    bad[i] ^= std::byte{1};
    CHECK_FALSE(decode_frame_header(bad).has_value());
  }
}
