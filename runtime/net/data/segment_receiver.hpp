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

/// Receives segments with a few threads, which read from connections directly into the memory of the windows. Only one
/// thread at a time reads from a connection. After `kTurn` bytes from one connection, the thread continues with other
/// connections, so that no sending node waits for long.
class SegmentReceiver {
 public:
  /// The number of bytes that a thread reads from one connection before it continues with other connections.
  static constexpr std::size_t kTurn = 1 << 20;

  /// Starts `threads` threads, which receive into `windows`.
  /// @param names names of the nodes, by number, for messages
  /// @param log the log for dropped connections
  /// @throws Error system
  SegmentReceiver(WindowTable& windows, std::vector<std::string> names, int threads,
                  std::shared_ptr<net::RefusalLog> log);
  ~SegmentReceiver();
  SegmentReceiver(const SegmentReceiver&) = delete;
  SegmentReceiver& operator=(const SegmentReceiver&) = delete;

  /// Starts to receive segments of node `from` through `stream`. @throws Error system
  void add(int from, std::unique_ptr<ByteStream> stream);
  /// Ends all connections and threads. No window is written after this returns.
  void end();

 private:
  struct Connection;

  void run();
  /// Receives from a connection until no bytes are available, or `kTurn` bytes have been read. Returns false if the
  /// connection has ended.
  bool serve(Connection& connection);
  /// Handles the part of a frame that has been received completely. After a header, finds the memory for the header's
  /// segment. After a segment, marks the segment as arrived.
  void finish(Connection& connection);
  /// Makes epoll wake one thread, which serves the connection, when the connection's socket has one of `events`.
  /// @param operation the operation of epoll_ctl, such as EPOLL_CTL_ADD
  void watch(Connection& connection, int operation, std::uint32_t events);
  /// Closes a connection, and marks the node that sent on it as lost, with the reason `why`.
  /// @param tell whether to log the reason
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
