#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "runtime/http/transfers.hpp"

namespace troupe {

/// Returns the whole answer to a request. Repeats the request as RemoteFile does.
/// @param shown the URL for error messages
/// @param request returns the request; called for each try
/// @param most the maximum number of bytes
/// @throws Error bad_file if the server refuses the request or the answer is longer; timeout if there is no answer
std::string read_whole(const std::string& shown, const std::function<HttpRequest()>& request,
                       std::size_t most = std::size_t{16} << 20);

}  // namespace troupe
