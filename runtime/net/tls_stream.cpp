#include "runtime/net/tls_stream.hpp"

#include <sys/socket.h>

#include <cerrno>

#include "runtime/net/record_reader.hpp"
#include "runtime/net/record_writer.hpp"
#include "runtime/net/socket.hpp"
#include "runtime/net/tls_handshake.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

// In records. Those for bulk are in a core's own cache still when the kernel copies them, or when they are decrypted.
constexpr std::size_t kManyToSend = 32;
constexpr std::size_t kManyToReceive = 16;

}  // namespace

struct TlsStream::Records {
  explicit Records(const net::TlsHandshake& handshake)
      : reader(handshake.receiving(), 1), writer(handshake.sending(), 1) {}

  net::RecordReader reader;
  net::RecordWriter writer;
  std::size_t held = 0;         ///< bytes that are sealed and will be given to `write_some` once more
  bool reading_failed = false;  ///< and what follows in the stream is worth nothing
  bool sending_failed = false;
};

TlsStream::TlsStream(FileDescriptor socket, const Credentials& credentials, bool server)
    : socket_(std::move(socket)), handshake_(std::make_unique<net::TlsHandshake>(socket_.get(), credentials, server)) {}

TlsStream::TlsStream(FileDescriptor socket, const Credentials& credentials)
    : TlsStream(std::move(socket), credentials, true) {}

TlsStream::TlsStream(TlsStream&&) noexcept = default;
TlsStream& TlsStream::operator=(TlsStream&&) noexcept = default;

TlsStream::~TlsStream() {
  if (!records_ || records_->reading_failed || records_->sending_failed) return;
  try {
    records_->writer.alert(net::Alert::close_notify);
    flush();
  } catch (const Error&) {
    return;  // the peer sees that the connection ends
  }
}

TlsStream TlsStream::dial(const Address& to, const Credentials& credentials, Role peer, const Deadline& deadline) {
  TlsStream stream(net::connect_to(to, deadline), credentials, false);
  try {
    stream.shake_hands(deadline);
  } catch (const Error& error) {
    throw Error(error.code(), to.text() + ": " + error.message());
  }
  if (stream.peer_role() != peer)
    throw Error(ErrorCode::protocol, to.text() + " shows a " + to_string(stream.peer_role()) + "'s certificate (" +
                                         stream.peer_name() + "), and a " + to_string(peer) + "'s is needed");
  return stream;
}

void TlsStream::shake_hands(const Deadline& deadline) {
  for (;;) {
    const Wants wants = accept_some();
    if (wants == Wants::nothing) return;
    if (wants == Wants::closed) throw Error(ErrorCode::protocol, "it hung up instead of shaking hands");
    wait_for(fd(), wants, deadline);
  }
}

ByteStream::Wants TlsStream::accept_some() {
  const Wants wants = handshake_->go_on();
  if (wants != Wants::nothing) return wants;
  peer_name_ = handshake_->peer_name();
  peer_role_ = handshake_->peer_role();
  records_ = std::make_unique<Records>(*handshake_);
  handshake_.reset();
  return wants;
}

TlsStream::Progress TlsStream::read_some(std::span<std::byte> into) try {
  if (records_->reading_failed) return {0, Wants::closed};
  net::RecordReader& reader = records_->reader;
  for (std::size_t done = 0;;) {
    done += reader.read(into.subspan(done));
    if (reader.must_renew_key()) records_->writer.renew_key();
    if (done == into.size()) return {done, Wants::nothing};
    if (reader.closed()) return {done, Wants::closed};
    const std::span<std::byte> room = reader.room();
    const ssize_t got = ::recv(fd(), room.data(), room.size(), 0);
    if (got <= 0) return {done, got < 0 && net::may_go_on(errno) ? Wants::read : Wants::closed};
    reader.received(static_cast<std::size_t>(got));
  }
} catch (const Error&) {
  records_->reading_failed = true;
  if (records_->reader.alert() != net::Alert::close_notify && !records_->sending_failed) {
    records_->writer.alert(records_->reader.alert());
    flush();
  }
  throw;
}

TlsStream::Progress TlsStream::write_some(std::span<const std::byte> bytes, bool more) {
  if (records_->reading_failed) return {0, Wants::closed};
  std::size_t sealed = records_->held;
  std::size_t sent = 0;
  for (;;) {
    sealed += records_->writer.write(bytes.subspan(sealed));
    if (sealed == bytes.size() && more) break;
    const Wants wants = flush();
    if (wants != Wants::nothing) {
      records_->held = sealed - sent;
      return {sent, wants};
    }
    sent = sealed;
    if (sent == bytes.size()) break;
  }
  records_->held = 0;
  return {bytes.size(), Wants::nothing};
}

ByteStream::Wants TlsStream::flush() {
  for (;;) {
    const auto unsent = records_->writer.unsent();
    if (unsent.empty()) return Wants::nothing;
    const ssize_t sent = ::send(fd(), unsent.data(), unsent.size(), MSG_NOSIGNAL);
    if (sent < 0 && net::may_go_on(errno)) return Wants::write;
    if (sent <= 0) {
      records_->sending_failed = true;
      return Wants::closed;
    }
    records_->writer.sent(static_cast<std::size_t>(sent));
  }
}

bool TlsStream::pending() const { return records_->reader.pending(); }

void TlsStream::send_in_bulk() { records_->writer.enlarge(kManyToSend); }
void TlsStream::receive_in_bulk() { records_->reader.enlarge(kManyToReceive); }

std::string TlsStream::peer_address() const { return net::peer_of(fd()).text(); }
std::string TlsStream::local_host() const { return net::local_of(fd()).host; }

}  // namespace troupe
