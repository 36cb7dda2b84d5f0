#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "mutation/wire.hpp"
#include "runtime/net/gate/gate.hpp"

namespace troupe_test {

/// Stands between a node and its driver, with the certificates of both: to the node it is the driver, and to the driver
/// the node. Messages of control connections go past a `Wire`; all else goes through as it is.
class LyingProxy {
 public:
  /// @param node whose certificate it shows to the driver. @param wire hears of all messages as that member's
  LyingProxy(int node, troupe::Address driver, std::shared_ptr<Wire> wire);
  ~LyingProxy();
  LyingProxy(const LyingProxy&) = delete;
  LyingProxy& operator=(const LyingProxy&) = delete;

  /// Where the node is to dial.
  const troupe::Address& address() const { return gate_->address(); }

 private:
  void relay(const troupe::Hello& hello, troupe::TlsStream node);

  const int node_;
  const troupe::Address driver_;
  const std::shared_ptr<Wire> wire_;
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::vector<std::jthread> relays_;
  std::unique_ptr<troupe::Gate> gate_;  ///< goes first
};

}  // namespace troupe_test
