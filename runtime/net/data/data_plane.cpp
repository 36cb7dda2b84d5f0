#include "runtime/net/data/data_plane.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "runtime/clock.hpp"
#include "runtime/net/data/stream_transport.hpp"
#include "runtime/net/gate/gate.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string& label_of(const PeerNode& node) { return node.label.empty() ? node.name : node.label; }

std::vector<std::string> names_of(const Membership& membership) {
  std::vector<std::string> names;
  for (const PeerNode& node : membership.nodes) names.push_back(label_of(node));
  return names;
}

/// The maximum time for a handshake. The peer's gate closes the connection a second earlier if the handshake is not
/// finished, so a longer wait would be useless.
constexpr milliseconds kHandshakeTimeout = Gate::kHandshakeTimeout + seconds(1);
constexpr milliseconds kFirstPause{20};
constexpr milliseconds kLongestPause{1000};

/// Returns the earlier of `deadline` and a deadline that is `from_now` after the present.
Deadline sooner(const Deadline& deadline, milliseconds from_now) {
  return Deadline(std::min(deadline.left(), from_now));
}

/// Returns whether a failure to connect with this error code may be temporary, so that a retry may succeed. Other
/// errors, such as a wrong certificate or protocol, are permanent.
bool may_pass(ErrorCode code) {
  return code == ErrorCode::system || code == ErrorCode::timeout || code == ErrorCode::worker_lost;
}

/// Tries once to connect to a node. If the failure is temporary, returns none and sets `why` to the error.
/// @throws Error for a permanent failure
std::optional<TlsStream> try_dial(const PeerNode& node, const Credentials& credentials, const Hello& hello,
                                  const Deadline& deadline, std::optional<Error>& why) try {
  TlsStream stream = TlsStream::dial(node.address, credentials, node.role, sooner(deadline, kHandshakeTimeout));
  if (stream.peer_name() != node.name)
    throw Error(ErrorCode::protocol, node.address.text() + " is " + stream.peer_name());
  const Verdict verdict = introduce(stream, hello, deadline);
  if (verdict.refusal.empty()) return stream;
  if (!verdict.for_now) throw Error(ErrorCode::protocol, verdict.refusal);
  why.emplace(ErrorCode::protocol, verdict.refusal);
  return std::nullopt;
} catch (const Error& error) {
  if (!may_pass(error.code())) throw;
  why.emplace(error);
  return std::nullopt;
}

/// Connects to a node. Retries after temporary failures, until `DataPlane::kDialTimeout` or `deadline` has passed.
/// @throws Error that contains the node's name
TlsStream dial_node(const PeerNode& node, const Credentials& credentials, const Hello& hello,
                    const Deadline& deadline) try {
  std::optional<Error> why;
  milliseconds pause = kFirstPause;
  for (const Deadline dialling = sooner(deadline, DataPlane::kDialTimeout);;) {
    auto stream = try_dial(node, credentials, hello, deadline, why);
    if (stream) return std::move(*stream);
    if (dialling.left() <= pause) throw Error(*why);
    Clock::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
} catch (const Error& error) {
  // Without the node's name: this process has reached its own limit, and the node did not fail.
  if (error.code() == ErrorCode::limit_reached) throw;
  throw Error(error.code(), error.message(), {.node = label_of(node)});
}

}  // namespace

class DataPlane::Impl {
 public:
  Impl(std::shared_ptr<const Credentials> credentials, int threads, std::shared_ptr<net::RefusalLog> log)
      : credentials_(std::move(credentials)), threads_(std::max(1, threads)), log_(std::move(log)) {}

  void begin(const Membership& membership) {
    if (membership.self < 0 || static_cast<std::size_t>(membership.self) >= membership.nodes.size() ||
        membership.streams < 1)
      throw Error(ErrorCode::invalid_argument, "the membership does not contain this node, or has no connections");
    end();
    auto transport = std::make_shared<StreamTransport>(names_of(membership), membership.self, threads_, log_);
    const std::lock_guard lock(mutex_);
    membership_ = membership;
    taken_.clear();
    transport_ = std::move(transport);
  }

  void end() {
    std::shared_ptr<StreamTransport> ending;
    {
      const std::lock_guard lock(mutex_);
      ending = std::exchange(transport_, nullptr);
    }
    if (ending) ending->end();
  }

  void connect(const Deadline& deadline) {
    const std::shared_ptr<StreamTransport> transport = current();
    const Membership membership = this->membership();
    Hello hello = make_hello(Purpose::data);
    hello.run = membership.run;
    hello.generation = membership.generation;
    hello.token = membership.token;
    hello.node = membership.self;
    for (int node = 0; node < static_cast<int>(membership.nodes.size()); ++node) {
      const PeerNode& peer = membership.nodes[static_cast<std::size_t>(node)];
      if (node == membership.self || peer.address.host.empty()) continue;
      for (int stream = 0; stream < membership.streams; ++stream) {
        hello.stream = static_cast<std::uint32_t>(stream);
        auto connection = std::make_unique<TlsStream>(dial_node(peer, *credentials_, hello, deadline));
        connection->send_in_bulk();
        transport->add_outgoing(node, std::move(connection));
      }
    }
  }

  Verdict admit(const Hello& hello, const TlsStream& stream) const {
    const std::lock_guard lock(mutex_);
    return refusal(hello, stream);
  }

  void take(const Hello& hello, TlsStream stream) {
    std::shared_ptr<StreamTransport> transport;
    {
      // Checks the connection again, because the membership may have changed since the gate called `admit`.
      const std::lock_guard lock(mutex_);
      if (!refusal(hello, stream).refusal.empty()) return;
      taken_.emplace(hello.node, hello.stream);
      transport = transport_;
    }
    stream.receive_in_bulk();
    transport->add_incoming(hello.node, std::make_unique<TlsStream>(std::move(stream)));
  }

  /// Returns the transport of the current membership. @throws Error worker_lost if there is no membership
  std::shared_ptr<StreamTransport> current() const {
    const std::lock_guard lock(mutex_);
    if (!transport_) throw Error(ErrorCode::worker_lost, "this node is not in a cluster now");
    return transport_;
  }

 private:
  Membership membership() const {
    const std::lock_guard lock(mutex_);
    return membership_;
  }

  /// Returns the verdict about a data connection: the reason for a refusal, or an empty verdict if the connection is
  /// accepted. The caller must hold the mutex.
  Verdict refusal(const Hello& hello, const TlsStream& stream) const {
    if (!transport_) return {"no data is expected here now", true};
    if (hello.run != membership_.run) return "it belongs to another run";
    if (hello.generation != membership_.generation) return "it belongs to another generation of the cluster";
    if (CRYPTO_memcmp(hello.token.data(), membership_.token.data(), hello.token.size()) != 0)
      return "it does not know the run's token";
    if (hello.node < 0 || static_cast<std::size_t>(hello.node) >= membership_.nodes.size() ||
        hello.node == membership_.self)
      return "it claims to be a node that does not exist";
    const PeerNode& node = membership_.nodes[static_cast<std::size_t>(hello.node)];
    if (stream.peer_name() != node.name || stream.peer_role() != node.role)
      return "it is " + stream.peer_name() + ", but claims to be " + node.name;
    if (hello.stream >= static_cast<std::uint32_t>(membership_.streams)) return "it opens too many connections";
    if (taken_.contains({hello.node, hello.stream})) return "this connection already exists";
    return {};
  }

  const std::shared_ptr<const Credentials> credentials_;
  const int threads_;
  const std::shared_ptr<net::RefusalLog> log_;
  mutable std::mutex mutex_;
  Membership membership_;
  /// The accepted connections: number of the node, number of the connection.
  std::set<std::pair<std::int32_t, std::uint32_t>> taken_;
  std::shared_ptr<StreamTransport> transport_;  ///< the transport of the membership; null if there is no membership
};

DataPlane::DataPlane(std::shared_ptr<const Credentials> credentials, int threads, std::shared_ptr<net::RefusalLog> log)
    : impl_(std::make_unique<Impl>(std::move(credentials), threads, std::move(log))) {}

DataPlane::~DataPlane() { impl_->end(); }

void DataPlane::begin(const Membership& membership) { impl_->begin(membership); }
void DataPlane::connect(const Deadline& deadline) { impl_->connect(deadline); }
std::shared_ptr<Transport> DataPlane::transport() const { return impl_->current(); }
void DataPlane::end() { impl_->end(); }

Verdict DataPlane::admit(const Hello& hello, const TlsStream& stream) const { return impl_->admit(hello, stream); }
void DataPlane::take(const Hello& hello, TlsStream stream) { impl_->take(hello, std::move(stream)); }

void DataPlane::announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                         std::shared_ptr<const void> keep, SegmentLength length) {
  impl_->current()->announce(window, from, bytes, segment_bytes, std::move(keep), length);
}

void DataPlane::withdraw(WindowId window) { impl_->current()->withdraw(window); }

void DataPlane::send(int to, WindowId window, std::uint64_t ticket, std::uint32_t segment,
                     std::span<const std::byte> bytes, const Deadline& deadline) {
  impl_->current()->send(to, window, ticket, segment, bytes, deadline);
}

void DataPlane::wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline) {
  impl_->current()->wait(window, ticket, segment, deadline);
}

std::string DataPlane::name_of(int node) const { return impl_->current()->name_of(node); }

}  // namespace troupe
