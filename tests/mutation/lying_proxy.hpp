#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "mutation/wire.hpp"
#include "runtime/net/gate/gate.hpp"

namespace troupe_test {

/// A proxy between a node and its driver with the certificates of both: to each end it appears as the other one.
/// Messages of control connections pass through a `Wire`; all other bytes are forwarded unchanged.
class LyingProxy {
 public:
  /// @param node the proxy connects to the driver with the certificate of this node. @param wire receives all messages,
  /// as messages of that member
  LyingProxy(int node, troupe::Address driver, std::shared_ptr<Wire> wire);
  ~LyingProxy();
  LyingProxy(const LyingProxy&) = delete;
  LyingProxy& operator=(const LyingProxy&) = delete;

  /// Returns the address that the node must connect to.
  const troupe::Address& address() const { return gate_->address(); }

 private:
  void relay(const troupe::Hello& hello, troupe::TlsStream node);

  const int node_;
  const troupe::Address driver_;
  const std::shared_ptr<Wire> wire_;
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::vector<std::jthread> relays_;
  std::unique_ptr<troupe::Gate> gate_;  ///< destroyed first
};

}  // namespace troupe_test
