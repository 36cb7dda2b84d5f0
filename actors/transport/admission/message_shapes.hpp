#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace troupe {

/// What driver and nodes say to each other; `actors/messages/messages.hpp` has the fields.
enum class MessageKind : std::uint8_t {
  // To the driver.
  node_join,
  join,
  built,
  computed,
  applied,
  task_done,
  // To a node.
  start_worker,
  begin_generation,
  node_task,
  // To a worker.
  build,
  attach,
  compute,
  apply,
  task,
};

/// What bounds the lists in messages.
struct RunLimits {
  std::size_t shards = 1'000'000;
  std::size_t replicas = 4096;
  std::size_t members = 1025;  ///< nodes and the driver
};

/// Of any text in a message, in bytes; errors of models are cut to it.
inline constexpr std::size_t kLongestText = 4096;
/// Of a text that the user of the driver writes for all workers, such as `Options::config`.
inline constexpr std::size_t kLongestSetting = std::size_t{1} << 20;
/// Of a model, whose description is the one long reply.
inline constexpr std::size_t kMostTensors = 100'000;
inline constexpr std::size_t kMostDimensions = 32;
inline constexpr std::size_t kLongestModelName = 1000;  ///< of a tensor or of a layout
inline constexpr std::size_t kLongestDescription = std::size_t{4} << 20;
inline constexpr std::size_t kMostTensorBytes = std::size_t{3} << 20;  ///< names and shapes in it

/// How many values TaskKind and NodeTaskKind have.
inline constexpr std::uint8_t kTaskKinds = 10;
inline constexpr std::uint8_t kNodeTaskKinds = 9;

/// The kind that a type has by CAF's name of it; none where it is no message of ours.
std::optional<MessageKind> kind_of(std::string_view type);

/// Whether `fields` are exactly one message of the kind, with lists that a run can have.
bool well_formed(MessageKind kind, std::span<const std::byte> fields, const RunLimits& limits);

/// What the fields of a message take at most, in bytes.
std::size_t largest_fields(MessageKind kind, const RunLimits& limits);

}  // namespace troupe
