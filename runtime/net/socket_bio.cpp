#include "runtime/net/socket_bio.hpp"

#include <openssl/bio.h>
#include <sys/socket.h>

#include <cerrno>

#include "runtime/net/openssl.hpp"
#include "runtime/net/socket.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

int& socket_of(BIO* bio) { return *static_cast<int*>(BIO_get_data(bio)); }

int write_socket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && may_go_on(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int read_socket(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = ::recv(socket_of(bio), bytes, static_cast<std::size_t>(size), 0);
  if (got < 0 && may_go_on(errno)) BIO_set_retry_read(bio);
  if (got == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(got);
}

long control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return 0;
}

int create(BIO* bio) {
  BIO_set_data(bio, new int(-1));
  BIO_set_init(bio, 1);
  return 1;
}

int destroy(BIO* bio) {
  delete static_cast<int*>(BIO_get_data(bio));
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
  static BIO_METHOD* const method = make_method();  // never freed: streams may outlive statics
  BIO* const bio = method != nullptr ? BIO_new(method) : nullptr;
  if (bio == nullptr) throw Error(ErrorCode::system, "cannot set up TLS: " + openssl_error());
  socket_of(bio) = socket;
  return bio;
}

}  // namespace troupe::net
