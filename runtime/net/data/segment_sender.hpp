#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/net/byte_stream.hpp"
#include "runtime/net/data/frame.hpp"

namespace troupe {

/// Sends segments to one node, over several connections. Each segment is sent over any connection that is not busy.
/// Thread-safe.
class SegmentSender {
 public:
  /// @param name name of the node, for error messages
  explicit SegmentSender(std::string name) : name_(std::move(name)) {}

  /// Adds a connection to the node. @throws Error worker_lost after `end`
  void add(std::unique_ptr<ByteStream> stream);
  /// Sends a segment to the node, on the calling thread. Returns once the caller may reuse `bytes`. After a failure,
  /// all connections to the node are ended, because a part of the segment may have been sent.
  /// @throws Error timeout, or worker_lost if a connection broke
  void send(const FrameHeader& header, std::span<const std::byte> bytes, const Deadline& deadline);
  /// Ends all connections to the node. Current and later calls of `send` throw worker_lost with the message `why`.
  void end(const std::string& why);

 private:
  struct Connection {
    std::unique_ptr<ByteStream> stream;
    bool busy = false;
  };

  /// Waits for a connection that is not busy, and marks it as busy. @throws Error timeout, worker_lost
  Connection& take(const Deadline& deadline);
  void give_back(Connection& connection);
  static void write(Connection& connection, const FrameHeader& header, std::span<const std::byte> bytes,
                    const Deadline& deadline);

  const std::string name_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::string ended_;  ///< the reason why the connections were ended; empty while they are open
};

}  // namespace troupe
