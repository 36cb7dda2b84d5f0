#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include "fuzz/actors/message_kinds.hpp"
#include "fuzz/support.hpp"

using namespace troupe;
using fuzz::Messages;

namespace {

std::vector<char> written(const auto& message) {
  std::vector<char> bytes;
  caf::binary_serializer sink(nullptr, bytes);
  fuzz::expect(!sink(message), "what was read can be written");
  return bytes;
}

template <class Message>
void read(const std::string& bytes) {
  Message message;
  caf::binary_deserializer source(nullptr, bytes.data(), bytes.size());
  if (source(message)) return;
  const std::vector<char> first = written(message);
  Message again;
  caf::binary_deserializer second(nullptr, first.data(), first.size());
  fuzz::expect(!second(again) && written(again) == first, "a message is read as it was written");
}

template <std::size_t... kIndex>
void read(std::size_t kind, const std::string& bytes, std::index_sequence<kIndex...> /*all*/) {
  ((kind == kIndex ? read<std::tuple_element_t<kIndex, Messages>>(bytes) : void()), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  constexpr std::size_t kKinds = std::tuple_size_v<Messages>;
  const std::size_t kind = input.number<std::uint8_t>() % kKinds;
  read(kind, input.text(), std::make_index_sequence<kKinds>());
  return 0;
}
