#pragma once

#include <string>
#include <vector>

#include "actors/driver/transfers.hpp"
#include "actors/messages/call.hpp"
#include "actors/rounds/rounds.hpp"
#include "troupe/json.hpp"

namespace troupe {

/// The name of a user's registered function, and the argument with which it is called.
struct NamedCall {
  /// @throws Error invalid_argument if the name or the argument cannot be sent to workers
  NamedCall(std::string function, const Json& arguments);

  std::string name;
  std::string argument;  ///< the argument as JSON text; empty: no argument
};

/// Calls registered functions of users on replicas and workers.
///
/// All functions of this class throw the errors of `Rounds::ask`, and the errors that the user's function throws.
class FunctionCalls {
 public:
  FunctionCalls(const Members& members, Rounds& rounds, Transfers& transfers)
      : members_(members), rounds_(rounds), transfers_(transfers) {}

  /// Calls the function on each replica, with the weights in `buffer`. Returns the results in order of worker and
  /// replica.
  std::vector<Json> on_replicas(const NamedCall& call, int buffer, const Phase& phase);
  /// Calls the function on the first replica of the first worker only, with the weights in `buffer`. Returns its
  /// result.
  Json on_first_replica(const NamedCall& call, int buffer, const Phase& phase);
  /// Calls the function once on each worker. Returns the results in order of worker.
  std::vector<Json> on_workers(const NamedCall& call, const Phase& phase);

 private:
  /// Sends the request with the function's argument to `workers`. Returns the results of all workers.
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
