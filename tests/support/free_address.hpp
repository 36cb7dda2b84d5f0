#pragma once

#include <string>

#include "runtime/net/socket.hpp"

namespace troupe_test {

/// Returns an address of 127.0.0.1 with a port on which no process listens at the moment.
inline std::string free_address() {
  return "127.0.0.1:" + std::to_string(troupe::net::local_of(troupe::net::listen_on({"127.0.0.1", 0}).get()).port);
}

}  // namespace troupe_test
