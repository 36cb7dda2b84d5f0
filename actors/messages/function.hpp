#pragma once

#include <cstdint>
#include <string>

#include "actors/messages/failure.hpp"

// A user's function on each worker of a trainer. What it reports, saves and returns is a stream of bytes, which the
// driver asks for in pieces: one question at a time of each worker, answered when there is something to say.
namespace troupe {

/// To a worker: run a registered function, on a thread of its own. The answer says that it has begun.
struct StartFunction {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t run = 0;        ///< with the attempt, it names the group
  std::int32_t attempt = 1;     ///< from 1 on
  std::int32_t rank = 0;        ///< in the group
  std::int32_t local_rank = 0;  ///< among those of the worker's machine
  std::int32_t local_size = 1;  ///< of these there are so many
  std::int32_t size = 1;        ///< of the group
  std::int32_t cores = 1;       ///< that are the worker's
  std::uint64_t seed = 0;
  std::uint64_t timeout_ms = 0;   ///< of each collective
  std::uint64_t data_memory = 0;  ///< MemoryOptions::data_bytes
  bool awaits_reports = false;    ///< ReportOptions::awaited
  std::string node;               ///< as errors name the worker's place
  std::string name;
  std::string config;    ///< JSON
  std::string datasets;  ///< names, each ended by a zero byte; an empty one is lent with the function, by value
};
template <class F>
auto fields(StartFunction& x, F visit) {
  return visit(x.round, x.run, x.attempt, x.rank, x.local_rank, x.local_size, x.size, x.cores, x.seed, x.timeout_ms,
               x.data_memory, x.awaits_reports, at_most<Bound::host>(x.node), x.name, at_most<Bound::setting>(x.config),
               at_most<Bound::setting>(x.datasets));
}

/// To a worker: a piece of the checkpoint that the next function can load.
struct ProvideCheckpoint {
  using Reply = Done;
  std::uint64_t round = 0;
  bool first = true;  ///< what there was before goes
  std::string bytes;
};
template <class F>
auto fields(ProvideCheckpoint& x, F visit) {
  return visit(x.round, x.first, at_most<Bound::setting>(x.bytes));
}

struct Heard {
  std::uint64_t round = 0;
  Failure failure;           ///< of the function
  bool ended = false;        ///< the function has, and these are its last bytes
  std::int32_t blamed = -1;  ///< it failed since another rank did: which
  std::string bytes;
};
template <class F>
auto fields(Heard& x, F visit) {
  return visit(x.round, x.failure, x.ended, x.blamed, at_most<Bound::setting>(x.bytes));
}

/// To a worker: say what the function has to say, once there is something.
struct Listen {
  using Reply = Heard;
  std::uint64_t round = 0;
};
template <class F>
auto fields(Listen& x, F visit) {
  return visit(x.round);
}

/// To a worker: the function is to stop, and, where a rank is named, nobody waits for others in collectives any more.
struct StopFunction {
  using Reply = Done;
  std::uint64_t round = 0;
  std::int32_t absent = -1;  ///< the rank that comes no more
  std::int32_t code = 0;
  std::string why;
};
template <class F>
auto fields(StopFunction& x, F visit) {
  return visit(x.round, x.absent, x.code, x.why);
}

}  // namespace troupe
