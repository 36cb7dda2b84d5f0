#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/failure.hpp"

namespace troupe {

struct Called {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::uint64_t> text_bytes;  ///< by replica: the size in bytes of the text that the function has returned
};
template <class F>
auto fields(Called& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::replicas>(x.text_bytes));
}

/// A request to a worker: run a registered function of a user on each replica, or on the first replica only, and keep
/// the results for `ExportTexts`. The function's argument is a text at the start of a transfer object. If
/// `argument_bytes` is 0, the function has no argument.
struct CallModel {
  using Reply = Called;
  std::uint64_t round = 0;
  std::string name;
  std::uint64_t argument = 0;  ///< the number of the transfer object with the argument
  std::uint64_t argument_bytes = 0;
  std::int32_t buffer = 0;
  bool first_replica_only = false;
};
template <class F>
auto fields(CallModel& x, F visit) {
  return visit(x.round, x.name, x.argument, x.argument_bytes, x.buffer, x.first_replica_only);
}

/// A request to a worker: run a registered function of a user once on the worker. The argument and the result are
/// passed as for `CallModel`.
struct CallWorker {
  using Reply = Called;
  std::uint64_t round = 0;
  std::string name;
  std::uint64_t argument = 0;
  std::uint64_t argument_bytes = 0;
};
template <class F>
auto fields(CallWorker& x, F visit) {
  return visit(x.round, x.name, x.argument, x.argument_bytes);
}

/// A request to a worker: write the results of the last called function into a transfer object, in order of replicas.
struct ExportTexts {
  using Reply = Done;
  std::uint64_t round = 0;
  std::uint64_t transfer = 0;
};
template <class F>
auto fields(ExportTexts& x, F visit) {
  return visit(x.round, x.transfer);
}

}  // namespace troupe
