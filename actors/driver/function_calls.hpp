#pragma once

#include <string>
#include <vector>

#include "actors/driver/transfers.hpp"
#include "actors/messages/call.hpp"
#include "actors/rounds/rounds.hpp"
#include "troupe/json.hpp"

namespace troupe {

/// The name and the argument of a user's function.
struct NamedCall {
  /// @throws Error invalid_argument for a name or argument that cannot be sent
  NamedCall(std::string function, const Json& arguments);

  std::string name;
  std::string argument;  ///< the argument as JSON text; empty: no argument
};

/// Calls users' functions on replicas and workers. Returns the results in order of worker and replica.
///
/// Throws the errors of `Rounds::ask`, and errors that a user's function throws.
class FunctionCalls {
 public:
  FunctionCalls(const Members& members, Rounds& rounds, Transfers& transfers)
      : members_(members), rounds_(rounds), transfers_(transfers) {}

  /// Calls a function on each replica with the weights in `buffer`.
  std::vector<Json> on_replicas(const NamedCall& call, int buffer, const Phase& phase);
  /// Calls a function on the first replica only.
  Json on_first_replica(const NamedCall& call, int buffer, const Phase& phase);
  /// Calls a function once on each worker.
  std::vector<Json> on_workers(const NamedCall& call, const Phase& phase);

 private:
  /// @param returned the number of results of each worker
  template <class Request>
  std::vector<Json> ask(Request request, const NamedCall& call, const std::vector<int>& workers, std::size_t returned,
                        const Phase& phase);
  void add_returned(int worker, const Called& called, std::size_t returned, const Phase& phase, std::vector<Json>& to);

  const Members& members_;
  Rounds& rounds_;
  Transfers& transfers_;
};

}  // namespace troupe
