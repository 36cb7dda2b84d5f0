#include <deque>

#include "fuzz/support.hpp"
#include "runtime/net/record_reader.hpp"
#include "runtime/record_trial.hpp"

using namespace troupe;

namespace {

constexpr int kMostActions = 300;        // so that no input takes long
constexpr int kMostWithoutContent = 32;  // which a reader has to take

/// What a peer does that knows the key, as told by the input, and what its reader makes of that.
class Connection {
 public:
  explicit Connection(fuzz::Input& input)
      : input_(input), reader_(trial_secret(), 1 + input.number<std::uint8_t>() % 4) {}

  void run() {
    for (int i = 0; i < kMostActions && !input_.empty(); ++i) act(input_.number<std::uint8_t>() % 9);
    while (!wire_.empty() && !reader_.closed()) {
      read(20'000);
      receive(wire_.size());
    }
    while (reader_.pending()) read(20'000);
    if (honest_) fuzz::expect(read_ == sealed_.size(), "all that was sealed is read");
  }
  bool honest() const { return honest_; }
  net::Alert alert() const { return reader_.alert(); }

 private:
  void act(int action) {
    const std::size_t number = input_.number<std::uint16_t>();
    switch (action) {
      case 0:
        return send_data(number % 17'000, input_.number<std::uint8_t>());
      case 1:
        return send_data(number % 100, 0);
      case 2:
        return send_update(number % 2 == 1);
      case 3:
        return send_message(static_cast<int>(number % 256), number / 256);
      case 4:
        return send_changed(number);
      case 5:
        return send_bytes(input_.take(number % 64));
      case 6:
        return send_bytes(last_);
      case 7:
        return receive(number);
      default:
        return read(number);
    }
  }

  void send(const Bytes& record) {
    last_ = record;
    wire_.insert(wire_.end(), record.begin(), record.end());
  }
  void send_data(std::size_t bytes, std::size_t padding) {
    Bytes content(bytes);
    for (auto& byte : content) byte = static_cast<std::byte>(next_++ * 31 / 7 & 0xff);
    if (bytes + padding > net::kMaxRecordBytes - net::kRecordOverhead || bytes > net::kMaxRecordContent)
      honest_ = false;
    else
      sealed_.insert(sealed_.end(), content.begin(), content.end());
    count(bytes > 0);
    send(peer_.data(content, padding));
  }
  void send_update(bool renew_yours) {
    count(false);
    send(peer_.key_update(renew_yours));
  }
  void send_message(int type, std::size_t bytes) {
    honest_ = false;
    const auto taken = input_.take(bytes % 16);
    Bytes content(taken.begin(), taken.end());
    if (type == 0) std::ranges::fill(content, std::byte{});  // otherwise its last byte is the type
    if (type == 23) sealed_.insert(sealed_.end(), content.begin(), content.end());
    send(peer_.record(type, content, bytes / 16));
  }
  void send_changed(std::size_t at) {
    honest_ = false;
    Bytes record = peer_.data(Bytes(at % 50));
    record[at % record.size()] ^= static_cast<std::byte>(input_.number<std::uint8_t>() | 1);
    send(record);
  }
  void send_bytes(std::span<const std::byte> bytes) {
    if (!bytes.empty()) honest_ = false;
    wire_.insert(wire_.end(), bytes.begin(), bytes.end());
  }
  void count(bool content) {
    without_content_ = content ? 0 : without_content_ + 1;
    if (without_content_ > kMostWithoutContent) honest_ = false;
  }

  void receive(std::size_t most) {
    const auto room = reader_.room();
    if (!reader_.pending() && !reader_.closed()) fuzz::expect(!room.empty(), "there is room for what is missing");
    const std::size_t bytes = std::min({most, room.size(), wire_.size()});
    std::copy_n(wire_.begin(), bytes, room.begin());
    wire_.erase(wire_.begin(), wire_.begin() + static_cast<std::ptrdiff_t>(bytes));
    reader_.received(bytes);
  }
  void read(std::size_t most) {
    const bool pending = reader_.pending();
    Bytes into(most);
    std::size_t got = 0;
    try {
      got = reader_.read(into);
    } catch (const Error&) {
      fuzz::expect(pending, "what is refused is pending");
      throw;
    }
    fuzz::expect(got <= most && (pending || got == 0), "what is read is pending");
    fuzz::expect(got == most || !reader_.pending(), "all that fits is read");
    fuzz::expect(
        read_ + got <= sealed_.size() && std::equal(into.begin(), into.begin() + static_cast<std::ptrdiff_t>(got),
                                                    sealed_.begin() + static_cast<std::ptrdiff_t>(read_)),
        "what is read was sealed");
    read_ += got;
    reader_.must_renew_key();
  }

  fuzz::Input& input_;
  TrialPeer peer_;
  net::RecordReader reader_;
  std::deque<std::byte> wire_;
  Bytes last_;    ///< record that was sent
  Bytes sealed_;  ///< content
  std::size_t read_ = 0;
  std::size_t next_ = 0;
  int without_content_ = 0;
  bool honest_ = true;  ///< so far: the peer broke no rule
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  Connection connection(input);
  const auto run = [&] {
    try {
      connection.run();
    } catch (const Error&) {
      fuzz::expect(!connection.honest(), "who breaks no rule is not refused");
      throw;
    }
  };
  fuzz::may_refuse(run, {ErrorCode::protocol});
  return 0;
}
