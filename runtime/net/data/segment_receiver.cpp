#include "runtime/net/data/segment_receiver.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "runtime/log.hpp"
#include "runtime/net/data/frame.hpp"
#include "runtime/processes/limits.hpp"
#include "troupe/error.hpp"

namespace troupe {

struct SegmentReceiver::Connection {
  std::mutex mutex = {};
  int from = -1;
  std::unique_ptr<ByteStream> stream;
  std::array<std::byte, kFrameHeaderBytes> header = {};
  /// Memory for the segment that is being read; none while a header is being read.
  std::optional<WindowTable::Slot> slot = {};
  std::size_t done = 0;  ///< number of bytes of the present header or segment that have been read

  /// Returns the memory for the bytes of the present header or segment that have not been read yet.
  std::span<std::byte> rest() { return (slot ? slot->bytes : std::span<std::byte>(header)).subspan(done); }
};

SegmentReceiver::SegmentReceiver(WindowTable& windows, std::vector<std::string> names, int threads,
                                 std::shared_ptr<net::RefusalLog> log)
    : windows_(windows),
      names_(std::move(names)),
      log_(std::move(log)),
      events_(::epoll_create1(EPOLL_CLOEXEC)),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;
  if (!events_ || !stop_ || ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, stop_.get(), &event) != 0)
    throw_errno("cannot wait for connections");
  try {
    for (int i = 0; i < threads; ++i) threads_.push_back(start_thread([this] { run(); }));
  } catch (const Error&) {
    end();
    throw;
  }
}

SegmentReceiver::~SegmentReceiver() { end(); }

void SegmentReceiver::add(int from, std::unique_ptr<ByteStream> stream) {
  auto made = std::make_unique<Connection>();
  made->from = from;
  made->stream = std::move(stream);
  Connection& connection = *made;
  const std::lock_guard lock(mutex_);
  if (threads_.empty()) return;
  connections_.emplace(&connection, std::move(made));
  // Also waits until the socket is writable, which is true immediately. So a thread reads from the connection at once.
  // This is necessary, because bytes that arrived together with the handshake are already in the stream's buffer, which
  // epoll does not see.
  watch(connection, EPOLL_CTL_ADD, EPOLLIN | EPOLLOUT);
}

void SegmentReceiver::end() {
  const std::uint64_t one = 1;
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    threads.swap(threads_);
  }
  if (threads.empty()) return;
  if (::write(stop_.get(), &one, sizeof one) != sizeof one) log_line(LogLevel::error, "cannot stop receiving");
  for (std::thread& thread : threads) thread.join();
  const std::lock_guard lock(mutex_);
  connections_.clear();
}

void SegmentReceiver::run() {
  for (;;) {
    epoll_event event = {};
    const int ready = ::epoll_wait(events_.get(), &event, 1, -1);
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) continue;
    if (event.data.ptr == nullptr) return;  // `end` was called; the event stays set for the other threads
    auto& connection = *static_cast<Connection*>(event.data.ptr);
    try {
      if (serve(connection)) continue;
      drop(connection, "its connection ended", false);
    } catch (const std::exception& error) {
      const auto* const known = dynamic_cast<const Error*>(&error);
      drop(connection, known != nullptr ? known->message() : error.what(), true);
    }
  }
}

bool SegmentReceiver::serve(Connection& connection) {
  // Although epoll reports a connection to one thread at a time, a lock is needed: the previous thread still uses the
  // connection for a moment after its call of `watch`.
  const std::lock_guard lock(connection.mutex);
  for (std::size_t turn = kTurn; turn > 0;) {
    const std::span<std::byte> rest = connection.rest();
    const auto progress = connection.stream->read_some(rest.first(std::min(rest.size(), turn)));
    connection.done += progress.bytes;
    turn -= progress.bytes;
    if (progress.bytes == rest.size()) finish(connection);
    if (progress.wants == ByteStream::Wants::closed) return false;
    if (progress.wants == ByteStream::Wants::read) {
      watch(connection, EPOLL_CTL_MOD, EPOLLIN);
      return true;
    }
    if (progress.wants == ByteStream::Wants::write) {
      watch(connection, EPOLL_CTL_MOD, EPOLLOUT);
      return true;
    }
  }
  // The thread has read `kTurn` bytes, so other connections are next. Because bytes may be in the stream's buffer,
  // which epoll does not see, the connection is also watched for writability. This event occurs immediately, and so
  // epoll queues the connection again, behind the other connections.
  watch(connection, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
  return true;
}

void SegmentReceiver::finish(Connection& connection) {
  connection.done = 0;
  if (connection.slot) {
    windows_.arrived(*connection.slot);
    connection.slot.reset();
    return;
  }
  const auto header = decode_frame_header(connection.header);
  if (!header) throw Error(ErrorCode::protocol, "the received bytes are not a segment");
  connection.slot = windows_.claim(connection.from, *header);
}

void SegmentReceiver::watch(Connection& connection, int operation, std::uint32_t events) {
  epoll_event event = {};
  event.events = events | EPOLLONESHOT;
  event.data.ptr = &connection;
  if (::epoll_ctl(events_.get(), operation, connection.stream->fd(), &event) != 0)
    throw_errno("cannot wait for a connection");
}

void SegmentReceiver::drop(Connection& connection, const std::string& why, bool tell) {
  const std::string& name = names_[static_cast<std::size_t>(connection.from)];
  if (tell) log_->dropped("a data connection of " + name, why);
  const int from = connection.from;
  {
    const std::lock_guard lock(mutex_);
    connections_.erase(&connection);
  }
  windows_.lose(from, why);
}

}  // namespace troupe
