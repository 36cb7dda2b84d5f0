#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/net/byte_stream.hpp"
#include "runtime/net/data/window_table.hpp"
#include "runtime/net/gate/refusal_log.hpp"

namespace troupe {

/// Receives segments with a few threads, which read from connections straight into their windows. One thread at a time
/// reads a connection, and moves on to other connections after `kTurn` bytes.
class SegmentReceiver {
 public:
  static constexpr std::size_t kTurn = 1 << 20;

  /// @param names names of the nodes, for the log. @throws Error system
  SegmentReceiver(WindowTable& windows, std::vector<std::string> names, int threads,
                  std::shared_ptr<net::RefusalLog> log);
  ~SegmentReceiver();
  SegmentReceiver(const SegmentReceiver&) = delete;
  SegmentReceiver& operator=(const SegmentReceiver&) = delete;

  /// Starts to receive segments of a node from a connection. @throws Error system
  void add(int from, std::unique_ptr<ByteStream> stream);
  /// Ends all connections. No window is written after this returns.
  void end();

 private:
  struct Connection;

  void run();
  /// Returns false if the connection ended.
  bool serve(Connection& connection);
  /// Handles a complete header, or a complete segment.
  void finish(Connection& connection);
  void watch(Connection& connection, int operation, std::uint32_t events);
  void drop(Connection& connection, const std::string& why, bool tell);

  WindowTable& windows_;
  const std::vector<std::string> names_;
  const std::shared_ptr<net::RefusalLog> log_;
  FileDescriptor events_;
  FileDescriptor stop_;
  std::mutex mutex_;
  std::map<Connection*, std::unique_ptr<Connection>> connections_;
  std::vector<std::thread> threads_;
};

}  // namespace troupe
