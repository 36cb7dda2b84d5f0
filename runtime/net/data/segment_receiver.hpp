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

/// A few threads that read segments from connections straight into their windows. Each connection is read by one thread
/// at a time, and gives way to the others after `kTurn` bytes.
class SegmentReceiver {
 public:
  static constexpr std::size_t kTurn = 1 << 20;

  /// @param names of the nodes, for the log. @throws Error system
  SegmentReceiver(WindowTable& windows, std::vector<std::string> names, int threads,
                  std::shared_ptr<net::RefusalLog> log);
  ~SegmentReceiver();
  SegmentReceiver(const SegmentReceiver&) = delete;
  SegmentReceiver& operator=(const SegmentReceiver&) = delete;

  /// From now on takes segments of a node from a connection. @throws Error system
  void add(int from, std::unique_ptr<ByteStream> stream);
  /// Ends all connections. Nothing is written into windows any more when it returns.
  void end();

 private:
  struct Connection;

  void run();
  /// False when the connection ended.
  bool serve(Connection& connection);
  /// A header is whole, or the segment behind it.
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
