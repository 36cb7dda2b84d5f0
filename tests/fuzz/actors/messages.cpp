#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include "actors/placements/cluster/join_check.hpp"
#include "actors/rounds/reply_checks.hpp"
#include "actors/transport/admission/message_shapes.hpp"
#include "fuzz/actors/message_kinds.hpp"
#include "fuzz/support.hpp"
#include "runtime/printable.hpp"

using namespace troupe;
using fuzz::Messages;

namespace {

std::vector<char> written(const auto& message) {
  std::vector<char> bytes;
  caf::binary_serializer sink(nullptr, bytes);
  fuzz::expect(!sink(message), "a message that was read can be written");
  return bytes;
}

constexpr Range kShards{1, 4};
constexpr int kTensors = 3;
constexpr int kStateVectors = 2;
constexpr std::size_t kTexts = 2;
constexpr std::size_t kSums = 3;
constexpr RunLimits kLimits{.shards = 100, .replicas = 10, .members = 3};

/// The functions `use` access each reply as the driver does after the check.
void use(const Built& built) {
  check_reply(built, 1, {});
  fuzz::expect(built.replicas.size() == 1 && !built.tensor_names.empty(), "there is a replica with tensors");
  std::uint64_t floats = 0;
  for (std::size_t i = 0; i < built.tensor_names.size(); ++i)
    floats += TensorInfo{built.tensor_names[i], built.tensor_shapes[i]}.size();
  fuzz::expect(floats > 0 && floats <= built.replicas[0].size, "tensors fit into the model");
}

std::int64_t sum(const std::vector<std::int32_t>& shards, const std::vector<std::int64_t>& of_each) {
  std::vector<std::int64_t> all(kShards.end);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) total += all[static_cast<std::size_t>(shards[i])] = of_each[i];
  return total;
}

void use(const Computed& computed) {
  check_reply(computed, kShards, {});
  fuzz::expect(sum(computed.shards, computed.samples) >= 0, "samples add up");
}

void use(const MeanReduced& reduced) {
  check_reply(reduced, kSums, {});
  for (const std::uint64_t bits : reduced.square_bits) fuzz::expect(!(from_bits(bits) < 0), "squares are not negative");
  fuzz::expect(reduced.bytes_sent >= 0, "bytes are not negative");
}

void use(const Applied& applied) {
  check_reply(applied, {});
  fuzz::expect(from_bits(applied.reduce_bits) >= 0 && applied.bytes_sent >= 0, "times and bytes are not negative");
}

void use(const NonFinite& found) {
  check_reply(found, kTensors, kStateVectors, {});
  fuzz::expect(found.tensor >= -1 && found.tensor <= kTensors, "it is a tensor of the run, padding, or no tensor");
  fuzz::expect(found.part >= 0 && found.part < NonFinite::kState + kStateVectors, "it is a part of the state");
}

void use(const Found& found) { use(found.non_finite); }

void use(const Evaluated& evaluated) {
  check_reply(evaluated, kShards, {.confusion = true, .top_k = 5, .errors = true}, {});
  fuzz::expect(evaluated.measure_bytes <= kMostTextBytes, "measures fit into the memory limit");
  fuzz::expect(sum(evaluated.shards, evaluated.correct) <= sum(evaluated.shards, evaluated.samples),
               "there are no more hits than samples");
}

void use(const Called& called) {
  check_reply(called, kTexts, {});
  const std::uint64_t first = called.text_bytes.at(0);
  fuzz::expect(first <= kMostTextBytes && called.text_bytes.at(1) <= kMostTextBytes - first,
               "texts fit into the limit");
}

void use(const NodeJoin& join) {
  fuzz::expect(is_printable(join_problem(join, "10.0.0.1"), 1000), "the error about a join is printable");
}

void use(const auto& /*other*/) {}

/// Checks that CAF reads every byte of a message that the admission accepts.
template <class Message>
void admit(const std::string& bytes) {
  const MessageKind kind = kind_of(caf::type_name_by_id<caf::type_id<Message>::value>::value).value();
  if (!well_formed(kind, std::as_bytes(std::span(bytes)), kLimits)) return;
  Message message;
  caf::binary_deserializer source(nullptr, bytes.data(), bytes.size());
  fuzz::expect(!source(message), "a well-formed message can be read");
  const std::vector<char> again = written(message);
  fuzz::expect(std::string(again.begin(), again.end()) == bytes, "a well-formed message is as CAF writes it");
  fuzz::expect(bytes.size() <= largest_fields(kind, kLimits), "a message is no larger than the limit of its kind");
}

template <class Message>
void read(const std::string& bytes) {
  admit<Message>(bytes);
  Message message;
  caf::binary_deserializer source(nullptr, bytes.data(), bytes.size());
  if (source(message)) return;
  fuzz::may_refuse([&] { use(message); }, {ErrorCode::protocol, ErrorCode::model_failed});
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
