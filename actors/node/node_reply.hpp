#pragma once

#include <exception>
#include <type_traits>

#include "actors/messages/failure.hpp"
#include "actors/node/node_service.hpp"

namespace troupe {

/// What a node answers to a request, also where that fails.
template <class Request>
typename Request::Reply reply_of(NodeService& service, const Request& request) {
  typename Request::Reply reply;
  reply.round = request.round;
  try {
    if constexpr (std::is_same_v<typename Request::Reply, Done>)
      service.carry_out(request);
    else
      reply = service.carry_out(request);
  } catch (...) {
    reply.failure = Failure::from(std::current_exception(), ErrorCode::system);
  }
  return reply;
}

}  // namespace troupe
