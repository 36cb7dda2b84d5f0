#include <doctest/doctest.h>

#include <span>
#include <string>

#include "runtime/hash.hpp"

TEST_CASE("sha256 computes the examples of FIPS 180") {
  const auto hash = [](const std::string& text) { return troupe::sha256_hex(std::as_bytes(std::span(text))); };
  CHECK(hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hash(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("checksum is the 64-bit XXH3, written as 16 hexadecimal digits") {
  const auto hash = [](const std::string& text) {
    return troupe::hex(troupe::checksum(std::as_bytes(std::span(text))));
  };
  CHECK(hash("") == "2d06800538d394c2");
  CHECK(hash("abc") == "78af5f94892f3950");
  CHECK(troupe::hex(0x1f) == "000000000000001f");
}
