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

/// Sends segments to one node, each over any connection that is free. Thread-safe.
class SegmentSender {
 public:
  /// @param name name of the node, for errors.
  explicit SegmentSender(std::string name) : name_(std::move(name)) {}

  void add(std::unique_ptr<ByteStream> stream);
  /// Sends like `Transport::send`, on the calling thread. If a send fails half-way, all connections to the node end.
  void send(const FrameHeader& header, std::span<const std::byte> bytes, const Deadline& deadline);
  /// Ends all connections: current and later sends throw worker_lost with `why`.
  void end(const std::string& why);

 private:
  struct Connection {
    std::unique_ptr<ByteStream> stream;
    bool busy = false;
  };

  Connection& take(const Deadline& deadline);
  void give_back(Connection& connection);
  static void write(Connection& connection, const FrameHeader& header, std::span<const std::byte> bytes,
                    const Deadline& deadline);

  const std::string name_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::string ended_;  ///< the reason; empty while the connections are open
};

}  // namespace troupe
