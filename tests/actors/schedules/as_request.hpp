#pragma once

#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "actors/messages/messages.hpp"

namespace troupe_test {

/// Calls `use` with the request as one of these kinds.
template <class Use, class... Each>
void as_request(const caf::message& request, const Use& use, std::tuple<Each...>* /*kinds*/) {
  const auto is = [&]<class Request>(const Request* /*kind*/) {
    if (!request.match_elements<Request>()) return false;
    use(request.get_as<Request>(0));
    return true;
  };
  if (!(is(static_cast<const Each*>(nullptr)) || ...))
    throw std::logic_error("no simulated member knows " + caf::to_string(request));
}

/// Carries out a request with `work(request, reply)`, and returns the reply. An Error that `work` throws becomes the
/// failure of the reply.
template <class Kinds, class Work>
caf::message reply_to(const caf::message& request, const Work& work) {
  caf::message message;
  const auto obey = [&]<class Request>(const Request& asked) {
    typename Request::Reply reply;
    reply.round = asked.round;
    try {
      work(asked, reply);
    } catch (const troupe::Error&) {
      reply.failure = troupe::Failure::from(std::current_exception(), troupe::ErrorCode::system);
    }
    message = caf::make_message(std::move(reply));
  };
  as_request(request, obey, static_cast<Kinds*>(nullptr));
  return message;
}

}  // namespace troupe_test
