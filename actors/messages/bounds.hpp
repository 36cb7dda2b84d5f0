#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/clock.hpp"
#include "troupe/error.hpp"

// Limits on texts, lists, numbers and waiting times in messages. A message beyond a limit is rejected.
namespace troupe {

/// Returns the time until which the driver waits for the reply to a request with a timeout.
template <class Request>
Deadline deadline_of(const Request& request) {
  return Deadline(std::chrono::milliseconds(request.timeout_ms));
}

/// The largest number of floats in a flat vector.
inline constexpr std::uint64_t kMostModelFloats = std::uint64_t{1} << 48;

/// Limits on the lists in messages.
struct RunLimits {
  std::size_t shards = 1'000'000;
  std::size_t replicas = 4096;
  std::size_t members = 1025;  ///< nodes and the driver
};

/// The largest number of bytes of a text in a message. Longer error messages of models are cut.
inline constexpr std::size_t kLongestText = 4096;
/// The largest number of bytes of a text that the driver's user writes for all workers, such as `Options::config`.
inline constexpr std::size_t kLongestSetting = std::size_t{1} << 20;
inline constexpr std::size_t kLongestHost = 255;
inline constexpr std::size_t kTokenBytes = 16;
/// The largest number of tensors of a model. Among the replies, only a model's description is long.
inline constexpr std::size_t kMostTensors = 100'000;
inline constexpr std::size_t kMostDimensions = 32;
inline constexpr std::size_t kLongestModelName = 1000;  ///< bytes of the name of a tensor or layout
inline constexpr std::size_t kLongestDescription = std::size_t{4} << 20;
/// The largest number of bytes of all names and shapes in a description.
inline constexpr std::size_t kMostTensorBytes = std::size_t{3} << 20;
/// The largest number of bytes of a function's argument. Also limits the bytes that functions return on one worker in
/// one call.
inline constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;
/// The largest number of metrics of a model.
inline constexpr std::size_t kMostMetrics = 64;
/// The largest number of buffers of the state at one time: the committed buffer, the buffer that is being written, and
/// the buffers of pinned versions.
inline constexpr std::size_t kMostBuffers = 16;

/// The largest number of gradients of a shard that a worker of an asynchronous algorithm computes between two pushes or
/// fetches.
inline constexpr int kMostGradients = 1'000'000;
/// The largest number of local steps of a shard between two averages of the copies.
inline constexpr int kMostLocalSteps = 10'000;

/// The largest number of pairs that L-BFGS remembers. In addition, the state has the next direction and the gradient.
inline constexpr int kMostHistory = 100;
inline constexpr std::size_t kMostHistoryVectors = 2 * kMostHistory + 2;
/// The largest number of portions that the options of L-BFGS can request.
inline constexpr int kMostPortions = 10'000;
/// The largest number of complete subtrees of pieces that together cover a slice.
inline constexpr std::size_t kMostPieceSubtrees = 12;

enum class Bound : std::uint8_t {
  text,
  setting,
  host,
  token,  ///< exactly this size
  shards,
  replicas,
  members,
  tensors,
  dimensions,
  buffers,
  metrics,
  subtrees,  ///< complete subtrees of pages that together cover a slice
  local_steps,
  portions,  ///< portions of all shards
  history,   ///< vectors of L-BFGS
  products,  ///< scalar products of up to three vectors with all vectors, by subtree
};

/// A field and its bound, as `fields` passes them to the visitor.
template <class T, Bound kBound>
struct Bounded {
  T& value;
};
template <Bound kBound, class T>
Bounded<T, kBound> at_most(T& value) {
  return {value};
}

/// The largest number of steps or updates of a run. The limit leaves room for additions without overflow.
inline constexpr std::int64_t kMostSteps = std::int64_t{1} << 60;

/// @throws Error protocol if a number is negative or above kMostSteps
inline void check_steps(std::int64_t steps, std::int64_t updates = 0) {
  if (steps < 0 || steps > kMostSteps || updates < 0 || updates > kMostSteps)
    throw Error(ErrorCode::protocol, "the number of steps or updates is out of range");
}

}  // namespace troupe
