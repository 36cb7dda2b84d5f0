#include <doctest/doctest.h>

#include <optional>

#include "record_trial.hpp"
#include "runtime/net/tls_error.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe::net;

namespace {

/// How a reader takes what its peer sends.
struct Outcome {
  Bytes read;
  std::optional<Alert> refusal;  ///< what is told to the peer
  std::string why;
};

Outcome outcome_of(std::span<const std::byte> wire, std::size_t most = 100'000) {
  RecordReader reader(trial_secret(), 3);
  Outcome outcome;
  Bytes piece(most);
  const auto read = [&] {
    std::size_t got = 0;
    do {
      got = reader.read(piece);
      outcome.read.insert(outcome.read.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
    } while (got > 0);
  };
  try {
    while (!wire.empty()) {
      wire = wire.subspan(receive(reader, wire));
      read();
    }
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::protocol);
    outcome.refusal = reader.alert();
    outcome.why = error.message();
  }
  return outcome;
}

void check_refused(const Bytes& wire, Alert with, const std::string& why = "") {
  for (const std::size_t most : {7, 100'000}) {
    const Outcome outcome = outcome_of(wire, most);
    REQUIRE(outcome.refusal.has_value());
    CHECK(*outcome.refusal == with);
    CHECK(outcome.why.find(why) != std::string::npos);
  }
}

std::optional<Alert> refusal_of(const Bytes& wire) { return outcome_of(wire).refusal; }

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

constexpr std::size_t kMaxPadding = kMaxRecordBytes - kRecordOverhead - kMaxRecordContent;

}  // namespace

TEST_CASE("a bit changed anywhere in a record, its header included, is refused") {
  TrialPeer peer;
  const Bytes before = peer.data(10);
  const Bytes record = peer.data(40, 3);
  const Bytes after = joined({peer.data(3000), peer.data(kMaxRecordContent), peer.data(kMaxRecordContent)});
  for (std::size_t bit = 0; bit < 8 * record.size(); ++bit) {
    CAPTURE(bit);
    Bytes bad = record;
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    const Outcome outcome = outcome_of(joined({before, bad, after}), 10);
    REQUIRE(outcome.refusal.has_value());
    CHECK(outcome.read.size() == 10);
    if (bit / 8 >= kRecordHeaderBytes) CHECK(*outcome.refusal == Alert::bad_record_mac);
    if (bit / 8 < 3) CHECK(*outcome.refusal == Alert::unexpected_message);
  }
}

TEST_CASE("a record that is replayed, dropped or out of turn is refused") {
  TrialPeer peer;
  const Bytes first = peer.data(10);
  const Bytes second = peer.data(20);
  const Bytes third = peer.data(30);
  CHECK_FALSE(refusal_of(joined({first, second, third})).has_value());
  check_refused(joined({first, first}), Alert::bad_record_mac, "was changed on the way");
  check_refused(joined({first, second, first}), Alert::bad_record_mac);
  check_refused(joined({first, third}), Alert::bad_record_mac);
  check_refused(joined({second, first}), Alert::bad_record_mac);
  const Bytes update = peer.key_update(false);
  const Bytes fourth = peer.data(10);
  CHECK_FALSE(refusal_of(joined({first, second, third, update, fourth})).has_value());
  check_refused(joined({first, second, third, fourth}), Alert::bad_record_mac);
  check_refused(joined({first, second, third, update, first}), Alert::bad_record_mac);
}

TEST_CASE("a record of the largest size is taken, and one byte more is refused by its header") {
  CHECK(outcome_of(TrialPeer().data(kMaxRecordContent, kMaxPadding)).read.size() == kMaxRecordContent);
  CHECK(outcome_of(TrialPeer().data(kMaxRecordContent, kMaxPadding), 100).read.size() == kMaxRecordContent);
  CHECK_FALSE(refusal_of(from_hex("17 03 03 41 00")).has_value());
  check_refused(from_hex("17 03 03 41 01"), Alert::record_overflow, "too many bytes");
  check_refused(from_hex("17 03 03 ff ff"), Alert::record_overflow);
}

TEST_CASE("content of more bytes than a record may have is refused") {
  CHECK_FALSE(refusal_of(TrialPeer().data(kMaxRecordContent)).has_value());
  check_refused(TrialPeer().data(kMaxRecordContent + 1), Alert::record_overflow, "too many bytes");
  check_refused(TrialPeer().data(kMaxRecordContent + 1, kMaxPadding - 1), Alert::record_overflow);
}

TEST_CASE("a record too short for a type and a tag is refused") {
  CHECK_FALSE(refusal_of(TrialPeer().data(0)).has_value());
  check_refused(joined({from_hex("17 03 03 00 10"), Bytes(16)}), Alert::decode_error, "too few bytes");
  check_refused(from_hex("17 03 03 00 00"), Alert::decode_error);
  check_refused(joined({from_hex("17 03 03 00 11"), Bytes(17)}), Alert::bad_record_mac);
}

TEST_CASE("what is no protected record is refused") {
  for (const char* const wire : {"14 03 03 00 01 01", "15 03 03 00 02 02 28", "16 03 03 00 20", "17 03 01 00 20",
                                 "17 02 03 00 20", "00 00 00 00 00", "48 54 54 50 2f"})
    check_refused(from_hex(wire), Alert::unexpected_message, "something else than TLS records");
}

TEST_CASE("a message that does not belong behind the handshake is refused") {
  const auto refused = [](int type, std::initializer_list<int> content, Alert with = Alert::unexpected_message) {
    CAPTURE(type);
    check_refused(TrialPeer().record(type, bytes_of(content)), with);
    check_refused(TrialPeer().record(type, bytes_of(content), 20), with);
  };
  CHECK_FALSE(refusal_of(TrialPeer().record(22, bytes_of({24, 0, 0, 1, 0}))).has_value());
  CHECK_FALSE(refusal_of(TrialPeer().record(22, bytes_of({24, 0, 0, 1, 1}))).has_value());
  refused(22, {24, 0, 0, 1, 2}, Alert::illegal_parameter);
  refused(22, {24, 0, 0, 1, 255}, Alert::illegal_parameter);
  refused(22, {24, 0, 0, 1});
  refused(22, {24, 0, 0, 1, 0, 0});
  refused(22, {24, 0, 0, 2, 0, 0});
  refused(22, {24, 0, 0, 2, 0});
  refused(22, {24, 0, 1, 1, 0});
  refused(22, {24, 1, 0, 1, 0});
  refused(22, {24, 0, 0, 1, 0, 24, 0, 0, 1, 0});
  refused(22, {4, 0, 0, 1, 0});   // a ticket
  refused(22, {13, 0, 0, 1, 0});  // a request for a certificate
  refused(22, {});
  refused(20, {1});
  refused(21, {1});
  refused(21, {1, 0, 0});
  refused(24, {1, 2, 3});
  refused(255, {1});
  // Nothing but zeros has no type.
  check_refused(TrialPeer().record(0, {}), Alert::unexpected_message);
  check_refused(TrialPeer().record(0, {}, 100), Alert::unexpected_message);
  check_refused(TrialPeer().record(0, {}, kMaxRecordContent), Alert::unexpected_message);
}

TEST_CASE("some records without content are taken, and too many of them are refused") {
  constexpr int kMost = 32;
  const auto send = [](int records, auto record) {
    TrialPeer peer;
    Bytes wire;
    for (int i = 0; i < 3; ++i) {
      for (int n = 0; n < records; ++n) wire += record(peer);
      wire += peer.data(1);
    }
    return wire;
  };
  const auto empty = [](TrialPeer& peer) { return peer.data(0); };
  const auto padded = [](TrialPeer& peer) { return peer.data(0, 200); };
  const auto update = [](TrialPeer& peer) { return peer.key_update(true); };
  const auto check = [&](auto record) {
    CHECK(outcome_of(send(kMost, record)).read.size() == 3);
    CHECK(outcome_of(send(kMost, record), 1).read.size() == 3);
    check_refused(send(kMost + 1, record), Alert::unexpected_message, "without content");
  };
  check(empty);
  check(padded);
  check(update);
}

TEST_CASE("a peer's alert is told in words, and not answered") {
  for (const int code : {10, 20, 40, 42, 80, 116, 200}) {
    for (const int level : {1, 2}) {
      TrialPeer peer;
      const Outcome outcome = outcome_of(joined({peer.data(5), peer.alert(level, code)}), 5);
      REQUIRE(outcome.refusal.has_value());
      CHECK(*outcome.refusal == Alert::close_notify);
      CHECK(outcome.why == alert_text(code));
      CHECK(outcome.read.size() == 5);
    }
  }
  CHECK(outcome_of(TrialPeer().alert(2, 20)).why == "it ended the connection with an alert: bad record mac");
  CHECK(outcome_of(TrialPeer().alert(2, 116)).why == "it refuses our certificate");
}
