#include <poll.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/program/certificates.hpp"
#include "bench/program/commands.hpp"
#include "bench/program/median.hpp"
#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/data/data_plane.hpp"
#include "runtime/net/data/stream_transport.hpp"
#include "runtime/net/gate/gate.hpp"
#include "runtime/net/socket.hpp"
#include "troupe/error.hpp"

// Measures the cost of TLS on the data plane. Plain connections exist in this file only, and only on loopback.
namespace troupe::bench {
namespace {

constexpr std::size_t kSegmentBytes = 512 * 1024;
constexpr WindowId kWindow = 1;

struct DataPlaneOptions {
  std::size_t bytes = 178'204'836;
  int rounds = 9;
  int streams = 1;
  bool json = false;
};

Deadline deadline() { return Deadline(std::chrono::seconds(60)); }

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(FileDescriptor socket) : socket_(std::move(socket)) {}

  Progress read_some(std::span<std::byte> into) override {
    return go(into.size(), Wants::read,
              [&](std::size_t done) { return ::recv(fd(), into.data() + done, into.size() - done, 0); });
  }
  Progress write_some(std::span<const std::byte> bytes, bool more) override {
    const int flags = MSG_NOSIGNAL | (more ? MSG_MORE : 0);
    return go(bytes.size(), Wants::write,
              [&](std::size_t done) { return ::send(fd(), bytes.data() + done, bytes.size() - done, flags); });
  }
  int fd() const override { return socket_.get(); }

 private:
  template <class Call>
  static Progress go(std::size_t bytes, Wants would_block, Call call) {
    std::size_t done = 0;
    while (done < bytes) {
      const ssize_t result = call(done);
      if (result <= 0) return {done, result < 0 && errno == EAGAIN ? would_block : Wants::closed};
      done += static_cast<std::size_t>(result);
    }
    return {done, Wants::nothing};
  }

  FileDescriptor socket_;
};

/// Both ends of a data plane in this process, with slabs of `bytes` bytes.
class Pair {
 public:
  explicit Pair(std::size_t bytes) : from_(bytes, std::byte{1}), to_(bytes) {}
  virtual ~Pair() = default;
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  /// Returns the seconds from the first byte sent until all bytes have arrived.
  double transfer() {
    const std::uint64_t ticket = ++last_ticket_;
    std::fill(from_.begin(), from_.end(), static_cast<std::byte>(ticket));
    const Stopwatch watch;
    const auto segments = static_cast<std::uint32_t>((from_.size() + kSegmentBytes - 1) / kSegmentBytes);
    for (std::uint32_t segment = 0; segment < segments; ++segment) {
      const std::size_t begin = segment * kSegmentBytes;
      const auto part = std::span(from_).subspan(begin, std::min(kSegmentBytes, from_.size() - begin));
      sender().send(1, kWindow, ticket, segment, part, deadline());
    }
    for (std::uint32_t segment = 0; segment < segments; ++segment)
      receiver().wait(kWindow, ticket, segment, deadline());
    const double seconds = watch.seconds();
    if (to_ != from_) throw Error(ErrorCode::bad_data, "the received bytes differ from the sent bytes");
    return seconds;
  }

 protected:
  virtual Transport& sender() = 0;
  virtual Transport& receiver() = 0;
  void announce() { receiver().announce(kWindow, 0, to_, kSegmentBytes); }

 private:
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
  std::uint64_t last_ticket_ = 0;
};

class PlainPair : public Pair {
 public:
  PlainPair(std::size_t bytes, int streams) : Pair(bytes) {
    const FileDescriptor listener = net::listen_on({"127.0.0.1", 0});
    const Address address = net::local_of(listener.get());
    for (int stream = 0; stream < streams; ++stream) {
      sender_.add_outgoing(1, std::make_unique<PlainStream>(net::connect_to(address, deadline())));
      wait_for(listener.get(), ByteStream::Wants::read, deadline());
      receiver_.add_incoming(0, std::make_unique<PlainStream>(net::accept_from(listener.get())));
    }
    announce();
  }

 protected:
  Transport& sender() override { return sender_; }
  Transport& receiver() override { return receiver_; }

 private:
  static std::vector<std::string> names() { return {"sender", "receiver"}; }

  StreamTransport sender_{names(), 0, 1};
  StreamTransport receiver_{names(), 1, 1};
};

class TlsPair : public Pair {
 public:
  TlsPair(std::size_t bytes, int streams)
      : Pair(bytes), sender_(certificates_, "sender"), receiver_(certificates_, "receiver") {
    Membership membership;
    membership.run = 1;
    membership.streams = streams;
    membership.nodes = {{"sender", sender_.gate.address()}, {"receiver", receiver_.gate.address()}};
    sender_.plane.begin(membership);
    membership.self = 1;
    receiver_.plane.begin(membership);
    sender_.plane.connect(deadline());
    announce();
  }

 protected:
  Transport& sender() override { return sender_.plane; }
  Transport& receiver() override { return receiver_.plane; }

 private:
  struct End {
    End(const Certificates& certificates, const std::string& name)
        : credentials(certificates.of(name)),
          plane(credentials, 1),
          gate(
              {"127.0.0.1", 0}, credentials,
              [this](const Hello& hello, const TlsStream& stream) { return plane.admit(hello, stream); },
              [this](const Hello& hello, TlsStream stream) { plane.take(hello, std::move(stream)); }) {}
    std::shared_ptr<const Credentials> credentials;
    DataPlane plane;
    Gate gate;
  };

  Certificates certificates_;
  End sender_;
  End receiver_;
};

void measure_data_plane(const DataPlaneOptions& options) {
  TlsPair tls(options.bytes, options.streams);
  PlainPair plain(options.bytes, options.streams);
  std::vector<double> tls_seconds;
  std::vector<double> plain_seconds;
  tls.transfer();  // touches the memory and opens the congestion windows
  plain.transfer();
  for (int round = 0; round < options.rounds; ++round) {
    tls_seconds.push_back(tls.transfer());
    plain_seconds.push_back(plain.transfer());
  }
  const double ratio = median(tls_seconds) / median(plain_seconds);
  if (options.json) {
    const nlohmann::ordered_json result{{"bytes", options.bytes},
                                        {"streams", options.streams},
                                        {"tls_seconds", median(tls_seconds)},
                                        {"plain_seconds", median(plain_seconds)},
                                        {"ratio", ratio}};
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::printf("%zu bytes from slab to slab over loopback: TLS %.6f s, plain %.6f s, ratio %.2f (medians of %d)\n",
                options.bytes, median(tls_seconds), median(plain_seconds), ratio, options.rounds);
  }
}

}  // namespace

void add_data_plane(CLI::App& app) {
  auto options = std::make_shared<DataPlaneOptions>();
  CLI::App& command = *app.add_subcommand(
      "data-plane", "Time a transfer between two slabs with TLS and, only in this command over loopback, without");
  command.add_option("--bytes", options->bytes, "Bytes of the transfer")->check(CLI::Range(1UL, 1UL << 36));
  command.add_option("--rounds", options->rounds, "Measurements of each side")->check(CLI::Range(1, 10'000));
  command.add_option("--streams", options->streams, "Connections")->check(CLI::Range(1, 64));
  command.add_flag("--json", options->json, "Print one JSON object");
  command.callback([options] { measure_data_plane(*options); });
}

}  // namespace troupe::bench
