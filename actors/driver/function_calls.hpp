#pragma once

#include <string>
#include <vector>

#include "actors/driver/transfers.hpp"
#include "actors/messages/call.hpp"
#include "actors/rounds/rounds.hpp"
#include "troupe/json.hpp"

namespace troupe {

/// A user's function by its name, and what it is to be given.
struct NamedCall {
  /// @throws Error invalid_argument for what cannot be brought over
  NamedCall(std::string function, const Json& arguments);

  std::string name;
  std::string argument;  ///< JSON as text; empty: none
};

/// Calls users' functions beside replicas and workers. What they return comes in order of worker and replica.
///
/// May throw what rounds throw, and what a function has thrown.
class FunctionCalls {
 public:
  FunctionCalls(const Members& members, Rounds& rounds, Transfers& transfers)
      : members_(members), rounds_(rounds), transfers_(transfers) {}

  /// Of each replica, with the weights in `buffer`.
  std::vector<Json> on_replicas(const NamedCall& call, int buffer, const Phase& phase);
  /// The same of the first replica alone.
  Json on_first_replica(const NamedCall& call, int buffer, const Phase& phase);
  std::vector<Json> on_workers(const NamedCall& call, const Phase& phase);

 private:
  /// @param returned values of each worker
  template <class Request>
  std::vector<Json> ask(Request request, const NamedCall& call, const std::vector<int>& workers, std::size_t returned,
                        const Phase& phase);
  void add_returned(int worker, const Called& called, std::size_t returned, const Phase& phase, std::vector<Json>& to);

  const Members& members_;
  Rounds& rounds_;
  Transfers& transfers_;
};

}  // namespace troupe
