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

/// Sends segments from the slabs of one node to the slabs of another node, over TLS with certificates on both sides.
/// There are no intermediate copies: TLS reads from the sender's slab, and writes to the memory that the receiver has
/// announced as a window. Each connection carries segments in one direction only, from the node that has opened the
/// connection.
///
/// `send` writes to the socket on the caller's thread. A few threads of the data plane receive. If a connection from a
/// node breaks, all calls of `wait` for segments of this node fail immediately. If a frame is malformed, or is for a
/// window that is not announced, the data plane closes the connection and logs one line. If a node sends a segment to
/// itself, the segment is copied in memory.
class DataPlane : public Transport {
 public:
  /// @param threads number of receiving threads; a number below 1 counts as 1
  /// @param log the log for dropped connections
  DataPlane(std::shared_ptr<const Credentials> credentials, int threads,
            std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());
  ~DataPlane() override;

  /// Ends the previous membership, as `end` does. From then on, accepts data connections of `membership`.
  void begin(const Membership& membership);
  /// The maximum time for which `connect` retries one connection after temporary failures. A failure is temporary if no
  /// process listens at the node's address, the connection closes, or the node does not expect data yet.
  static constexpr std::chrono::seconds kDialTimeout{15};

  /// Opens the outgoing connections to all other nodes of the membership that have an address. After a temporary
  /// failure, retries the connection for up to `kDialTimeout`, but not beyond `deadline`. Throws immediately after
  /// other failures, such as a wrong certificate or a permanent refusal.
  /// @throws Error with the node's name and the codes of `TlsStream::dial` and `say_hello`
  void connect(const Deadline& deadline);
  /// Returns the transport of the current membership. Once the membership has ended, all sends and waits of this
  /// transport fail.
  /// @throws Error worker_lost if there is no membership
  std::shared_ptr<Transport> transport() const;
  /// Ends the current membership. Closes its connections and forgets its windows; pending calls of `send` and `wait`
  /// throw worker_lost.
  void end();

  /// The gate calls these two functions for a data connection that a node opens; both are thread-safe. `admit` decides
  /// about the connection. `admit` refuses a connection of another run or generation, or with a wrong token or a
  /// certificate that does not match the node. It also refuses a second connection with the same number. `take` takes
  /// over a connection that `admit` has accepted.
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
