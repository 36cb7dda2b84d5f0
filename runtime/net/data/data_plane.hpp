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

/// Moves segments between slabs of nodes over mutual TLS, without intermediate copies: from the sender's slab into TLS,
/// and from TLS into the slab that the receiver announced. Each connection carries segments in one direction, from the
/// node that dialled.
///
/// `send` writes on the caller's thread; a few threads of the data plane receive. If a connection breaks, all waits for
/// its node fail at once. A malformed frame, or a frame for a window that is not announced, closes its connection and
/// adds one line to the refusal log. A node sends to itself by copying.
class DataPlane : public Transport {
 public:
  DataPlane(std::shared_ptr<const Credentials> credentials, int threads,
            std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());
  ~DataPlane() override;

  /// Ends the previous membership with its windows, connections and errors; waits that are still pending throw
  /// worker_lost. Then accepts connections of the new membership.
  void begin(const Membership& membership);
  /// For how long a temporary failure is retried: no process listens at the node's address, the connection closes, or
  /// the node does not expect data yet.
  static constexpr std::chrono::seconds kDialTimeout{15};

  /// Dials all other nodes that have an address. Failures are retried within the deadline, for up to `kDialTimeout` per
  /// connection, unless a retry would give the same result, such as another certificate or a permanent refusal.
  /// @throws Error as `TlsStream::dial` and `say_hello`, naming the node
  void connect(const Deadline& deadline);
  /// Returns the transport of the current membership, which ends with the membership. @throws Error worker_lost if
  /// there is none
  std::shared_ptr<Transport> transport() const;
  /// Ends the membership in the same way.
  void end();

  /// For the gate: `admit` returns why a data connection is refused (another run, generation or token, a certificate
  /// that does not match the node, a stream that already exists). `take` takes over an admitted connection.
  /// Thread-safe.
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
