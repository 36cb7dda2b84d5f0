#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "tls_session.hpp"

using namespace troupe;
using namespace troupe_test;
using Wants = ByteStream::Wants;

TEST_CASE("the end of OpenSSL's side arrives after all of its bytes") {
  in_both_roles([](Session& session) {
    const Bytes bytes(50'000, std::byte{5});
    session.theirs().write(bytes);
    SSL_shutdown(session.theirs().ssl());
    session.they_send();
    CHECK(session.we_read(49'000) == Bytes(49'000, std::byte{5}));
    Bytes piece(49'000);
    std::size_t rest = 0;
    ByteStream::Progress progress;
    do {
      progress = session.we_read_some(std::span(piece).subspan(rest));
      rest += progress.bytes;
    } while (progress.wants == Wants::read);
    CHECK(rest == 1000);
    CHECK(progress.wants == Wants::closed);
    CHECK_FALSE(session.ours().pending());
    CHECK(session.we_read_some(piece).wants == Wants::closed);
    // The other direction is still open.
    session.we_write(bytes);
    CHECK(session.they_read(bytes.size()) == bytes);
  });
}

TEST_CASE("OpenSSL sees our end as orderly, after all of our bytes") {
  for (const bool more : {false, true}) {
    in_both_roles([&](Session& session) {
      session.ours().send_in_bulk();
      session.we_write(Bytes(1000, std::byte{5}), more);
      session.end_ours();
      CHECK(session.they_read(2000) == Bytes(1000, std::byte{5}));
      CHECK(session.theirs().error == SSL_ERROR_ZERO_RETURN);
    });
  }
}

TEST_CASE("a connection that is cut in the middle of a record or before one is closed") {
  for (const std::size_t cut : {0, 1, 5, 200}) {
    in_both_roles([&](Session& session) {
      session.theirs().write(Bytes(100, std::byte{1}));
      std::size_t first = 0;
      session.theirs().on_sending = [&](Bytes& bytes) { bytes.resize(first == 0 ? bytes.size() : cut); };
      session.they_send();
      first = 1;
      session.they_write(Bytes(1000, std::byte{2}));
      session.theirs().hang_up();
      CHECK(session.we_read(100) == Bytes(100, std::byte{1}));
      Bytes piece(10);
      const auto progress = session.we_read_some(piece);
      CHECK(progress.bytes == 0);
      CHECK(progress.wants == Wants::closed);
    });
  }
}

TEST_CASE("writing to a lost connection fails") {
  in_both_roles([](Session& session) {
    session.theirs().hang_up();
    const Bytes bytes(1'000'000);
    const auto write = [&] { session.we_write(bytes); };
    for (int i = 0; i < 100 && !code_of(write); ++i) {
    }
    CHECK(code_of(write) == ErrorCode::worker_lost);
  });
}

TEST_CASE("changed bytes on their way to us cause an error here and an alert for OpenSSL") {
  for (const std::size_t at : {5, 50, 121}) {
    in_both_roles([&](Session& session) {
      session.they_write(Bytes(10, std::byte{1}));
      session.theirs().on_sending = [&](Bytes& bytes) { bytes[at] ^= std::byte{4}; };
      session.they_write(Bytes(100, std::byte{1}));
      CHECK(session.we_read(10) == Bytes(10, std::byte{1}));
      Bytes piece(10);
      const auto read = [&] { session.we_read_some(piece); };
      CHECK(message_of(read).find("was changed in transit") != std::string::npos);
      session.end_ours();
      CHECK(session.they_read(1).empty());
      CHECK(session.theirs().error == SSL_ERROR_SSL);
      CHECK(session.theirs().reason == SSL_R_SSLV3_ALERT_BAD_RECORD_MAC);
    });
  }
}

TEST_CASE("after an alert we send nothing more, not even our end") {
  in_both_roles([](Session& session) {
    session.theirs().on_sending = [&](Bytes& bytes) { bytes.back() ^= std::byte{1}; };
    session.they_write(Bytes(100, std::byte{1}));
    Bytes piece(10);
    CHECK(code_of([&] { session.we_read_some(piece); }) == ErrorCode::protocol);
    CHECK(session.we_read_some(piece).wants == Wants::closed);
    CHECK(code_of([&] { session.we_write(piece); }) == ErrorCode::worker_lost);
    session.end_ours();
    wait_for(session.theirs().fd(), Wants::read, soon());
    CHECK(session.theirs().receive().size() == 2 + kRecordOverhead);
  });
}

TEST_CASE("invalid records cause an error here and an alert for OpenSSL") {
  in_both_roles([](Session& session) {
    session.theirs().on_sending = [&](Bytes& bytes) { bytes = Bytes(20, std::byte{'G'}); };
    session.they_write(Bytes(100, std::byte{1}));
    Bytes piece(10);
    const auto read = [&] { session.we_read_some(piece); };
    CHECK(message_of(read) == "it does not speak TLS");
    CHECK(session.they_read(1).empty());
    CHECK(session.theirs().error == SSL_ERROR_SSL);
  });
}

TEST_CASE("changed bytes on their way to OpenSSL cause an error there and an alert for us") {
  in_both_roles([](Session& session) {
    session.theirs().on_receiving = [&](Bytes& bytes) { bytes.back() ^= std::byte{4}; };
    session.we_write(Bytes(100, std::byte{1}));
    CHECK(session.they_read(1).empty());
    CHECK(session.theirs().reason == SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC);
    session.they_send();
    Bytes piece(10);
    const auto read = [&] { session.we_read_some(piece); };
    CHECK(message_of(read) == "it ended the connection with an alert: bad record mac");
    // And we send no answer.
    session.theirs().on_receiving = nullptr;
    session.end_ours();
    wait_for(session.theirs().fd(), Wants::read, soon());
    CHECK(session.theirs().receive().empty());
  });
}

TEST_CASE("a certificate that OpenSSL refuses is reported by the first read") {
  const FileDescriptor listener = net::listen_on({"127.0.0.1", 0});
  const auto driver = trial_authority().driver();
  auto shaken = std::async(std::launch::async, [&] {
    wait_for(listener.get(), Wants::read, soon());
    OpensslPeer peer(net::accept_from(listener.get()), driver->server(), true);
    SSL_set_verify(peer.ssl(), SSL_VERIFY_PEER, [](int, X509_STORE_CTX* context) {
      X509_STORE_CTX_set_error(context, X509_V_ERR_CERT_UNTRUSTED);
      return 0;
    });
    return peer.shake_hands(soon());
  });
  TlsStream stream = TlsStream::dial(net::local_of(listener.get()), *trial_authority().node(0), Role::driver, soon());
  CHECK_FALSE(shaken.get());
  Bytes piece(10);
  const auto read = [&] { stream.read_all(piece, soon()); };
  CHECK(message_of(read) == "it refuses our certificate");
}
