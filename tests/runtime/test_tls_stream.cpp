#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "tls_session.hpp"

using namespace troupe;
using namespace troupe_test;
using Wants = ByteStream::Wants;

namespace {

constexpr std::size_t kMuch = kSanitized ? 12'000'000 : 24'000'000;

/// Transfers many bytes in both directions at the same time, in one thread.
class Exchange {
 public:
  Exchange(Session& session, std::size_t ours, std::size_t theirs, std::size_t largest_write, std::size_t largest_read)
      : session_(session),
        ours_(random_bytes(random_, ours)),
        theirs_(random_bytes(random_, theirs)),
        largest_write_(largest_write),
        piece_(largest_read) {}

  /// @param meanwhile called before each write when OpenSSL has no write in progress
  void run(const std::function<void()>& meanwhile = nullptr) {
    const Deadline deadline = soon();
    while (read_by_us_.size() < theirs_.size() || read_by_them_.size() < ours_.size()) {
      REQUIRE_FALSE(deadline.passed());
      bool moved = we_write();
      moved = they_write(meanwhile) || moved;
      moved = we_read() || moved;
      moved = they_read() || moved;
      if (!moved) wait();
    }
    CHECK(read_by_us_ == theirs_);
    CHECK(read_by_them_ == ours_);
  }
  int blocked() const { return blocked_; }

 private:
  bool we_write() {
    if (message_ == 0) {
      message_ = std::min(1 + random_below(random_, largest_write_), ours_.size() - written_by_us_);
      more_ = written_by_us_ + message_ < ours_.size() && random_below(random_, 3) == 0;
    }
    if (message_ == 0) return false;
    const auto progress = session_.ours().write_some(std::span(ours_).subspan(written_by_us_, message_), more_);
    REQUIRE(progress.wants != Wants::closed);
    if (progress.wants == Wants::write) ++blocked_;
    written_by_us_ += progress.bytes;
    message_ -= progress.bytes;
    return progress.bytes > 0;
  }
  bool they_write(const std::function<void()>& meanwhile) {
    if (!session_.theirs().send()) return false;
    if (meanwhile) meanwhile();
    const std::size_t bytes = std::min(1 + random_below(random_, largest_write_), theirs_.size() - written_by_them_);
    if (bytes > 0) session_.theirs().write(std::span(theirs_).subspan(written_by_them_, bytes));
    written_by_them_ += bytes;
    return session_.theirs().send() && bytes > 0;
  }
  bool we_read() {
    const auto progress = session_.ours().read_some(piece_);
    REQUIRE(progress.wants != Wants::closed);
    read_by_us_.insert(read_by_us_.end(), piece_.begin(), piece_.begin() + static_cast<std::ptrdiff_t>(progress.bytes));
    return progress.bytes > 0;
  }
  bool they_read() {
    session_.theirs().receive();
    const Bytes read = session_.theirs().read(ours_.size() - read_by_them_.size());
    read_by_them_ += read;
    return !read.empty();
  }
  void wait() const {
    pollfd both[] = {{session_.ours().fd(), POLLIN, 0}, {session_.theirs().fd(), POLLIN, 0}};
    if (message_ > 0) both[0].events |= POLLOUT;
    if (!session_.theirs().send()) both[1].events |= POLLOUT;
    REQUIRE(::poll(both, 2, 60'000) > 0);
  }

  Session& session_;
  std::mt19937 random_{1};
  const Bytes ours_, theirs_;
  Bytes read_by_us_, read_by_them_;
  std::size_t written_by_us_ = 0, written_by_them_ = 0;
  std::size_t largest_write_;
  std::size_t message_ = 0;  ///< remaining bytes of our current message
  bool more_ = false;
  Bytes piece_;
  int blocked_ = 0;
};

constexpr int kSmallBuffers = 40'000;

/// Writes until the socket accepts no more in two calls in a row. Returns the number of accepted bytes.
std::size_t write_rest(Session& session, const Bytes& bytes, std::size_t written, bool more) {
  std::size_t taken = 0;
  for (int i = 0; i < 2; ++i) {
    const auto progress = session.ours().write_some(std::span(bytes).subspan(written + taken), more);
    taken += progress.bytes;
    if (progress.wants == Wants::nothing) break;
    CHECK(progress.wants == Wants::write);
  }
  return taken;
}

Bytes read_until_writable(Session& session) {
  Bytes read;
  pollfd both[] = {{session.ours().fd(), POLLOUT, 0}, {session.theirs().fd(), POLLIN, 0}};
  do {
    REQUIRE(::poll(both, 2, 60'000) > 0);
    session.theirs().receive();
    read += session.theirs().read(10'000'000);
  } while ((both[0].revents & POLLOUT) == 0);
  return read;
}

}  // namespace

TEST_CASE("bytes are transferred in both directions between a stream and OpenSSL, in both roles") {
  in_both_roles([](Session& session) {
    std::mt19937 random(1);
    for (const std::size_t size : {1, 2, 100, 16'383, 16'384, 16'385, 100'000}) {
      const Bytes bytes = random_bytes(random, size);
      session.we_write(bytes);
      CHECK(session.they_read(size) == bytes);
      session.they_write(bytes);
      CHECK(session.we_read(size) == bytes);
    }
    CHECK(session.theirs().key_updates() == 0);
  });
}

TEST_CASE("many bytes are transferred in both directions at the same time, with large and small buffers") {
  for (const bool bulk : {false, true}) {
    for (const int buffers : {0, kSmallBuffers}) {
      CAPTURE(bulk);
      CAPTURE(buffers);
      in_both_roles(
          [&](Session& session) {
            if (bulk) session.ours().send_in_bulk();
            if (bulk) session.ours().receive_in_bulk();
            Exchange exchange(session, kMuch / 8, kMuch / 8, 200'000, bulk ? 300'000 : 20'000);
            exchange.run();
            if (buffers > 0) CHECK(exchange.blocked() > 0);
          },
          buffers);
    }
  }
}

TEST_CASE("one direction transfers many bytes in large pieces") {
  in_both_roles([](Session& session) {
    session.ours().send_in_bulk();
    Exchange(session, kMuch, 0, 2'000'000, 1).run();
    session.ours().receive_in_bulk();
    Exchange(session, 0, kMuch, 2'000'000, 1'000'000).run();
  });
}

TEST_CASE("key updates of OpenSSL during a transfer are followed and answered") {
  in_both_roles(
      [](Session& session) {
        int number = 0;
        int asked = 0;
        Exchange(session, kMuch / 16, kMuch / 16, 50'000, 30'000).run([&] {
          if (++number % 3 != 0) return;
          const bool ask = number % 2 == 0;
          REQUIRE(SSL_key_update(session.theirs().ssl(),
                                 ask ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
          REQUIRE(SSL_do_handshake(session.theirs().ssl()) == 1);
          if (ask) ++asked;
        });
        CHECK(number > 10);
        CHECK(asked > 2);
        // Requests that arrive together may have one answer.
        CHECK(session.theirs().key_updates() > 0);
        CHECK(session.theirs().key_updates() <= asked);
      },
      kSmallBuffers);
}

TEST_CASE("a requested key update is sent before our next byte, and no other key update is") {
  in_both_roles([](Session& session) {
    int expected = 0;
    for (const bool ask : {true, false, true, true, false}) {
      SSL_key_update(session.theirs().ssl(), ask ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED);
      session.they_write(Bytes(5, std::byte{1}));
      CHECK(session.we_read(5) == Bytes(5, std::byte{1}));
      CHECK(session.theirs().key_updates() == expected);
      session.we_write(Bytes(3, std::byte{2}));
      CHECK(session.they_read(3) == Bytes(3, std::byte{2}));
      if (ask) ++expected;
      CHECK(session.theirs().key_updates() == expected);
    }
  });
}

TEST_CASE("a stream updates its key long before the limit of AES-GCM, also if its socket is full") {
  for (const bool bulk : {false, true}) {
    CAPTURE(bulk);
    in_both_roles(
        [&](Session& session) {
          if (bulk) session.ours().send_in_bulk();
          const Bytes piece(1'000'003, std::byte{1});
          const std::size_t all = 140 * piece.size();
          std::size_t read = 0;
          const auto they_read = [&] {
            session.theirs().receive();
            const Bytes got = session.theirs().read(10'000'000);
            REQUIRE(got == Bytes(got.size(), std::byte{1}));
            read += got.size();
          };
          for (std::size_t written = 0; written < all;) {
            const auto progress = session.ours().write_some(std::span(piece).subspan(written % piece.size()));
            REQUIRE(progress.wants != Wants::closed);
            written += progress.bytes;
            if (progress.wants == Wants::write) they_read();
          }
          while (read < all) they_read();
          CHECK(session.theirs().key_updates() == 2);
        },
        kSmallBuffers);
  }
}

TEST_CASE("a TLS message without data ends a read call, so that many of them do not block a thread") {
  in_both_roles([](Session& session) {
    for (int i = 0; i < 2; ++i) {
      REQUIRE(SSL_key_update(session.theirs().ssl(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
      REQUIRE(SSL_do_handshake(session.theirs().ssl()) == 1);
    }
    session.they_write(Bytes(5, std::byte{1}));
    wait_for(session.ours().fd(), Wants::read, soon());
    Bytes piece(5);
    for (int i = 0; i < 2; ++i) {
      const auto progress = session.ours().read_some(piece);
      CHECK(progress.bytes == 0);
      CHECK(progress.wants == Wants::read);
      CHECK_FALSE(session.ours().pending());
    }
    CHECK(session.ours().read_some(piece).bytes == 5);
  });
}

TEST_CASE("a peer that sends TLS messages without end is disconnected in every read mode") {
  enum class Way { one_by_one, ahead, bulk };
  for (const Way way : {Way::one_by_one, Way::ahead, Way::bulk}) {
    CAPTURE(static_cast<int>(way));
    in_both_roles([&](Session& session) {
      if (way == Way::ahead) session.ours().read_ahead();
      if (way == Way::bulk) session.ours().receive_in_bulk();
      Bytes piece(5);
      std::optional<ErrorCode> code;
      int renewals = 0;
      for (; renewals < 40 && !code; ++renewals) {
        REQUIRE(SSL_key_update(session.theirs().ssl(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
        REQUIRE(SSL_do_handshake(session.theirs().ssl()) == 1);
        session.they_send();
        code = code_of([&] {
          wait_for(session.ours().fd(), Wants::read, soon());
          for (int i = 0; i < 2; ++i) session.ours().read_some(piece);
        });
      }
      CHECK(code == ErrorCode::protocol);
      CHECK(renewals > 5);
    });
  }
}

TEST_CASE("in bulk mode, bytes marked with `more` are kept until the next bytes") {
  in_both_roles([](Session& session) {
    session.ours().send_in_bulk();
    const Bytes header(20, std::byte{1});
    const Bytes rest(30, std::byte{2});
    const auto progress = session.ours().write_some(header, true);
    CHECK(progress.bytes == header.size());
    CHECK(progress.wants == Wants::nothing);
    CHECK(session.theirs().receive().empty());
    session.we_write(rest);
    wait_for(session.theirs().fd(), Wants::read, soon());
    CHECK(session.theirs().receive().size() == 50 + 2 * kRecordOverhead);  // exactly once, and no other bytes
    CHECK(session.theirs().read(50) == joined({header, rest}));
    // Bytes that exceed the buffer are sent at once.
    const Bytes much(500'000, std::byte{3});
    session.ours().write_some(much, true);
    wait_for(session.theirs().fd(), Wants::read, soon());
    CHECK_FALSE(session.theirs().receive().empty());
  });
}

TEST_CASE("when the socket was full, writing continues without loss or repetition") {
  struct Way {
    bool bulk, more;
  };
  for (const Way way : {Way{false, false}, Way{true, false}, Way{true, true}}) {
    CAPTURE(way.bulk);
    CAPTURE(way.more);
    in_both_roles(
        [&](Session& session) {
          if (way.bulk) session.ours().send_in_bulk();
          std::mt19937 random(1);
          const Bytes bytes = random_bytes(random, 3'000'000);
          const auto before = session.ours().write_some(std::span(bytes).first(100), true);
          CHECK(before.bytes == 100);
          Bytes read;
          int blocked = 0;
          for (std::size_t written = 100; written < bytes.size();
               written += write_rest(session, bytes, written, way.more)) {
            ++blocked;
            read += read_until_writable(session);
          }
          CHECK(blocked > 3);
          const Bytes last(10, std::byte{9});
          auto ending = std::async(std::launch::async, [&] { session.we_write(last); });
          read += session.they_read(bytes.size() + last.size() - read.size());
          ending.get();
          CHECK(read == joined({bytes, last}));
        },
        kSmallBuffers);
  }
}

TEST_CASE("receiving in bulk may begin in the middle of a record") {
  in_both_roles([](Session& session) {
    std::mt19937 random(1);
    const Bytes bytes = random_bytes(random, 300'000);
    session.theirs().write(bytes);
    auto sending = std::async(std::launch::async, [&] { session.they_send(); });
    Bytes read = session.we_read(20'000);
    session.ours().receive_in_bulk();
    read += session.we_read(bytes.size() - read.size());
    sending.get();
    CHECK(read == bytes);
  });
}

TEST_CASE("decrypted bytes that were not requested are pending") {
  in_both_roles([](Session& session) {
    CHECK_FALSE(session.ours().pending());
    session.they_write(Bytes(100, std::byte{1}));
    CHECK(session.we_read(60).size() == 60);
    CHECK(session.ours().pending());
    CHECK(session.we_read(40).size() == 40);
    CHECK_FALSE(session.ours().pending());
  });
}

TEST_CASE("with read-ahead, bytes received with a record are pending and read without the socket") {
  in_both_roles([](Session& session) {
    session.ours().read_ahead();
    for (int i = 0; i < 3; ++i) session.theirs().write(Bytes(100, std::byte{1}));
    session.theirs().on_sending = [](Bytes& bytes) { bytes.resize(bytes.size() - 10); };
    session.they_send();
    wait_for(session.ours().fd(), Wants::read, soon());
    Bytes piece(100);
    CHECK(session.ours().read_some(piece).bytes == 100);
    CHECK(session.ours().pending());
    CHECK(session.ours().read_some(piece).bytes == 100);
    CHECK(session.ours().pending());  // the beginning of the third record
    for (int i = 0; i < 3; ++i) {
      const auto progress = session.ours().read_some(piece);
      CHECK(progress.bytes == 0);
      CHECK(progress.wants == Wants::read);
    }
  });
}

TEST_CASE("data that arrives with the end of the handshake is not lost") {
  const Bytes words(40'000, std::byte{3});
  const FileDescriptor listener = net::listen_on({"127.0.0.1", 0});
  const Address at = net::local_of(listener.get());
  auto shaken = std::async(std::launch::async, [&] {
    OpensslPeer peer(net::connect_to(at, soon()), trial_authority().node(0)->client(), false);
    peer.first_words = words;
    return peer.shake_hands(soon());
  });
  TlsStream stream = serve(listener.get());
  CHECK(shaken.get());
  Bytes heard(words.size());
  stream.read_all(heard, soon());
  CHECK(heard == words);
}
