#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include "actors/reply_checks.hpp"
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

constexpr int kShards = 4;

/// As the driver uses what has passed its check.
void use(const Built& built) {
  fuzz::may_refuse(
      [&] {
        check_reply(built, {});
        fuzz::expect(!built.replicas.empty(), "there is a replica");
        for (std::size_t i = 0; i < built.tensor_names.size(); ++i)
          fuzz::expect(built.tensor_shapes[i].size() < SIZE_MAX, "a tensor has a shape");
      },
      {ErrorCode::protocol});
}

void use(const auto& reply) requires requires { reply.loss_bits; }
{
  fuzz::may_refuse(
      [&] {
        check_reply(reply, kShards, {});
        std::vector<std::uint64_t> losses(kShards);
        for (std::size_t i = 0; i < reply.shards.size(); ++i) {
          losses[static_cast<std::size_t>(reply.shards[i])] =
              reply.loss_bits[i] + static_cast<std::uint64_t>(reply.samples[i]);
        }
      },
      {ErrorCode::protocol});
}

void use(const auto& /*other*/) {}

template <class Message>
void read(const std::string& bytes) {
  Message message;
  caf::binary_deserializer source(nullptr, bytes.data(), bytes.size());
  if (source(message)) return;
  use(message);
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
