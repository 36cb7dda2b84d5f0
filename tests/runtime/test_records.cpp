#include <doctest/doctest.h>

#include <optional>

#include "record_trial.hpp"
#include "runtime/clock.hpp"
#include "runtime/net/record_writer.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe::net;

namespace {

constexpr std::uint64_t kNever = 1 << 20;

/// A writer and a reader, with what lies between them. `pending` is held against what `read` does each time.
class Line {
 public:
  Line(std::size_t records, std::uint64_t records_per_key)
      : writer(trial_secret(), records, records_per_key), reader(trial_secret(), records) {}

  /// From the writer to the wire.
  void send(std::size_t most) {
    const auto unsent = writer.unsent();
    const std::size_t bytes = std::min(most, unsent.size());
    wire_.insert(wire_.end(), unsent.begin(), unsent.begin() + static_cast<std::ptrdiff_t>(bytes));
    writer.sent(bytes);
  }
  /// From the wire to the reader.
  void receive(std::size_t most) {
    const std::size_t taken = ::receive(reader, std::span(wire_).first(std::min(most, wire_.size())));
    wire_.erase(wire_.begin(), wire_.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  /// Adds what is read to `read`.
  void take(std::size_t most) {
    Bytes piece(most);
    const bool pending = reader.pending();
    const std::size_t got = reader.read(piece);
    REQUIRE(got <= most);
    read.insert(read.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
    if (!pending) CHECK(got == 0);
    if (got < most) CHECK_FALSE(reader.pending());
  }
  bool idle() const { return wire_.empty() && writer.unsent().empty() && !reader.pending(); }

  RecordWriter writer;
  RecordReader reader;
  Bytes read;

 private:
  Bytes wire_;
};

/// Mostly little, sometimes more than a record.
std::size_t trial_size(std::mt19937& random) {
  switch (random_below(random, 8)) {
    case 0:
      return random_below(random, 100'000);
    case 1:
      return kMaxRecordContent + random_below(random, 3) - 1;
    case 2:
      return random_below(random, 3);
    default:
      return random_below(random, 3000);
  }
}

/// Writes `content` by `line` in pieces of any size, and reads it in others.
void carry(Line& line, const Bytes& content, std::mt19937& random, std::size_t most) {
  std::size_t written = 0;
  const Deadline deadline(std::chrono::seconds(60));
  while (written < content.size() || !line.idle()) {
    REQUIRE_FALSE(deadline.passed());
    const std::size_t bytes = std::min(trial_size(random), content.size() - written);
    written += line.writer.write(std::span(content).subspan(written, bytes));
    line.send(std::min(most, trial_size(random)));
    line.receive(std::min(most, trial_size(random)));
    line.take(std::min(most, trial_size(random)));
  }
}

/// What a record of a writer holds.
struct Seen {
  int type = 0;
  Bytes content;
  bool operator==(const Seen&) const = default;
};

/// All that is there now, opened by a key that is renewed where the records say so.
std::vector<Seen> records_of(RecordWriter& writer, RecordKey& key) {
  std::vector<Seen> all;
  while (!writer.unsent().empty()) {
    const auto unsent = writer.unsent();
    REQUIRE(unsent.size() >= kRecordOverhead);
    const std::size_t bytes =
        kRecordHeaderBytes + std::to_integer<std::size_t>(unsent[3]) * 256 + std::to_integer<std::size_t>(unsent[4]);
    REQUIRE(unsent.size() >= bytes);
    Bytes content(bytes - kRecordOverhead);
    const auto opened = key.open(unsent.first(bytes), content.data());
    REQUIRE(opened.has_value());
    content.resize(opened->bytes);
    all.push_back({opened->type, content});
    if (opened->type == 22) key.renew();
    writer.sent(bytes);
  }
  return all;
}

const Seen kUpdate{22, Bytes(kKeyUpdate.begin(), kKeyUpdate.end())};
Seen data(const Bytes& content) { return {23, content}; }

}  // namespace

TEST_CASE("what is written to records is read from them, however it is cut, and with keys renewed on the way") {
  std::mt19937 random(1);
  for (const std::size_t records : {1, 2, 16}) {
    for (const std::uint64_t records_per_key : {std::uint64_t{1}, std::uint64_t{3}, kNever}) {
      CAPTURE(records);
      CAPTURE(records_per_key);
      Line line(records, records_per_key);
      const Bytes content = random_bytes(random, 2'000'000);
      carry(line, content, random, SIZE_MAX);
      CHECK(line.read == content);
    }
  }
}

TEST_CASE("records may come one byte at a time, and be read so") {
  std::mt19937 random(2);
  for (const std::size_t most : {1, 2, 7}) {
    Line line(2, 3);
    const Bytes content = random_bytes(random, 50'000);
    carry(line, content, random, most);
    CHECK(line.read == content);
  }
}

TEST_CASE("buffers grow with what is in them") {
  std::mt19937 random(3);
  Line line(1, 5);
  Bytes content = random_bytes(random, 300'000);
  carry(line, content, random, SIZE_MAX);
  const Bytes more = random_bytes(random, 30'000);
  const std::size_t before = line.writer.write(std::span(more).first(10'000));
  line.send(5000);
  line.receive(3000);
  line.writer.enlarge(16);
  line.reader.enlarge(16);
  CHECK(before + line.writer.write(std::span(more).subspan(before)) == more.size());
  CHECK(line.writer.write(Bytes(12 * kMaxRecordContent)) == 12 * kMaxRecordContent);
  CHECK(line.reader.room().size() > 15 * kMaxRecordContent);
  while (!line.idle()) {
    line.send(SIZE_MAX);
    line.receive(SIZE_MAX);
    line.take(100'000);
  }
  CHECK(line.read == joined({content, more, Bytes(12 * kMaxRecordContent)}));
}

TEST_CASE("a buffer for records takes as many full ones, and a small one before them") {
  for (const std::size_t records : {1, 2, 16}) {
    RecordWriter writer(trial_secret(), records);
    CHECK(writer.write(Bytes(100)) == 100);
    const std::size_t all = records * kMaxRecordContent;
    CHECK(writer.write(Bytes(all)) == all);
    const std::size_t taken = writer.write(Bytes(all));
    CHECK(taken < kMaxRecordContent);
    CHECK(writer.write(Bytes(1)) == 0);
    // Before all of it is sent there is no room again, but always for an alert.
    writer.alert(Alert::close_notify);
    writer.sent(writer.unsent().size() - 1);
    CHECK(writer.write(Bytes(1)) == 0);
    writer.sent(1);
    CHECK(writer.write(Bytes(1)) == 1);
  }
}

TEST_CASE("a buffer always has room for an alert, and for a new key before the last bytes") {
  RecordWriter filled(trial_secret(), 1);
  filled.write(Bytes(2 * kMaxRecordContent));
  filled.alert(Alert::close_notify);
  const std::size_t capacity = filled.unsent().size();  // a byte more would lie outside
  for (std::size_t left = 0; left < 200; ++left) {
    CAPTURE(left);
    RecordWriter writer(trial_secret(), 1);
    RecordKey key(trial_secret());
    writer.write(Bytes(kMaxRecordContent));
    const std::size_t second = capacity - left - (kMaxRecordContent + kRecordOverhead) - kRecordOverhead;
    const std::size_t written = writer.write(Bytes(second));
    writer.renew_key();
    const std::size_t more = writer.write(Bytes(200));
    writer.alert(Alert::close_notify);
    CHECK(writer.unsent().size() <= capacity);
    std::size_t content = 0;
    for (const Seen& seen : records_of(writer, key)) content += seen.type == 23 ? seen.content.size() : 0;
    CHECK(content == kMaxRecordContent + written + more);
    if (left > 150) CHECK(more > 0);
  }
}

TEST_CASE("a writer renews its key after so many records, and when it is asked to") {
  RecordWriter writer(trial_secret(), 16, 2);
  RecordKey key(trial_secret());
  const Bytes one(1, std::byte{1});
  writer.renew_key();
  CHECK(writer.unsent().empty());  // before the next byte
  CHECK(writer.write({}) == 0);
  CHECK(writer.unsent().empty());
  for (int i = 0; i < 5; ++i) writer.write(one);
  CHECK(records_of(writer, key) ==
        std::vector<Seen>{kUpdate, data(one), data(one), kUpdate, data(one), data(one), kUpdate, data(one)});
  writer.renew_key();
  writer.renew_key();
  writer.write(one);
  writer.write(one);
  CHECK(records_of(writer, key) == std::vector<Seen>{kUpdate, data(one), data(one)});
}

TEST_CASE("by itself a writer renews its key long before AES-GCM is worn out") {
  CHECK(RecordWriter::kRecordsPerKey <= 23'726'566);  // 2^24.5
  RecordWriter writer(trial_secret(), 1);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    writer.write(Bytes(1));
    REQUIRE(writer.unsent().size() == 1 + kRecordOverhead);
    writer.sent(writer.unsent().size());
  }
}

TEST_CASE("a writer's alerts are warnings when they end a connection in order, and fatal otherwise") {
  RecordWriter writer(trial_secret(), 1);
  RecordKey key(trial_secret());
  writer.write(Bytes(3, std::byte{1}));
  writer.alert(Alert::bad_record_mac);
  writer.alert(Alert::close_notify);
  CHECK(records_of(writer, key) == std::vector<Seen>{data(Bytes(3, std::byte{1})),
                                                     {21, {std::byte{2}, std::byte{20}}},
                                                     {21, {std::byte{1}, std::byte{0}}}});
}

TEST_CASE("a reader follows its peer to a new key, and says once that it asks for one of ours") {
  for (const bool asks : {false, true}) {
    TrialPeer peer;
    RecordReader reader(trial_secret(), 2);
    Bytes wire = peer.data(10);
    wire +=
        joined({peer.key_update(false), peer.data(20), peer.key_update(asks), peer.key_update(false), peer.data(30)});
    CHECK_FALSE(reader.must_renew_key());
    CHECK(read_all(reader, wire).size() == 60);
    CHECK(reader.must_renew_key() == asks);
    CHECK_FALSE(reader.must_renew_key());
  }
}

TEST_CASE("after close_notify nothing is read, and all before it is") {
  for (const std::size_t most : {1, 7, 100'000}) {
    TrialPeer peer;
    RecordReader reader(trial_secret(), 16);
    const Bytes wire = joined({peer.data(100), peer.data(50, 9), peer.alert(1, 0), peer.data(10), Bytes(500)});
    Bytes piece(120);
    CHECK(receive(reader, wire) == wire.size());
    CHECK(reader.read(piece) == 120);
    CHECK(reader.pending());
    CHECK_FALSE(reader.closed());
    CHECK(read_all(reader, {}, most).size() == 30);
    CHECK(reader.closed());
    CHECK_FALSE(reader.pending());
    CHECK(reader.read(piece) == 0);
    CHECK(reader.alert() == Alert::close_notify);
  }
}

TEST_CASE("what a record leaves over can be read after the end was told") {
  TrialPeer peer;
  RecordReader reader(trial_secret(), 2);
  receive(reader, peer.data(100));
  Bytes piece(40);
  CHECK(reader.read(piece) == 40);
  receive(reader, peer.alert(1, 0));
  CHECK(reader.read(piece) == 40);
  CHECK(reader.pending());
  CHECK(reader.read(piece) == 20);
  CHECK(reader.closed());
}

TEST_CASE("padding is taken off, where the content is wanted and where it waits") {
  std::mt19937 random(4);
  for (const std::size_t most : {1, 50, 300, 100'000}) {
    TrialPeer peer;
    RecordReader reader(trial_secret(), 2);
    Bytes content;
    Bytes wire;
    for (const std::size_t size : {1, 2, 49, 50, 51, 200, 16'384}) {
      for (const std::size_t padding : {0, 1, 2, 49, 100, 239}) {
        Bytes piece = random_bytes(random, size);
        if (padding % 2 == 0) piece.back() = std::byte{0};  // which is no padding
        content += piece;
        wire += peer.data(piece, padding);
      }
    }
    CHECK(read_all(reader, wire, most) == content);
  }
}

TEST_CASE("messages and alerts may be padded too") {
  TrialPeer peer;
  RecordReader reader(trial_secret(), 2);
  const Bytes wire = joined({peer.record(23, {}, 30), peer.record(21, std::array{std::byte{1}, std::byte{0}}, 30)});
  CHECK(read_all(reader, wire, 10).empty());
  CHECK(reader.closed());
}

TEST_CASE("as long as nothing whole has come, nothing is pending") {
  TrialPeer peer;
  const Bytes wire = peer.data(100);
  RecordReader reader(trial_secret(), 1);
  Bytes piece(10);
  for (const std::byte& byte : wire) {
    CHECK_FALSE(reader.pending());
    CHECK(reader.read(piece) == 0);
    receive(reader, {&byte, 1});
  }
  for (int i = 0; i < 10; ++i) {
    CHECK(reader.pending());
    CHECK(reader.read(piece) == 10);
  }
  CHECK_FALSE(reader.pending());
}

TEST_CASE("a reader of one record takes not a byte of the next") {
  TrialPeer peer;
  const Bytes first = peer.data(100);
  const Bytes wire = joined({first, peer.data(7)});
  RecordReader reader(trial_secret(), 1);
  Bytes piece(200);
  std::size_t taken = 0;
  while (reader.read(piece) == 0) {
    const std::span<std::byte> room = reader.room();
    REQUIRE(taken + room.size() <= first.size());
    std::copy_n(wire.begin() + static_cast<std::ptrdiff_t>(taken), room.size(), room.begin());
    reader.received(room.size());
    taken += room.size();
  }
  CHECK(taken == first.size());
  CHECK(reader.room().size() == kRecordHeaderBytes);
}

TEST_CASE("what will be refused is pending as soon as it is seen") {
  for (const char* const header :
       {"1403030001", "1703010020", "1803030020", "1703034101", "170303ffff", "1703030010"}) {
    CAPTURE(header);
    const Bytes bytes = from_hex(header);
    RecordReader reader(trial_secret(), 2);
    Bytes piece(10);
    receive(reader, std::span(bytes).first(4));
    CHECK_FALSE(reader.pending());
    CHECK(reader.read(piece) == 0);
    receive(reader, std::span(bytes).subspan(4));
    CHECK(reader.pending());
    CHECK(code_of([&] { reader.read(piece); }) == ErrorCode::protocol);
  }
}

TEST_CASE("content goes straight to where it is wanted, and no further") {
  for (const std::size_t padding : {0, 1, 20}) {
    for (const std::size_t size : {1, 99, 100, 101, 119, 120, 121, 199}) {
      CAPTURE(padding);
      CAPTURE(size);
      TrialPeer peer;
      RecordReader reader(trial_secret(), 2);
      receive(reader, joined({peer.data(100, padding), peer.data(100, padding)}));
      Bytes piece(202, std::byte{0xa5});
      CHECK(reader.read(std::span(piece).first(size)) == size);
      CHECK(std::all_of(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size),
                        [](std::byte byte) { return byte == std::byte{'x'}; }));
      CHECK(piece[size] == std::byte{0xa5});
      CHECK(reader.read(piece) == 200 - size);
      CHECK(piece[199 - size] == std::byte{'x'});
    }
  }
}
