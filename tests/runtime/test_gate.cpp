#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <functional>

#include "runtime/net/certificates/certificate_files.hpp"
#include "runtime/net/gate/gate.hpp"
#include "runtime/net/socket.hpp"
#include "runtime/net/tls/tls_context.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/few_files.hpp"
#include "support/idle_callers.hpp"
#include "support/patience.hpp"
#include "support/text.hpp"
#include "trial_authority.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

namespace {

const Address kAnyPort{"127.0.0.1", 0};

/// A gate that keeps the accepted streams.
class OpenGate {
 public:
  explicit OpenGate(std::shared_ptr<const Credentials> credentials = trial_authority().driver(),
                    std::chrono::milliseconds timeout = kPatience, const Address& listen = kAnyPort)
      : gate_(
            listen, std::move(credentials),
            [](const Hello& hello, const TlsStream& stream) {
              return hello.purpose == Purpose::status ? "no status for " + stream.peer_name() : "";
            },
            [this](const Hello&, TlsStream stream) {
              const std::lock_guard lock(mutex_);
              taken_.push_back(std::move(stream));
              changed_.notify_all();
            },
            timeout) {}

  const Address& address() const { return gate_.address(); }
  TlsStream next() {
    std::unique_lock lock(mutex_);
    REQUIRE(changed_.wait_until(lock, soon().at(), [this] { return !taken_.empty(); }));
    TlsStream stream = std::move(taken_.front());
    taken_.pop_front();
    return stream;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<TlsStream> taken_;
  Gate gate_;
};

/// Connects through the gate and exchanges a byte.
void check_open(OpenGate& gate) {
  TlsStream stream = TlsStream::dial(gate.address(), *trial_authority().node(0), Role::driver, soon());
  say_hello(stream, make_hello(Purpose::control), soon());
  TlsStream taken = gate.next();
  CHECK(taken.peer_name() == "node0");
  CHECK(taken.peer_role() == Role::node);
  CHECK(stream.peer_name() == "driver");
  std::array<std::byte, 4> word{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}, heard = {};
  for (const auto& [from, to] : {std::pair(&stream, &taken), std::pair(&taken, &stream)}) {
    from->write_all(word, soon());
    to->read_all(heard, soon());
    CHECK(heard == word);
    heard = {};
  }
}

/// Returns a connection from another address of this machine.
FileDescriptor connect_from(const char* host, const Address& to) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own = {}, other = {};
  own.sin_family = other.sin_family = AF_INET;
  other.sin_port = htons(to.port);
  REQUIRE(::inet_pton(AF_INET, host, &own.sin_addr) == 1);
  REQUIRE(::inet_pton(AF_INET, to.host.c_str(), &other.sin_addr) == 1);
  REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&own), sizeof own) == 0);
  REQUIRE(::connect(socket.get(), reinterpret_cast<sockaddr*>(&other), sizeof other) == 0);
  ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
  return socket;
}

/// Sends `bytes` without TLS and reads until the gate hangs up.
void say_plainly(const Address& to, const std::string& bytes) {
  const FileDescriptor socket = net::connect_to(to, soon());
  CHECK(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  for (;;) {
    wait_for(socket.get(), ByteStream::Wants::read, soon());
    char buffer[256];
    const ssize_t got = ::recv(socket.get(), buffer, sizeof buffer, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) return;
  }
}

/// Returns whether a TLS client with this context receives a byte from the gate after its hello.
bool gets_through(const Address& to, SSL_CTX* context) {
  const FileDescriptor socket = net::connect_to(to, soon());
  const std::unique_ptr<SSL, net::Free<&SSL_free>> ssl(SSL_new(context));
  SSL_set_fd(ssl.get(), socket.get());
  const auto go_on = [&](auto step) {
    for (;;) {
      ERR_clear_error();
      const int result = step();
      if (result > 0) return true;
      const int error = SSL_get_error(ssl.get(), result);
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return false;
      wait_for(socket.get(), error == SSL_ERROR_WANT_READ ? ByteStream::Wants::read : ByteStream::Wants::write, soon());
    }
  };
  if (!go_on([&] { return SSL_connect(ssl.get()); })) return false;
  const auto hello = encode(make_hello(Purpose::control));
  if (!go_on([&] { return SSL_write(ssl.get(), hello.data(), static_cast<int>(hello.size())); })) return false;
  char byte = 0;
  return go_on([&] { return SSL_read(ssl.get(), &byte, 1); });
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

}  // namespace

TEST_CASE("a node can connect to the driver's gate over IPv4 and IPv6") {
  OpenGate gate;
  check_open(gate);
  const bool ipv6 = !code_of([] { net::listen_on({"::1", 0}); });
  if (!ipv6) return;
  OpenGate sixth(trial_authority().driver(), kPatience, {"::1", 0});
  CHECK(sixth.address().text().starts_with("[::1]:"));
  check_open(sixth);
}

TEST_CASE("the caller receives the reason of a refusal") {
  const CapturedErrors errors;
  OpenGate gate;
  TlsStream stream = TlsStream::dial(gate.address(), *trial_authority().node(1), Role::driver, soon());
  const auto say = [&] { say_hello(stream, make_hello(Purpose::status), soon()); };
  CHECK(message_of(say) == "refused: no status for node1");
  CHECK(errors.hears(": no status for node1\n"));
}

TEST_CASE("neither side can use a certificate of the wrong role") {
  const CapturedErrors errors;
  OpenGate driver;
  OpenGate node(trial_authority().node(0));
  const auto dial = [](const OpenGate& gate, std::shared_ptr<const Credentials> as, Role peer) {
    return code_of([&] { TlsStream::dial(gate.address(), *as, peer, soon()); });
  };
  CHECK(dial(node, trial_authority().node(1), Role::driver) == ErrorCode::protocol);
  CHECK(dial(driver, trial_authority().node(1), Role::node) == ErrorCode::protocol);
  CHECK(dial(node, trial_authority().node(1), Role::node) == std::nullopt);
  // The owner of the gate sees the role in the certificate, regardless of the hello.
  TlsStream stream = TlsStream::dial(node.address(), *trial_authority().driver(), Role::node, soon());
  say_hello(stream, make_hello(Purpose::control), soon());
  CHECK(node.next().peer_role() == Role::driver);
}

TEST_CASE("a certificate of another authority is refused by both sides") {
  const TrialAuthority other(1);
  const CapturedErrors errors;
  OpenGate gate;
  const auto dial = [&] { TlsStream::dial(gate.address(), *other.node(0), Role::driver, soon()); };
  CHECK(code_of(dial) == ErrorCode::protocol);
  CHECK(message_of(dial).find("its certificate is invalid") != std::string::npos);
  // A client that does not mind whom it speaks to is refused by the gate.
  const auto mine = other.node(0);
  SSL_CTX_set_verify(mine->client(), SSL_VERIFY_NONE, nullptr);
  CHECK_FALSE(gets_through(gate.address(), mine->client()));
  CHECK(errors.hears("its certificate is invalid: "));
  check_open(gate);
}

TEST_CASE("TLS clients with invalid certificates or TLS 1.2 are refused") {
  const CapturedErrors errors;
  const net::CertifiedKey root = net::make_authority();
  const std::string role = net::role_name(Role::node);
  const TemporaryFolder folder;
  net::CertifiedKey own = net::make_member(root, {.name = "driver", .alternative_name = net::role_name(Role::driver)});
  const auto context_of = [&](const net::CertificateText& text) {
    const net::CertifiedKey member = net::make_member(root, text);
    return net::make_context(false, root.certificate.get(), member.certificate.get(), member.key.get());
  };
  net::write_member(folder.path(), root.certificate.get(), own);
  OpenGate gate(std::make_shared<Credentials>(folder.path(), Role::driver));
  CHECK(gets_through(gate.address(), context_of({.name = "n", .alternative_name = role}).get()));
  const auto refused = [&](const net::CertificateText& text, const char* why) {
    CAPTURE(why);
    CHECK_FALSE(gets_through(gate.address(), context_of(text).get()));
    CHECK(errors.hears(why));
  };
  refused({.name = "n", .alternative_name = role, .valid_until = -60}, "certificate has expired");
  refused({.name = "n", .alternative_name = role, .valid_from = 3600}, "certificate is not yet valid");
  refused({.name = "n", .alternative_name = role, .usage = "serverAuth"}, "certificate purpose");
  refused({.name = "n", .alternative_name = "urn:else"}, "neither a driver's nor a node's");
  refused({.name = "", .alternative_name = role}, "has no common name");

  const std::unique_ptr<SSL_CTX, net::Free<&SSL_CTX_free>> bare(SSL_CTX_new(TLS_client_method()));
  CHECK_FALSE(gets_through(gate.address(), bare.get()));
  CHECK(errors.hears("it sent no certificate"));
  const auto old = context_of({.name = "n", .alternative_name = role});
  SSL_CTX_set_min_proto_version(old.get(), TLS1_2_VERSION);
  SSL_CTX_set_max_proto_version(old.get(), TLS1_2_VERSION);
  CHECK_FALSE(gets_through(gate.address(), old.get()));
  CHECK(errors.hears("it does not speak TLS 1.3"));
}

TEST_CASE("callers without TLS or with an invalid hello are refused with one log line each") {
  const CapturedErrors errors;
  OpenGate gate;
  say_plainly(gate.address(), "GET / HTTP/1.1\r\n\r\n");
  say_plainly(gate.address(), std::string(32, '\0'));
  say_plainly(gate.address(), std::string(1000, '\xff'));
  CHECK(errors.hears("it does not speak TLS\n"));
  const auto says = [&](std::span<const std::byte> bytes) {
    TlsStream stream = TlsStream::dial(gate.address(), *trial_authority().node(0), Role::driver, soon());
    stream.write_all(bytes, soon());
    std::array<std::byte, 200> answer = {};
    if (bytes.size() >= kHelloBytes) code_of([&] { stream.read_all(answer, soon()); });
    return std::string(reinterpret_cast<const char*>(answer.data()) + 3);
  };
  Hello hello = make_hello(Purpose::control);
  auto bytes = encode(hello);
  says(std::span(bytes).first(50));
  CHECK(errors.hears("disconnected during the hello"));
  bytes[0] = std::byte{0};
  says(bytes);
  CHECK(errors.hears("it sent an invalid hello"));
  hello.protocol = 7;
  CHECK(says(encode(hello)).find("the connecting side uses protocol 7") == 0);
  CHECK(errors.hears("protocol 7"));
  check_open(gate);
  CHECK(count(errors.text(), "\n") == count(errors.text(), "troupe: refused 127.0.0.1:"));
}

TEST_CASE("idle connections use little memory, are dropped when there are too many, and do not block others") {
  const CapturedErrors errors;
  OpenGate gate(trial_authority().driver(), kPatience);
  check_open(gate);
  const std::size_t before = resident_bytes();
  std::vector<FileDescriptor> held;
  for (int i = 0; i < 200; ++i) held.push_back(net::connect_to(gate.address(), soon()));
  check_open(gate);
  // Sanitizers need more memory.
  if (!kSanitized) CHECK(resident_bytes() - std::min(before, resident_bytes()) < std::size_t{200} * 64 * 1024);
  CHECK(errors.text().empty());
  for (int i = 0; i < 100; ++i) held.push_back(net::connect_to(gate.address(), soon()));
  check_open(gate);
  CHECK(errors.hears("too many connections at once"));
  char byte = 0;
  CHECK(::recv(held.front().get(), &byte, 1, 0) == 0);  // the oldest was dropped
  CHECK(::recv(held.back().get(), &byte, 1, 0) < 0);
}

TEST_CASE("a flood of connections does not block callers from other addresses") {
  const CapturedErrors errors;
  OpenGate gate;
  // An honest slow caller: connects before the flood and remains after it.
  const FileDescriptor first = connect_from("127.0.0.3", gate.address());
  std::vector<FileDescriptor> flood;
  flood.reserve(2 * Gate::kMaxHalfOpen);
  for (std::size_t i = 0; i < 2 * Gate::kMaxHalfOpen; ++i) flood.push_back(connect_from("127.0.0.2", gate.address()));
  check_open(gate);  // from 127.0.0.1; the gate has seen the flood by now
  CHECK(errors.hears("refused 127.0.0.2:"));
  char byte = 0;
  CHECK(::recv(flood.front().get(), &byte, 1, 0) == 0);
  CHECK(::recv(flood.back().get(), &byte, 1, 0) < 0);
  CHECK(::recv(first.get(), &byte, 1, 0) < 0);
  CHECK(errno == EAGAIN);
  CHECK(count(errors.text(), "127.0.0.3") == 0);
}

TEST_CASE("an IPv6 network counts as one caller") {
  CHECK(source_of("10.0.0.1") != source_of("10.0.0.2"));
  CHECK(source_of("2001:db8::1") == source_of("2001:db8:0:0:ffff::2"));
  CHECK(source_of("2001:db8::1") != source_of("2001:db8:0:1::1"));
  CHECK(source_of("fe80::1%eth0") == source_of("fe80::2"));
}

TEST_CASE("a caller that does not read its status does not block others") {
  const CapturedErrors errors;
  const std::string much(32 << 20, 's');  // more than the buffers of a socket hold
  std::atomic<int> taken = 0;
  const auto told = [&](const Hello&, const TlsStream& stream) {
    Verdict verdict;
    verdict.status = stream.peer_name() == "node0" ? much : "all is well";
    return verdict;
  };
  const Gate gate(kAnyPort, trial_authority().driver(), told, [&](const Hello&, TlsStream) { ++taken; });
  std::vector<TlsStream> deaf;
  deaf.reserve(3);
  for (int i = 0; i < 3; ++i) {
    deaf.push_back(TlsStream::dial(gate.address(), *trial_authority().node(0), Role::driver, soon()));
    say_hello(deaf.back(), make_hello(Purpose::status), soon());
  }
  TlsStream stream = TlsStream::dial(gate.address(), *trial_authority().node(1), Role::driver, soon());
  say_hello(stream, make_hello(Purpose::status), soon());
  CHECK(hear_status(stream, soon()) == "all is well");
  std::array<std::byte, 1> byte = {};
  CHECK(code_of([&] { stream.read_all(byte, soon()); }) == ErrorCode::worker_lost);  // the gate ends it
  CHECK(errors.hears("timed out during the answer"));
  CHECK(taken == 0);
}

TEST_CASE("a slow caller is dropped at each stage") {
  const CapturedErrors errors;
  OpenGate patient;
  OpenGate gate(trial_authority().driver(), generous_deadline([&] { check_open(patient); }));
  say_plainly(gate.address(), "");
  CHECK(errors.hears("timed out during the handshake"));
  TlsStream stream = TlsStream::dial(gate.address(), *trial_authority().node(0), Role::driver, soon());
  std::array<std::byte, 1> byte = {};
  CHECK(code_of([&] { stream.read_all(byte, soon()); }) == ErrorCode::worker_lost);
  CHECK(errors.hears("timed out during the hello"));
}

TEST_CASE("without free descriptors the gate waits and does not spin") {
  const CapturedErrors errors;
  OpenGate gate;
  check_open(gate);
  std::optional<FileDescriptor> caller;
  {
    const FewFiles few(1);
    caller = net::connect_to(gate.address(), soon());
    CHECK(errors.hears("Too many open files"));
    CHECK(count(errors.text(), "\n") == 1);
  }
  check_open(gate);
}

TEST_CASE("idle callers leave most descriptors of a limited process free") {
  const CapturedErrors errors;
  OpenGate gate;
  const IdleCallers idle(gate.address().port);
  CHECK(errors.hears("too many connections at once"));
  CHECK(comes_true([&] { return idle.have_called(); }));  // meanwhile anyone who comes may be dropped
  std::vector<FileDescriptor> files;
  for (int i = 0; i < 40; ++i) files.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  CHECK(std::ranges::all_of(files, [](const FileDescriptor& file) { return file.get() >= 0; }));
  check_open(gate);
}

TEST_CASE("the error of a gate that cannot listen contains the address") {
  OpenGate gate;
  const auto again = [&] { OpenGate second(trial_authority().driver(), kPatience, gate.address()); };
  CHECK(code_of(again) == ErrorCode::system);
  CHECK(message_of(again).find(gate.address().text()) != std::string::npos);
  CHECK(code_of([] {
          OpenGate nowhere(trial_authority().driver(), kPatience, {"no.such.host.invalid", 0});
        }) == ErrorCode::system);
}

TEST_CASE("listening waits for an address that is in use before it fails") {
  std::optional<FileDescriptor> taken = net::listen_on({"127.0.0.1", 0});
  const Address address = net::local_of(taken->get());
  const auto begin = std::chrono::steady_clock::now();
  CHECK(code_of([&] { net::listen_on(address); }) == ErrorCode::system);
  CHECK(std::chrono::steady_clock::now() - begin >= 500ms);  // a lower limit, independent of the speed of the machine
  taken.reset();
  CHECK_FALSE(code_of([&] { net::listen_on(address); }));
}
