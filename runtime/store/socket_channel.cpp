#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "runtime/clock.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/store/channel.hpp"
#include "runtime/store/seqpacket.hpp"
#include "troupe/error.hpp"

namespace troupe::store {
namespace {

class SocketChannel : public Channel {
 public:
  explicit SocketChannel(FileDescriptor socket) : socket_(std::move(socket)) {}

  Reply call(const Request& request, std::chrono::milliseconds timeout, FileDescriptor& file) override {
    Request numbered = request;
    numbered.sequence = ++sequence_;
    if (!send_packet(socket_.get(), std::as_bytes(std::span(&numbered, 1)), -1))
      throw Error(ErrorCode::store_failed, "the object store is gone");
    const Deadline deadline(timeout);
    for (;;) {
      wait_readable(deadline);
      Reply reply;
      const Received received = receive_packet(socket_.get(), std::as_writable_bytes(std::span(&reply, 1)), &file);
      switch (received) {
        case Received::nothing:
          break;
        case Received::packet:
        case Received::no_file:
          // Ignores this packet if it is the late reply to an earlier request, whose timeout has passed.
          if (reply.magic != kMagic || reply.sequence != sequence_) {
            file.reset();
            break;
          }
          if (received == Received::no_file) throw_refused("a slab of the object store", EMFILE);
          return reply;
        default:
          throw Error(ErrorCode::store_failed, "the object store is gone");
      }
    }
  }

 private:
  void wait_readable(const Deadline& deadline) {
    pollfd waiting{socket_.get(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(deadline.left().count(), INT32_MAX)));
    if (ready == 0) throw Error(ErrorCode::timeout, "the object store does not answer");
    if (ready < 0 && errno != EINTR) throw_errno("poll");
  }

  FileDescriptor socket_;
  std::uint64_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<Channel> make_socket_channel(FileDescriptor socket) {
  return std::make_unique<SocketChannel>(std::move(socket));
}

}  // namespace troupe::store
