#include "runtime/net/tls/socket_bio.hpp"

#include <openssl/bio.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/net/openssl.hpp"
#include "runtime/net/socket.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

/// The limits on received TLS handshake messages: 16 at the start of a connection, and one more (a key update) for each
/// 64 KiB received. A Troupe peer sends only one key update per 64 MiB.
constexpr std::uint64_t kMessagesAtStart = 16;
constexpr std::uint64_t kBytesOfMessage = std::uint64_t{64} << 10;

struct Socket {
  int fd = -1;
  std::vector<char> buffer = {};  ///< memory of the write buffer; empty: each write is sent immediately
  std::size_t begin = 0;          ///< start of the buffered bytes, as an index into `buffer`
  std::size_t end = 0;            ///< end of the buffered bytes, as an index into `buffer`
  bool drained = false;           ///< the last read has taken all available bytes from the socket
  std::uint64_t received = 0;     ///< number of bytes received
  std::uint64_t messages = 0;     ///< number of TLS handshake messages received
};

Socket& socket_of(BIO* bio) { return *static_cast<Socket*>(BIO_get_data(bio)); }

/// Sends bytes to the socket, without the write buffer. Returns the number of bytes sent, or -1. If the socket takes no
/// bytes at the moment, sets the BIO's retry flag and returns -1.
int send_some(BIO* bio, const char* bytes, std::size_t size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(socket_of(bio).fd, bytes, size, MSG_NOSIGNAL);
  if (sent < 0 && may_go_on(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

/// Sends the bytes in the write buffer. Returns whether all bytes were sent. If they were not, either the BIO's retry
/// flag is set, or the connection is broken.
bool send_waiting(BIO* bio) {
  Socket& socket = socket_of(bio);
  while (socket.begin < socket.end) {
    const int sent = send_some(bio, socket.buffer.data() + socket.begin, socket.end - socket.begin);
    if (sent <= 0) return false;
    socket.begin += static_cast<std::size_t>(sent);
  }
  socket.begin = socket.end = 0;
  return true;
}

int write_socket(BIO* bio, const char* bytes, int size) {
  Socket& socket = socket_of(bio);
  const auto wanted = static_cast<std::size_t>(size);
  if (socket.buffer.size() - socket.end < wanted && !send_waiting(bio)) return -1;
  if (socket.buffer.size() < wanted) return send_some(bio, bytes, wanted);
  BIO_clear_retry_flags(bio);
  std::memcpy(socket.buffer.data() + socket.end, bytes, wanted);
  socket.end += wanted;
  return size;
}

int read_socket(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  Socket& socket = socket_of(bio);
  // The last read has emptied the socket, so a system call would be useless.
  if (std::exchange(socket.drained, false)) {
    BIO_set_retry_read(bio);
    return -1;
  }
  if (talks_too_much(bio)) return -1;
  const ssize_t got = ::recv(socket.fd, bytes, static_cast<std::size_t>(size), 0);
  if (got < 0 && may_go_on(errno)) BIO_set_retry_read(bio);
  if (got == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  socket.drained = got > 0 && got < size;
  if (got > 0) socket.received += static_cast<std::uint64_t>(got);
  return static_cast<int>(got);
}

long control(BIO* bio, int command, long, void*) {
  // Ignores flush requests of OpenSSL, because OpenSSL 3.0 may lose the BIO's retry flags during a flush, for example
  // after a key update. Only the function `flush` sends the buffered bytes.
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return 0;
}

int create(BIO* bio) {
  BIO_set_data(bio, new Socket);
  BIO_set_init(bio, 1);
  return 1;
}

int destroy(BIO* bio) {
  delete static_cast<Socket*>(BIO_get_data(bio));
  BIO_set_data(bio, nullptr);
  return 1;
}

BIO_METHOD* make_method() {
  BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "troupe socket");
  if (method == nullptr) return nullptr;
  BIO_meth_set_write(method, &write_socket);
  BIO_meth_set_read(method, &read_socket);
  BIO_meth_set_ctrl(method, &control);
  BIO_meth_set_create(method, &create);
  BIO_meth_set_destroy(method, &destroy);
  return method;
}

}  // namespace

BIO* make_socket_bio(int socket) {
  static BIO_METHOD* const method = make_method();  // never freed: streams may be destroyed after static objects
  BIO* const bio = method != nullptr ? BIO_new(method) : nullptr;
  if (bio == nullptr) throw Error(ErrorCode::system, "cannot set up TLS: " + openssl_error());
  socket_of(bio).fd = socket;
  return bio;
}

void buffer_writes(BIO* bio, std::size_t bytes) { socket_of(bio).buffer.resize(bytes); }

void count_message(BIO* bio) { ++socket_of(bio).messages; }

bool talks_too_much(BIO* bio) {
  const Socket& socket = socket_of(bio);
  return socket.messages > kMessagesAtStart + socket.received / kBytesOfMessage;
}

ByteStream::Wants flush(BIO* bio) {
  if (send_waiting(bio)) return ByteStream::Wants::nothing;
  return BIO_should_write(bio) != 0 ? ByteStream::Wants::write : ByteStream::Wants::closed;
}

}  // namespace troupe::net
