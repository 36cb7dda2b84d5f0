#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/clock.hpp"
#include "troupe/error.hpp"

// Limits on texts, lists and numbers in messages. A message that exceeds a limit is rejected.
namespace troupe {

/// Returns the deadline of a request that has a timeout, counted from now: the time until which the driver waits for
/// the reply.
template <class Request>
Deadline deadline_of(const Request& request) {
  return Deadline(std::chrono::milliseconds(request.timeout_ms));
}

/// The largest number of floats in a flat vector.
inline constexpr std::uint64_t kMostModelFloats = std::uint64_t{1} << 48;

/// Limits on the lengths of lists in messages of a run.
struct RunLimits {
  std::size_t shards = 1'000'000;
  std::size_t replicas = 4096;
  std::size_t members = 1025;  ///< the largest number of nodes plus one for the driver
};

/// The largest number of bytes of a text in a message. A longer error message of a model is cut off.
inline constexpr std::size_t kLongestText = 4096;
/// The largest number of bytes of a text that the driver's user writes for all workers, such as `Options::config`.
inline constexpr std::size_t kLongestSetting = std::size_t{1} << 20;
inline constexpr std::size_t kLongestHost = 255;
inline constexpr std::size_t kTokenBytes = 16;
/// The largest number of tensors of a model.
inline constexpr std::size_t kMostTensors = 100'000;
inline constexpr std::size_t kMostDimensions = 32;
inline constexpr std::size_t kLongestModelName =
    1000;  ///< the largest number of bytes in the name of a tensor or layout
inline constexpr std::size_t kLongestDescription = std::size_t{4} << 20;
/// The largest total number of bytes of the names and shapes of all tensors in a model's description.
inline constexpr std::size_t kMostTensorBytes = std::size_t{3} << 20;
/// The largest number of bytes of a function's argument. It is also the largest total number of bytes that functions
/// return on one worker in one call.
inline constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;
/// The largest number of metrics of a model.
inline constexpr std::size_t kMostMetrics = 64;
/// The largest number of vectors of the state in a copy, and of pieces into which such a copy is divided.
inline constexpr std::size_t kMostCopiedVectors = 64;
inline constexpr std::size_t kMostPieces = std::size_t{1} << 16;
/// The largest number of buffers of the state at one time: the committed buffer, the buffer that is being written, and
/// the buffers of pinned versions.
inline constexpr std::size_t kMostBuffers = 16;

/// In an asynchronous algorithm, the largest number of gradients per shard that a worker computes between two pushes or
/// between two fetches.
inline constexpr int kMostGradients = 1'000'000;
/// In local SGD, the largest number of steps that a shard makes between two averages of the copies.
inline constexpr int kMostLocalSteps = 10'000;

/// The largest number of pairs that L-BFGS stores.
inline constexpr int kMostHistory = 100;
/// The largest number of the vectors of L-BFGS: two per pair, the next direction and the gradient.
inline constexpr std::size_t kMostHistoryVectors = 2 * kMostHistory + 2;
/// The largest number of portions that the options of L-BFGS can request.
inline constexpr int kMostPortions = 10'000;
/// The largest number of partial sums per scalar product that a worker reports in L-BFGS. The flat vector is divided
/// into pieces, which are the leaves of a fixed tree. A worker reports one sum for each of the largest complete
/// subtrees that together cover its slice.
inline constexpr std::size_t kMostPieceSubtrees = 12;

/// The kinds of limits on texts and lists in messages. Some of these limits are numbers of the run (RunLimits), and the
/// others are constants.
enum class Bound : std::uint8_t {
  text,
  setting,
  host,
  token,  ///< a text of exactly kTokenBytes bytes
  shards,
  replicas,
  members,
  tensors,
  dimensions,
  buffers,
  metrics,
  subtrees,  ///< the complete subtrees of pages that together cover a slice
  local_steps,
  portions,  ///< the portions of all shards
  history,   ///< vectors of L-BFGS
  vectors,   ///< vectors of the state
  pieces,    ///< pieces of a copy of the state
  products,  ///< the partial sums (by subtree) of scalar products of up to three vectors with all vectors
};

/// A field of a message and the kind of its limit. `fields` passes this to the visitor in place of the field.
template <class T, Bound kBound>
struct Bounded {
  T& value;
};
template <Bound kBound, class T>
Bounded<T, kBound> at_most(T& value) {
  return {value};
}

/// The largest number of steps or updates of a run. It is far below the largest 64-bit number, so that additions do not
/// overflow.
inline constexpr std::int64_t kMostSteps = std::int64_t{1} << 60;

/// Checks numbers of steps and updates.
/// @throws Error protocol if a number is negative or above kMostSteps
inline void check_steps(std::int64_t steps, std::int64_t updates = 0) {
  if (steps < 0 || steps > kMostSteps || updates < 0 || updates > kMostSteps)
    throw Error(ErrorCode::protocol, "the number of steps or updates is out of range");
}

}  // namespace troupe
