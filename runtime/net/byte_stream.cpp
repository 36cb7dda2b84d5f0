#include "runtime/net/byte_stream.hpp"

#include <poll.h>

#include <cerrno>

#include "runtime/file_descriptor.hpp"
#include "troupe/error.hpp"

namespace troupe {

void wait_for(int fd, ByteStream::Wants wants, const Deadline& deadline) {
  pollfd waiting{fd, static_cast<short>(wants == ByteStream::Wants::write ? POLLOUT : POLLIN), 0};
  for (;;) {
    const auto left = std::min<std::chrono::milliseconds>(deadline.left(), std::chrono::hours(1));
    const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) throw_errno("cannot wait for a connection");
    if (deadline.passed()) throw Error(ErrorCode::timeout, "timed out waiting for the other side of a connection");
  }
}

void ByteStream::read_all(std::span<std::byte> into, const Deadline& deadline) {
  while (!into.empty()) {
    const Progress progress = read_some(into);
    into = into.subspan(progress.bytes);
    if (into.empty()) return;
    if (progress.wants == Wants::closed) throw Error(ErrorCode::worker_lost, "the connection ended");
    wait_for(fd(), progress.wants, deadline);
  }
}

void ByteStream::write_all(std::span<const std::byte> bytes, const Deadline& deadline, bool more) {
  while (!bytes.empty()) {
    const Progress progress = write_some(bytes, more);
    bytes = bytes.subspan(progress.bytes);
    if (bytes.empty()) return;
    if (progress.wants == Wants::closed) throw Error(ErrorCode::worker_lost, "the connection ended");
    wait_for(fd(), progress.wants, deadline);
  }
}

}  // namespace troupe
