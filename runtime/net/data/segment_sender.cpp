#include "runtime/net/data/segment_sender.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "troupe/error.hpp"

namespace troupe {
namespace {

/// A segment of at most this many bytes is copied behind its header, so that both are sent in one TLS record. The copy
/// takes less time than a second TLS record.
constexpr std::size_t kSmall = 4096;

}  // namespace

void SegmentSender::add(std::unique_ptr<ByteStream> stream) {
  auto connection = std::make_unique<Connection>();
  connection->stream = std::move(stream);
  const std::lock_guard lock(mutex_);
  if (!ended_.empty()) throw Error(ErrorCode::worker_lost, ended_, {.node = name_});
  connections_.push_back(std::move(connection));
}

SegmentSender::Connection& SegmentSender::take(const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!ended_.empty()) throw Error(ErrorCode::worker_lost, ended_, {.node = name_});
    if (connections_.empty()) throw Error(ErrorCode::worker_lost, "no connection to this node", {.node = name_});
    const auto found = std::find_if(connections_.begin(), connections_.end(),
                                    [](const auto& connection) { return !connection->busy; });
    if (found != connections_.end()) {
      (*found)->busy = true;
      return **found;
    }
    if (deadline.passed()) throw Error(ErrorCode::timeout, "earlier data was not sent in time", {.node = name_});
    free_.wait_until(lock, deadline.at());
  }
}

void SegmentSender::give_back(Connection& connection) {
  {
    const std::lock_guard lock(mutex_);
    connection.busy = false;
  }
  free_.notify_one();
}

void SegmentSender::write(Connection& connection, const FrameHeader& header, std::span<const std::byte> bytes,
                          const Deadline& deadline) {
  if (bytes.size() <= kSmall) {
    std::array<std::byte, kFrameHeaderBytes + kSmall> both;
    const auto head = encode(header);
    const auto end = std::copy(bytes.begin(), bytes.end(), std::copy(head.begin(), head.end(), both.begin()));
    return connection.stream->write_all(std::span(both.begin(), end), deadline);
  }
  // The header is sent in a separate TLS record. Therefore the segment's bytes need not be copied behind the header.
  connection.stream->write_all(encode(header), deadline, !bytes.empty());
  connection.stream->write_all(bytes, deadline);
}

void SegmentSender::send(const FrameHeader& header, std::span<const std::byte> bytes, const Deadline& deadline) {
  Connection& connection = take(deadline);
  try {
    write(connection, header, bytes, deadline);
  } catch (const Error& error) {
    // Ends all connections to the node, because a part of the segment may have been sent.
    end(error.message());
    give_back(connection);
    throw Error(error.code() == ErrorCode::timeout ? ErrorCode::timeout : ErrorCode::worker_lost, error.message(),
                {.node = name_});
  }
  give_back(connection);
}

void SegmentSender::end(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (ended_.empty()) ended_ = why;
  for (const auto& connection : connections_) ::shutdown(connection->stream->fd(), SHUT_RDWR);
  free_.notify_all();
}

}  // namespace troupe
