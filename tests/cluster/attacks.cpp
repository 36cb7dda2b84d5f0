#include "cluster/attacks.hpp"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <random>

#include "runtime/clock.hpp"
#include "runtime/net/socket.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace troupe_test {
namespace {

constexpr int kDialSeconds = 20;  // seconds

FileDescriptor connect_blocking(const Address& to) {
  FileDescriptor socket = net::connect_to(to, Deadline(20s));
  ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
  const timeval patience{kDialSeconds, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return socket;
}

}  // namespace

FileDescriptor connect_plain(const Address& to) { return net::connect_to(to, Deadline(20s)); }

int say_plain(const Address& to, std::span<const std::byte> bytes) {
  const FileDescriptor socket = connect_blocking(to);
  [[maybe_unused]] const auto sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::array<std::byte, 4096> answer{};
  int heard = 0;
  for (;;) {
    const ssize_t got = ::recv(socket.get(), answer.data(), answer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return kNotHungUp;
    if (got <= 0) return heard;
    heard += static_cast<int>(got);
  }
}

int say_over_tls(const Address& to, const std::string& folder, std::span<const std::byte> bytes, int version) {
  const FileDescriptor socket = connect_blocking(to);
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_max_proto_version(context.get(), version);
  if (!folder.empty()) {
    SSL_CTX_use_certificate_file(context.get(), (folder + "/cert.pem").c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context.get(), (folder + "/key.pem").c_str(), SSL_FILETYPE_PEM);
  }
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.get()), SSL_free);
  SSL_set_fd(tls.get(), socket.get());
  if (SSL_connect(tls.get()) != 1) return 0;
  if (!bytes.empty()) SSL_write(tls.get(), bytes.data(), static_cast<int>(bytes.size()));
  std::array<std::byte, 4096> answer{};
  int heard = 0;
  for (;;) {
    errno = 0;
    const int got = SSL_read(tls.get(), answer.data(), static_cast<int>(answer.size()));
    if (got <= 0) return errno == EAGAIN || errno == EWOULDBLOCK ? kNotHungUp : heard;
    heard += got;
  }
}

std::vector<std::byte> garbage(std::size_t count) {
  std::minstd_rand random(1);
  std::vector<std::byte> bytes(count);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random() >> 8);
  return bytes;
}

}  // namespace troupe_test
