#pragma once

#include <chrono>
#include <thread>

#include "runtime/net/gate/hello.hpp"
#include "runtime/net/tls/tls_stream.hpp"
#include "support/patience.hpp"

namespace troupe_test {

/// Connects to a driver and sends a hello. Retries until the connection succeeds.
inline troupe::TlsStream join_driver(const troupe::Address& driver, const troupe::Credentials& credentials,
                                     const troupe::Hello& hello) {
  for (;;) try {
      troupe::TlsStream stream = troupe::TlsStream::dial(driver, credentials, troupe::Role::driver, soon());
      say_hello(stream, hello, soon());
      return stream;
    } catch (const troupe::Error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

}  // namespace troupe_test
