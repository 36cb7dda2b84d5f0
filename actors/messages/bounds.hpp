#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/clock.hpp"
#include "troupe/error.hpp"

// What bounds texts, lists, numbers and waiting in messages: a peer that says more is not heard.
namespace troupe {

/// Until when the driver waits for the answer to a request that says how long.
template <class Request>
Deadline deadline_of(const Request& request) {
  return Deadline(std::chrono::milliseconds(request.timeout_ms));
}

/// Of a flat vector.
inline constexpr std::uint64_t kMostModelFloats = std::uint64_t{1} << 48;

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
inline constexpr std::size_t kLongestHost = 255;
inline constexpr std::size_t kTokenBytes = 16;
/// Of a model, whose description is the one long reply.
inline constexpr std::size_t kMostTensors = 100'000;
inline constexpr std::size_t kMostDimensions = 32;
inline constexpr std::size_t kLongestModelName = 1000;  ///< of a tensor or of a layout
inline constexpr std::size_t kLongestDescription = std::size_t{4} << 20;
inline constexpr std::size_t kMostTensorBytes = std::size_t{3} << 20;  ///< names and shapes in it
/// Of what functions return on one worker in one call, and of the argument that they are given.
inline constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;
/// Of a model.
inline constexpr std::size_t kMostMetrics = 64;
/// Of the state, at a time: what is committed, what is being written, and versions that are pinned.
inline constexpr std::size_t kMostBuffers = 16;

/// Gradients of a shard that a worker computes on its own clock, from one push or fetch to the next.
inline constexpr int kMostGradients = 1'000'000;
/// Of a shard, from one mean of copies to the next.
inline constexpr int kMostLocalSteps = 10'000;

/// Pairs of vectors that L-BFGS remembers; with each of them, the direction, and the gradient.
inline constexpr int kMostHistory = 100;
inline constexpr std::size_t kMostHistoryVectors = 2 * kMostHistory + 2;
/// Portions that L-BFGS can be asked for.
inline constexpr int kMostPortions = 10'000;
/// Of fixed pieces, that tile a slice.
inline constexpr std::size_t kMostPieceSubtrees = 12;

enum class Bound : std::uint8_t {
  text,
  setting,
  host,
  token,  ///< exactly
  shards,
  replicas,
  members,
  tensors,
  dimensions,
  buffers,
  metrics,
  subtrees,  ///< of pages, that tile a slice
  local_steps,
  portions,  ///< of all shards
  history,   ///< vectors of L-BFGS
  products,  ///< of three of them with all, by subtree
};

/// A field and its bound, as `fields` names it.
template <class T, Bound kBound>
struct Bounded {
  T& value;
};
template <Bound kBound, class T>
Bounded<T, kBound> at_most(T& value) {
  return {value};
}

/// Steps and updates of a run: to which some may be added.
inline constexpr std::int64_t kMostSteps = std::int64_t{1} << 60;

/// @throws Error protocol for numbers of steps or updates that no run comes to
inline void check_steps(std::int64_t steps, std::int64_t updates = 0) {
  if (steps < 0 || steps > kMostSteps || updates < 0 || updates > kMostSteps)
    throw Error(ErrorCode::protocol, "a step that no run comes to");
}

}  // namespace troupe
