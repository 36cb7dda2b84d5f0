#pragma once

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "runtime/net/byte_stream.hpp"
#include "runtime/net/data/segment_receiver.hpp"
#include "runtime/net/data/segment_sender.hpp"
#include "runtime/net/data/window_table.hpp"
#include "runtime/net/gate/refusal_log.hpp"
#include "runtime/transport.hpp"

namespace troupe {

/// A transport between the nodes of one membership. The owner of the transport opens the connections and adds them. The
/// class does not depend on TLS or addresses.
class StreamTransport : public Transport {
 public:
  /// @param names names of all nodes, by number
  /// @param self number of this node
  /// @param threads number of receiving threads
  /// @param log the log for dropped connections
  /// @throws Error system
  StreamTransport(const std::vector<std::string>& names, int self, int threads,
                  std::shared_ptr<net::RefusalLog> log = std::make_shared<net::RefusalLog>());
  ~StreamTransport() override;

  /// Add a connection. On a connection to node `to`, this node only writes. On a connection from node `from`, this node
  /// only reads.
  void add_outgoing(int to, std::unique_ptr<ByteStream> stream);
  void add_incoming(int from, std::unique_ptr<ByteStream> stream);
  /// Ends all connections. Pending calls of `send` and `wait` throw worker_lost. No window is written after `end` has
  /// returned.
  void end();

  void announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                std::shared_ptr<const void> keep = nullptr, SegmentLength length = SegmentLength::whole) override;
  void withdraw(WindowId window) override;
  void send(int to, WindowId window, std::uint64_t ticket, std::uint32_t segment, std::span<const std::byte> bytes,
            const Deadline& deadline) override;
  void wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline) override;
  std::string name_of(int node) const override { return windows_.name_of(node); }

 private:
  void copy_to_self(const FrameHeader& header, std::span<const std::byte> bytes);

  const int self_;
  WindowTable windows_;
  std::vector<std::unique_ptr<SegmentSender>> senders_;  ///< indexed by node number
  std::shared_mutex copying_;  ///< locked (shared) while a thread copies a segment that this node sends to itself
  bool ended_ = false;
  SegmentReceiver receiver_;
};

}  // namespace troupe
