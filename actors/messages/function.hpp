#pragma once

#include <cstdint>
#include <string>

#include "actors/messages/failure.hpp"

// Messages for a user's function that runs on each worker of a trainer. The function's reports, checkpoints and result
// form a stream of bytes. The driver fetches the stream in pieces: each worker has one open request, which it answers
// as soon as the stream has new bytes.
namespace troupe {

/// A request to a worker: run a registered function on a separate thread. The reply confirms that the function has
/// started.
struct StartFunction {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;        ///< the run's number; identifies the group, together with `attempt`
  std::int32_t attempt = 1;     ///< the number of the attempt, from 1
  std::int32_t rank = 0;        ///< the worker's rank in the group
  std::int32_t local_rank = 0;  ///< rank among the workers of the same machine
  std::int32_t local_size = 1;  ///< number of workers on this machine
  std::int32_t size = 1;        ///< number of workers in the group
  std::int32_t cores = 1;       ///< the number of cores that this worker may use
  std::uint64_t seed = 0;
  std::uint64_t timeout_ms = 0;   ///< the timeout of each collective
  std::uint64_t data_memory = 0;  ///< MemoryOptions::data_bytes
  bool awaits_reports = false;    ///< ReportOptions::awaited
  std::string node;               ///< the worker's place, for error messages
  std::string name;
  std::string config;  ///< the function's configuration, as JSON
  /// The names of datasets, each ended by a zero byte. An empty name stands for a dataset that was passed by value with
  /// the function.
  std::string datasets;
};
template <class F>
auto fields(StartFunction& x, F visit) {
  return visit(x.round, x.run, x.attempt, x.rank, x.local_rank, x.local_size, x.size, x.cores, x.seed, x.timeout_ms,
               x.data_memory, x.awaits_reports, at_most<Bound::host>(x.node), x.name, at_most<Bound::setting>(x.config),
               at_most<Bound::setting>(x.datasets));
}

/// A request to a worker: store a piece of the checkpoint that the next function can load.
struct ProvideCheckpoint {
  using Reply = Done;
  std::uint64_t round = 0;
  bool first = true;  ///< discard the pieces of an earlier checkpoint
  std::string bytes;
};
template <class F>
auto fields(ProvideCheckpoint& x, F visit) {
  return visit(x.round, x.first, at_most<Bound::setting>(x.bytes));
}

struct Heard {
  std::uint64_t round = 0;
  Failure failure;           ///< the function's failure
  bool ended = false;        ///< the function has ended, and these are its last bytes
  std::int32_t blamed = -1;  ///< the rank that caused this failure; -1: none
  std::string bytes;
};
template <class F>
auto fields(Heard& x, F visit) {
  return visit(x.round, x.failure, x.ended, x.blamed, at_most<Bound::setting>(x.bytes));
}

/// A request to a worker: return the next bytes of the function's stream. The worker answers when there are some.
struct Listen {
  using Reply = Heard;
  std::uint64_t round = 0;
};
template <class F>
auto fields(Listen& x, F visit) {
  return visit(x.round);
}

/// A request to a worker: ask the function to stop. If `absent` names a rank, collectives of the function also stop
/// waiting for other ranks.
struct StopFunction {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t absent = -1;  ///< the rank that has left the group; -1: none
  /// The ErrorCode and the message with which collectives then fail.
  std::int32_t code = 0;
  std::string why;
};
template <class F>
auto fields(StopFunction& x, F visit) {
  return visit(x.round, x.absent, x.code, x.why);
}

}  // namespace troupe
