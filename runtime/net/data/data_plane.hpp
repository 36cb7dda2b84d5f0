#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/net/data/membership.hpp"
#include "runtime/net/gate/refusal_log.hpp"
#include "runtime/net/tls/tls_stream.hpp"
#include "runtime/transport.hpp"

namespace troupe {

/// Moves segments between slabs of nodes over TLS with certificates on both sides. There are no intermediate copies:
/// TLS reads from the sender's slab, and writes to the memory that the receiver announced as a window. Each connection
/// carries segments in one direction, from the node that opened the connection.
///
/// `send` writes on the caller's thread; a few threads of the data plane receive. If a connection breaks, all waits for
/// segments of its node fail immediately. A malformed frame, or a frame for a window that is not announced, closes its
/// connection and adds one line to the refusal log. If a node sends to itself, the segment is copied in memory.
class DataPlane : public Transport {
 public:
  /// @param threads number of receiving threads; at least one is started. @param log records dropped connections
  DataPlane(std::shared_ptr<const Credentials> credentials, int threads,
            std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());
  ~DataPlane() override;

  /// Ends the previous membership with its windows and connections: pending waits throw worker_lost. Then accepts
  /// connections of the new membership.
  void begin(const Membership& membership);
  /// How long `connect` retries after a temporary failure: no process listens at the node's address, the connection
  /// closes, or the node does not expect data yet.
  static constexpr std::chrono::seconds kDialTimeout{15};

  /// Opens the outgoing connections to all other nodes that have an address. A temporary failure is retried for up to
  /// `kDialTimeout` per connection, but not beyond `deadline`. Other failures, such as a wrong certificate or a
  /// permanent refusal, are thrown immediately.
  /// @throws Error that names the node, as `TlsStream::dial` and `say_hello` do
  void connect(const Deadline& deadline);
  /// Returns the transport of the current membership. Once the membership has ended, calls of the transport fail.
  /// @throws Error worker_lost if there is no membership
  std::shared_ptr<Transport> transport() const;
  /// Ends the current membership with its windows and connections: pending waits throw worker_lost.
  void end();

  /// The gate calls these functions; both are thread-safe. `admit` decides about a data connection. It refuses a
  /// connection of another run, generation or token, one whose certificate does not match the node, and one that
  /// already exists. `take` takes over a connection that `admit` has accepted.
  Verdict admit(const Hello& hello, const TlsStream& stream) const;
  void take(const Hello& hello, TlsStream stream);

  void announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                std::shared_ptr<const void> keep = nullptr, SegmentLength length = SegmentLength::whole) override;
  void withdraw(WindowId window) override;
  void send(int to, WindowId window, std::uint64_t ticket, std::uint32_t segment, std::span<const std::byte> bytes,
            const Deadline& deadline) override;
  void wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline) override;
  std::string name_of(int node) const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
