#pragma once

#include <caf/message.hpp>
#include <stdexcept>
#include <string>
#include <tuple>

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

}  // namespace troupe_test
