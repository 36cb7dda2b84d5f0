#include <doctest/doctest.h>

#include "runtime/net/address.hpp"
#include "support/errors.hpp"

using namespace troupe;

TEST_CASE("addresses are parsed and written") {
  CHECK(Address::parse("10.0.0.1:80") == Address{"10.0.0.1", 80});
  CHECK(Address::parse("node-1.local:0") == Address{"node-1.local", 0});
  CHECK(Address::parse("[::1]:65535") == Address{"::1", 65535});
  for (const char* text : {"10.0.0.1:80", "[::1]:7", "name:0"}) CHECK(Address::parse(text).text() == text);
}

TEST_CASE("invalid addresses are refused") {
  for (const char* text : {"", "host", ":80", "[]:80", "host:", "host:x", "host:65536", "host:-1", "host:80x", "::1:80",
                           "a b:80", "a\n:80"}) {
    CAPTURE(text);
    CHECK(code_of([&] { Address::parse(text); }) == ErrorCode::invalid_argument);
  }
  CHECK(code_of([] { Address::parse("host:0", 1); }) == ErrorCode::invalid_argument);
}

TEST_CASE("an address to listen at may omit the port") {
  CHECK(parse_listen("10.0.0.1") == Address{"10.0.0.1", 0});
  CHECK(parse_listen("10.0.0.1:80") == Address{"10.0.0.1", 80});
  CHECK(parse_listen("[::1]") == Address{"::1", 0});
  for (const char* text : {"", ":80", "::1", "host:x"})
    CHECK(code_of([&] { parse_listen(text); }) == ErrorCode::invalid_argument);
}
