#pragma once

#include <cstdint>
#include <string>

#include "actors/messages/failure.hpp"

// Messages for a user's function that runs on each worker of a trainer. The function's reports, checkpoints and result
// are written to a stream of bytes. The driver fetches this stream in pieces: it sends each worker a request
// (`Listen`), which the worker answers as soon as the stream has new bytes.
namespace troupe {

/// A request to a worker: start a registered function of a user on a separate thread. The reply confirms that the
/// function has started.
struct StartFunction {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;        ///< the number of the trainer's run; together with `attempt`, it identifies the group
  std::int32_t attempt = 1;     ///< the number of the attempt, from 1
  std::int32_t rank = 0;        ///< the worker's rank in the group
  std::int32_t local_rank = 0;  ///< the worker's rank among the workers of the same machine
  std::int32_t local_size = 1;  ///< the number of workers on the same machine
  std::int32_t size = 1;        ///< the number of workers in the group
  std::int32_t cores = 1;       ///< the number of cores that this worker may use
  std::int32_t gpus = 0;        ///< the number of CUDA devices that belong to this worker
  std::uint64_t seed = 0;
  std::uint64_t timeout_ms = 0;   ///< the timeout of each collective, in milliseconds
  std::uint64_t data_memory = 0;  ///< MemoryOptions::data_bytes
  bool awaits_reports = false;    ///< ReportOptions::awaited
  std::string node;               ///< the worker's place, for error messages
  std::string name;
  std::string config;  ///< the function's configuration, as JSON
  /// The names of the datasets that the function uses, each followed by a zero byte. An empty name stands for a dataset
  /// that was passed by value together with the function.
  std::string datasets;
};
template <class F>
auto fields(StartFunction& x, F visit) {
  return visit(x.round, x.run, x.attempt, x.rank, x.local_rank, x.local_size, x.size, x.cores, x.gpus, x.seed,
               x.timeout_ms, x.data_memory, x.awaits_reports, at_most<Bound::host>(x.node), x.name,
               at_most<Bound::setting>(x.config), at_most<Bound::setting>(x.datasets));
}

/// A request to a worker: store a piece of a checkpoint. When all pieces are stored, the next function can load the
/// checkpoint.
struct ProvideCheckpoint {
  using Reply = Done;
  std::uint64_t round = 0;
  bool first = true;  ///< this is the first piece: discard the pieces of an earlier checkpoint
  std::string bytes;
};
template <class F>
auto fields(ProvideCheckpoint& x, F visit) {
  return visit(x.round, x.first, at_most<Bound::setting>(x.bytes));
}

struct Heard {
  std::uint64_t round = 0;
  Failure failure;           ///< the failure with which the function has ended
  bool ended = false;        ///< the function has ended, and `bytes` are the last bytes of its stream
  std::int32_t blamed = -1;  ///< the rank that caused the failure; -1: none
  std::string bytes;
};
template <class F>
auto fields(Heard& x, F visit) {
  return visit(x.round, x.failure, x.ended, x.blamed, at_most<Bound::setting>(x.bytes));
}

/// A request to a worker: return the next bytes of the function's stream. The worker answers as soon as there are new
/// bytes, or the function ends.
struct Listen {
  using Reply = Heard;
  std::uint64_t round = 0;
};
template <class F>
auto fields(Listen& x, F visit) {
  return visit(x.round);
}

/// A request to a worker: ask the running function to stop. If `absent` is a rank, also let the function's collectives
/// fail, because this rank will no longer take part.
struct StopFunction {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t absent = -1;  ///< the rank that has left the group; -1: none
  /// The ErrorCode with which collectives then fail; `why` is the message.
  std::int32_t code = 0;
  std::string why;
};
template <class F>
auto fields(StopFunction& x, F visit) {
  return visit(x.round, x.absent, x.code, x.why);
}

}  // namespace troupe
