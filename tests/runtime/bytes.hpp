#pragma once

#include <cstddef>
#include <initializer_list>
#include <random>
#include <vector>

namespace troupe_test {

using Bytes = std::vector<std::byte>;

inline std::size_t random_below(std::mt19937& random, std::size_t end) { return random() % end; }

inline Bytes random_bytes(std::mt19937& random, std::size_t size) {
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random() & 0xff);
  return bytes;
}

inline Bytes& operator+=(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}
/// Returns the concatenation of the pieces.
inline Bytes joined(std::initializer_list<Bytes> pieces) {
  Bytes all;
  for (const Bytes& piece : pieces) all += piece;
  return all;
}

}  // namespace troupe_test
