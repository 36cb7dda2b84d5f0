#include "fuzz/actors/message_seeds.hpp"

#include <caf/binary_serializer.hpp>

#include "fuzz/actors/message_kinds.hpp"

namespace troupe::fuzz {
namespace {

template <class Message>
std::string seed(std::size_t kind, const Message& message) {
  std::vector<char> bytes;
  caf::binary_serializer sink(nullptr, bytes);
  if (sink(message)) throw Error(ErrorCode::system, "a message cannot be written");
  return static_cast<char>(kind) + std::string(bytes.begin(), bytes.end());
}

}  // namespace

std::vector<std::string> message_seeds() {
  std::vector<std::string> seeds;
  const auto add = [&](const auto&... message) { (seeds.push_back(seed(seeds.size(), message)), ...); };
  std::apply(add, filled_messages());
  return seeds;
}

}  // namespace troupe::fuzz
