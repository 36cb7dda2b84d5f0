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

/// Moves segments between slabs of nodes over mutual TLS: straight from the sender's slab into TLS, and from TLS into
/// the slab that the receiver announced. Each connection carries segments one way, from who dialled.
///
/// `send` writes on the caller's thread; a few threads of the data plane receive. A connection that breaks makes all
/// that waits for its node fail at once; a malformed frame, or one for no announced window, breaks its connection with
/// one line of the refusal log. A node sends to itself by a copy.
class DataPlane : public Transport {
 public:
  DataPlane(std::shared_ptr<const Credentials> credentials, int threads,
            std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());
  ~DataPlane() override;

  /// Forgets what was before: windows, connections, errors; whoever still waits gets worker_lost. From now on takes
  /// connections of this membership.
  void begin(const Membership& membership);
  /// How long what may pass is tried again: a node that nobody answers for, hangs up, or does not expect data yet.
  static constexpr std::chrono::seconds kDialTimeout{15};

  /// Dials all other nodes that have an address. What does not come about is tried again within the deadline, for
  /// `kDialTimeout` a connection, unless it would be the same again, such as another certificate or a refusal for
  /// good.
  /// @throws Error as `TlsStream::dial` and `say_hello`, naming the node
  void connect(const Deadline& deadline);
  /// The transport of this membership alone, which ends with it. @throws Error worker_lost when there is none
  std::shared_ptr<Transport> transport() const;
  /// Ends the membership likewise.
  void end();

  /// For the gate: why a data connection is refused (another run, generation or token, a node that is not who its
  /// certificate says, a stream that is there already), and taking it when it is not. Any thread.
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
