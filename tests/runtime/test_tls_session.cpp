#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "tls_session.hpp"

// Checks that a stream makes after the handshake. Its own contexts would never agree to such sessions, so the tests
// weaken them.
using namespace troupe;
using namespace troupe_test;

namespace {

using TlsSession = std::unique_ptr<SSL_SESSION, net::Free<&SSL_SESSION_free>>;

/// Fresh credentials of one authority by default, so that weakened contexts affect one test only.
struct Sides {
  std::shared_ptr<const Credentials> driver = trial_authority().driver();
  std::shared_ptr<const Credentials> node = trial_authority().node(0);

  std::array<SSL_CTX*, 2> shaking(bool we_serve) const {
    return we_serve ? std::array{driver->server(), node->client()} : std::array{node->client(), driver->server()};
  }
};

/// Returns the error about an OpenSSL peer, or "" if the stream accepts the peer.
std::string said_of_peer(
    const Sides& sides, bool we_serve, const std::function<void(OpensslPeer&)>& before = [](OpensslPeer&) {},
    const std::function<void(OpensslPeer&)>& afterwards = [](OpensslPeer&) {}) {
  const FileDescriptor listener = net::listen_on({"127.0.0.1", 0});
  const Address at = net::local_of(listener.get());
  auto shaken = std::async(std::launch::async, [&] {
    OpensslPeer peer(we_serve ? net::connect_to(at, soon()) : next_of(listener.get()), sides.shaking(we_serve)[1],
                     !we_serve);
    before(peer);
    if (peer.shake_hands(soon())) afterwards(peer);
  });
  const auto shake = [&] {
    if (we_serve)
      serve(listener.get(), *sides.driver);
    else
      TlsStream::dial(at, *sides.node, Role::driver, soon());
  };
  std::string said = message_of(shake);
  shaken.get();
  return said;
}

void check_in_both_roles(const std::function<void(SSL_CTX* ours, SSL_CTX* theirs)>& weaken, const std::string& why) {
  for (const bool we_serve : {false, true}) {
    CAPTURE(we_serve);
    const Sides sides;
    CHECK(said_of_peer(sides, we_serve) == "");
    const auto [ours, theirs] = sides.shaking(we_serve);
    weaken(ours, theirs);
    const std::string said = said_of_peer(sides, we_serve);
    CAPTURE(said);
    CHECK(said.ends_with(why));
  }
}

int take_any(int, X509_STORE_CTX*) { return 1; }

}  // namespace

TEST_CASE("an older TLS version is refused after any handshake") {
  const auto weaken = [](SSL_CTX* ours, SSL_CTX* theirs) {
    SSL_CTX_set_min_proto_version(ours, TLS1_2_VERSION);
    SSL_CTX_set_min_proto_version(theirs, TLS1_2_VERSION);
    SSL_CTX_set_max_proto_version(theirs, TLS1_2_VERSION);
  };
  check_in_both_roles(weaken, "it does not speak TLS 1.3");
}

TEST_CASE("another cipher suite is refused after any handshake") {
  const auto weaken = [](SSL_CTX* ours, SSL_CTX* theirs) {
    for (SSL_CTX* const side : {ours, theirs}) SSL_CTX_set_ciphersuites(side, "TLS_CHACHA20_POLY1305_SHA256");
  };
  check_in_both_roles(weaken, "it does not use AES-128-GCM");
}

TEST_CASE("an invalid certificate is refused after any handshake") {
  const TrialAuthority other(1);
  for (const bool we_serve : {false, true}) {
    CAPTURE(we_serve);
    Sides sides;
    (we_serve ? sides.node : sides.driver) = we_serve ? other.node(0) : other.driver();
    const auto [ours, theirs] = sides.shaking(we_serve);
    SSL_CTX_set_verify(theirs, SSL_VERIFY_PEER, &take_any);
    CHECK(said_of_peer(sides, we_serve).find("its certificate is invalid: ") != std::string::npos);
    SSL_CTX_set_verify(ours, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, &take_any);
    CHECK(said_of_peer(sides, we_serve).ends_with("its certificate is invalid"));
  }
}

TEST_CASE("a resumed session is refused after any handshake") {
  const Sides sides;
  SSL_CTX* const server = sides.driver->server();
  SSL_CTX_clear_options(server, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(server, 1);
  SSL_CTX_set_session_cache_mode(server, SSL_SESS_CACHE_SERVER);
  SSL_CTX_set_session_id_context(server, reinterpret_cast<const unsigned char*>("troupe"), 6);
  TlsSession session(nullptr);
  const auto keep = [&](OpensslPeer& peer) {
    wait_for(peer.fd(), ByteStream::Wants::read, soon());
    peer.receive();
    peer.read(1);
    SSL_shutdown(peer.ssl());  // otherwise OpenSSL does not mark the session as resumable
    session.reset(SSL_get1_session(peer.ssl()));
  };
  CHECK(said_of_peer(
            sides, true, [](OpensslPeer&) {}, keep) == "");
  REQUIRE(session);
  REQUIRE(SSL_SESSION_is_resumable(session.get()) == 1);
  const auto resume = [&](OpensslPeer& peer) { SSL_set_session(peer.ssl(), session.get()); };
  CHECK(said_of_peer(sides, true, resume) == "it resumes an earlier session");
}

TEST_CASE("data that was received before the end of the handshake is refused") {
  const Sides sides;
  const auto speak = [](OpensslPeer& peer) { peer.first_words = Bytes(100); };
  CHECK(said_of_peer(sides, true, speak) == "");  // the data is still in the socket
  SSL_CTX_set_read_ahead(sides.driver->server(), 1);
  CHECK(said_of_peer(sides, true, speak) == "it sent data before the end of the handshake");
}
