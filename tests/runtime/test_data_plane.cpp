#include <doctest/doctest.h>

#include <latch>
#include <thread>

#include "runtime/net/socket.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"
#include "trial_cluster.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

namespace {

constexpr int kRounds = kSanitized ? 3 : 10;

std::vector<std::byte> pattern(std::size_t bytes, std::size_t seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>((i * 131 + seed * 17 + i / 251) & 0xff);
  return made;
}

std::size_t segments(std::size_t bytes, std::size_t each) { return (bytes + each - 1) / each; }

/// Sends all segments of a window.
void send_all(Transport& transport, int to, WindowId window, std::uint64_t ticket, std::span<const std::byte> bytes,
              std::size_t each) {
  for (std::size_t s = 0; s < segments(bytes.size(), each); ++s)
    transport.send(to, window, ticket, static_cast<std::uint32_t>(s),
                   bytes.subspan(s * each, std::min(each, bytes.size() - s * each)), soon());
}

void wait_all(Transport& transport, WindowId window, std::uint64_t ticket, std::size_t bytes, std::size_t each) {
  for (std::size_t s = 0; s < segments(bytes, each); ++s)
    transport.wait(window, ticket, static_cast<std::uint32_t>(s), soon());
}

}  // namespace

TEST_CASE("segments of all sizes arrive complete, from every node at every node") {
  TrialCluster cluster(3);
  struct Sizes {
    std::size_t bytes, each;
  };
  WindowId window = 0;
  for (const auto& [bytes, part] : std::vector<Sizes>{{0, 16},
                                                      {1, 1},
                                                      {10, 3},
                                                      {4097, 4096},
                                                      {16351, 1 << 20},
                                                      {16352, 1 << 20},
                                                      {16353, 1 << 20},
                                                      {5'000'000, 300'000},
                                                      {5'000'000, 5'000'000}}) {
    for (int to = 0; to < 3; ++to) {
      for (int from = 0; from < 3; ++from) {
        CAPTURE(bytes);
        CAPTURE(from);
        CAPTURE(to);
        std::vector<std::byte> memory(bytes + 2, std::byte{0xee});  // the last two bytes are not announced
        const auto sent = pattern(bytes, static_cast<std::size_t>(from));
        cluster[to].announce(++window, from, std::span(memory).first(bytes), part);
        std::thread sender([&, to = to, from = from, each = part] {
          for (std::uint64_t ticket = 1; ticket <= 2; ++ticket) {
            if (ticket == 2) wait_all(cluster[to], window, 1, sent.size(), each);
            send_all(cluster[from], to, window, ticket, sent, each);
          }
        });
        wait_all(cluster[to], window, 2, bytes, part);
        sender.join();
        CHECK(std::equal(sent.begin(), sent.end(), memory.begin()));
        CHECK(memory[bytes] == std::byte{0xee});
        // The memory is freed, but the window exists until the membership ends. No node writes to it any more.
      }
    }
  }
}

TEST_CASE("many threads send to one node at the same time") {
  constexpr int kThreads = 4;
  constexpr std::size_t kBytes = 300'000;
  constexpr std::size_t kEach = 7'000;
  TrialCluster cluster(3);
  std::vector<std::vector<std::byte>> memory(3 * kThreads, std::vector<std::byte>(kBytes));
  for (int w = 0; w < 3 * kThreads; ++w)
    cluster[0].announce(static_cast<WindowId>(w), w / kThreads, memory[static_cast<std::size_t>(w)], kEach);
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    std::vector<std::thread> senders;
    for (int w = 0; w < 3 * kThreads; ++w)
      senders.emplace_back([&, w] {
        send_all(cluster[w / kThreads], 0, static_cast<WindowId>(w), round,
                 pattern(kBytes, round * 100 + static_cast<std::size_t>(w)), kEach);
      });
    for (int w = 0; w < 3 * kThreads; ++w) {
      wait_all(cluster[0], static_cast<WindowId>(w), round, kBytes, kEach);
      CHECK(memory[static_cast<std::size_t>(w)] == pattern(kBytes, round * 100 + static_cast<std::size_t>(w)));
    }
    for (std::thread& sender : senders) sender.join();
  }
}

TEST_CASE("a wait ends at the deadline, and the error names the sender") {
  TrialCluster cluster(2);
  std::vector<std::byte> memory(16);
  cluster[0].announce(1, 1, memory, 16);
  const auto wait = [&] { cluster[0].wait(1, 1, 0, Deadline(20ms)); };
  CHECK(code_of(wait) == ErrorCode::timeout);
  CHECK(where_of(wait).node == "node1");
  CHECK(code_of([&] { cluster[0].wait(2, 1, 0, soon()); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { cluster[0].wait(1, 1, 1, soon()); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { cluster[0].announce(1, 1, memory, 16); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { cluster[0].announce(3, 2, memory, 16); }) == ErrorCode::invalid_argument);
  CHECK(code_of([&] { cluster[0].announce(3, 1, memory, 0); }) == ErrorCode::invalid_argument);
}

TEST_CASE("sending to a node that does not read ends at the deadline") {
  TrialCluster cluster(1);
  Membership two = cluster.membership(0);
  // A node that accepts the connection and never reads.
  std::vector<TlsStream> taken;
  Gate deaf(
      {"127.0.0.1", 0}, trial_authority().node(1), [](const Hello&, const TlsStream&) { return std::string(); },
      [&taken](const Hello&, TlsStream stream) { taken.push_back(std::move(stream)); });
  two.nodes.push_back({"node1", deaf.address()});
  cluster[0].begin(two);
  cluster[0].connect(soon());
  const std::vector<std::byte> much(64 << 20);
  const auto send = [&] { cluster[0].send(1, 1, 1, 0, much, Deadline(300ms)); };
  CHECK(code_of(send) == ErrorCode::timeout);
  CHECK(where_of(send).node == "node1");
  // Half a segment was sent, so the connection was closed.
  CHECK(code_of(send) == ErrorCode::worker_lost);
}

TEST_CASE("a lost node ends all waits for it, earlier and later ones, and no other waits") {
  TrialCluster cluster(3);
  std::vector<std::byte> memory(3 * 16);
  cluster[0].announce(1, 1, std::span(memory).subspan(0, 16), 16);
  cluster[0].announce(2, 2, std::span(memory).subspan(16, 16), 16);
  cluster[0].announce(3, 1, std::span(memory).subspan(32, 16), 16);
  const auto bytes = pattern(16, 1);
  cluster[1].send(0, 3, 1, 0, bytes, soon());
  cluster[0].wait(3, 1, 0, soon());
  Where where;
  std::thread waiter([&] { where = where_of([&] { cluster[0].wait(1, 1, 0, soon()); }); });
  cluster.kill(1);
  waiter.join();
  CHECK(where.node == "node1");
  CHECK(code_of([&] { cluster[0].wait(1, 1, 0, soon()); }) == ErrorCode::worker_lost);
  // In turn: a window announced later, a segment that arrived before, and the other node.
  std::vector<std::byte> late(16);
  cluster[0].announce(4, 1, late, 16);
  CHECK(code_of([&] { cluster[0].wait(4, 1, 0, soon()); }) == ErrorCode::worker_lost);
  cluster[0].wait(3, 1, 0, soon());
  cluster[2].send(0, 2, 1, 0, bytes, soon());
  cluster[0].wait(2, 1, 0, soon());
  // Sending fails, too, at the latest when the peer has answered with a reset.
  std::optional<ErrorCode> code;
  const Deadline deadline = soon();
  while (!code && !deadline.passed()) code = code_of([&] { cluster[0].send(1, 9, 1, 0, bytes, soon()); });
  CHECK(code == ErrorCode::worker_lost);
}

TEST_CASE("a membership ends and another begins") {
  TrialCluster cluster(2);
  for (std::uint64_t generation = 2; generation <= 4; ++generation) {
    std::vector<std::byte> memory(1000);
    cluster[0].announce(1, 1, memory, 100);
    std::optional<ErrorCode> code;
    std::latch waiting(1);
    std::thread waiter([&] {
      waiting.count_down();
      code = code_of([&] { cluster[0].wait(1, 1, 5, soon()); });
    });
    send_all(cluster[1], 0, 1, 1, pattern(200, 0), 100);
    wait_all(cluster[0], 1, 1, 200, 100);
    waiting.wait();
    cluster.begin(generation);
    waiter.join();
    // A thread that was delayed by the machine finds no such window any more.
    CHECK((code == ErrorCode::worker_lost || code == ErrorCode::invalid_argument));
    CHECK(code_of([&] { cluster[0].wait(1, 1, 0, soon()); }) == ErrorCode::invalid_argument);
  }
  cluster.kill(0);
  std::vector<std::byte> memory(10);
  CHECK(code_of([&] { cluster[0].announce(1, 1, memory, 10); }) == ErrorCode::worker_lost);
  CHECK(code_of([&] { cluster[0].send(0, 1, 1, 0, memory, soon()); }) == ErrorCode::worker_lost);
}

TEST_CASE("no node writes into a window after the end of the membership") {
  for (int round = 0; round < kRounds; ++round) {
    constexpr std::size_t kBytes = 4 << 20;
    constexpr std::byte kUntouched{0xee};
    std::vector<std::byte> memory(2 * kBytes);
    TrialCluster cluster(2);
    cluster[0].announce(1, 1, std::span(memory).first(kBytes), kBytes);
    cluster[0].announce(2, 0, std::span(memory).last(kBytes), kBytes);
    const auto bytes = pattern(kBytes, 1);
    std::vector<std::thread> senders;
    for (const int from : {0, 1})
      senders.emplace_back([&, from] {
        for (std::uint64_t ticket = 1;; ++ticket) {
          if (from == 1 && ticket > 1 && code_of([&] { cluster[0].wait(1, ticket - 1, 0, soon()); })) return;
          if (code_of([&] { cluster[from].send(0, from == 1 ? 1 : 2, ticket, 0, bytes, soon()); })) return;
        }
      });
    cluster[0].wait(1, 2, 0, soon());
    cluster[0].end();
    std::fill(memory.begin(), memory.end(), kUntouched);
    for (std::thread& sender : senders) sender.join();
    CHECK(std::count(memory.begin(), memory.end(), kUntouched) == static_cast<std::ptrdiff_t>(memory.size()));
  }
}

TEST_CASE("invalid segments close their connection and no other") {
  const CapturedErrors errors;
  TrialCluster cluster(2, 1);
  Membership three = cluster.membership(0, 2);
  three.nodes.push_back({"node2", {"127.0.0.1", 1}});
  struct Bad {
    FrameHeader header;
    const char* why;
  };
  // Of segments {0, 1, 2} of 16, 16 and 8 bytes of window 1, the first has come with ticket 5.
  for (const auto& [header, why] : std::vector<Bad>{{{1, 0, 5, 16}, "has already arrived"},
                                                    {{1, 0, 4, 16}, "has already arrived"},
                                                    {{1, 1, 0, 16}, "has already arrived"},
                                                    {{1, 3, 6, 16}, "does not exist"},
                                                    {{1, 0xffffffff, 6, 16}, "does not exist"},
                                                    {{1, 1, 6, 17}, "has a wrong size"},
                                                    {{1, 1, 6, 1ull << 62}, "has a wrong size"},
                                                    {{1, 1, 6, 0}, "has a wrong size"},
                                                    {{1, 2, 6, 16}, "has a wrong size"},
                                                    {{2, 0, 6, 16}, "is not announced"},
                                                    {{3, 0, 6, 16}, "is not announced"}}) {
    CAPTURE(why);
    ++three.generation;
    cluster[0].begin(three);
    Membership node2 = three;
    node2.self = 2;
    TlsStream stream = TlsStream::dial(cluster.address(0), *trial_authority().node(2), Role::node, soon());
    say_hello(stream, data_hello(node2, 0), soon());
    std::vector<std::byte> memory(40), others(16);
    cluster[0].announce(1, 2, memory, 16);
    cluster[0].announce(2, 1, others, 16);
    const auto good = pattern(16, 3);
    stream.write_all(encode(FrameHeader{1, 0, 5, 16}), soon());
    stream.write_all(good, soon());
    cluster[0].wait(1, 5, 0, soon());
    stream.write_all(encode(header), soon());
    CHECK(code_of([&] { cluster[0].wait(1, 6, 2, soon()); }) == ErrorCode::worker_lost);
    CHECK(errors.text().find(why) != std::string::npos);
    // The connection of the other node still works.
    Membership node1 = three;
    node1.self = 1;
    TlsStream other = TlsStream::dial(cluster.address(0), *trial_authority().node(1), Role::node, soon());
    say_hello(other, data_hello(node1, 0), soon());
    other.write_all(encode(FrameHeader{2, 0, 1, 16}), soon());
    other.write_all(good, soon());
    cluster[0].wait(2, 1, 0, soon());
    CHECK(others == good);
  }
}

TEST_CASE("garbage instead of a segment closes its connection with one log line") {
  const CapturedErrors errors;
  TrialCluster cluster(2, 1);
  Membership again = cluster.membership(0, 2);
  cluster[0].begin(again);
  std::vector<std::byte> memory(16);
  cluster[0].announce(1, 1, memory, 16);
  again.self = 1;
  TlsStream stream = TlsStream::dial(cluster.address(0), *trial_authority().node(1), Role::node, soon());
  say_hello(stream, data_hello(again, 0), soon());
  stream.write_all(pattern(1000, 1), soon());
  const auto wait = [&] { cluster[0].wait(1, 1, 0, soon()); };
  CHECK(code_of(wait) == ErrorCode::worker_lost);
  CHECK(errors.text() == "troupe: dropped a data connection of node1: the received bytes are not a segment\n");
  // The same again is counted only.
  ++again.generation;
  again.self = 0;
  cluster[0].begin(again);
  cluster[0].announce(1, 1, memory, 16);
  again.self = 1;
  TlsStream second = TlsStream::dial(cluster.address(0), *trial_authority().node(1), Role::node, soon());
  say_hello(second, data_hello(again, 0), soon());
  second.write_all(pattern(1000, 1), soon());
  CHECK(code_of(wait) == ErrorCode::worker_lost);
  CHECK(errors.text() == "troupe: dropped a data connection of node1: the received bytes are not a segment\n");
}

TEST_CASE("connections of other runs, generations, tokens and nodes are refused") {
  const CapturedErrors errors;
  TrialCluster cluster(3, 2);
  Membership fresh = cluster.membership(0, 9);
  cluster[0].begin(fresh);
  fresh.self = 1;
  const auto refusal = [&](const Hello& hello, int as = 1) {
    TlsStream stream = TlsStream::dial(cluster.address(0), *trial_authority().node(as), Role::node, soon());
    const auto say = [&] { say_hello(stream, hello, soon()); };
    return message_of(say);
  };
  const auto changed = [&](auto change) {
    Hello hello = data_hello(fresh, 0);
    change(hello);
    return refusal(hello);
  };
  CHECK(changed([](Hello& h) { ++h.run; }).find("another run") != std::string::npos);
  CHECK(changed([](Hello& h) { --h.generation; }).find("another generation") != std::string::npos);
  CHECK(changed([](Hello& h) { h.token[15] = std::byte{0}; }).find("token") != std::string::npos);
  CHECK(changed([](Hello& h) { h.node = 3; }).find("does not exist") != std::string::npos);
  CHECK(changed([](Hello& h) { h.node = -1; }).find("does not exist") != std::string::npos);
  CHECK(changed([](Hello& h) { h.node = 0; }).find("does not exist") != std::string::npos);
  CHECK(changed([](Hello& h) { h.node = 2; }).find("it is node1, but claims to be node2") != std::string::npos);
  CHECK(changed([](Hello& h) { h.stream = 2; }).find("too many") != std::string::npos);
  CHECK(changed([](Hello& h) { h.purpose = Purpose::control; }).find("only data") != std::string::npos);
  TlsStream first = TlsStream::dial(cluster.address(0), *trial_authority().node(1), Role::node, soon());
  say_hello(first, data_hello(fresh, 1), soon());
  CHECK(refusal(data_hello(fresh, 1)).find("already exists") != std::string::npos);
  cluster[0].end();
  CHECK(refusal(data_hello(fresh, 0)).find("no data is expected") != std::string::npos);
}

TEST_CASE("the error about a failed connection names the node") {
  const CapturedErrors errors;
  TrialCluster cluster(2, 1);
  Membership other = cluster.membership(0, 5);
  cluster[0].begin(other);
  CHECK(where_of([&] { cluster[0].connect(soon()); }).node == "node1");
  CHECK(code_of([&] { cluster[0].connect(soon()); }) == ErrorCode::protocol);
  other.nodes[1].name = "node2";
  cluster[0].begin(other);
  CHECK(message_of([&] { cluster[0].connect(soon()); }).find("is node1") != std::string::npos);
  other.nodes[1].address = {"127.0.0.1", 1};
  cluster[0].begin(other);
  const auto connect = [&] { cluster[0].connect(Deadline(300ms)); };
  CHECK(code_of(connect) == ErrorCode::system);
  CHECK(where_of(connect).node == "node2");
  CHECK(message_of(connect).find("Connection refused") != std::string::npos);
}

TEST_CASE("connecting tries again if a node is not there, hangs up or expects no data yet") {
  const CapturedErrors errors;
  TrialCluster cluster(1);
  const Address later = net::local_of(net::listen_on({"127.0.0.1", 0}).get());
  Membership two = cluster.membership(0, 2);
  two.nodes.push_back({"node1", later});
  cluster[0].begin(two);
  std::optional<ErrorCode> code;
  std::thread dialling([&] { code = code_of([&] { cluster[0].connect(soon()); }); });
  // The peer first does not listen, then hangs up at once like a full gate, and begins its membership last.
  std::optional<TrialNode> node1;
  {
    std::optional<FileDescriptor> listener;
    const auto listens = [&] { return !code_of([&] { listener.emplace(net::listen_on(later)); }); };
    CHECK(comes_true(listens));
    wait_for(listener->get(), ByteStream::Wants::read, soon());
    net::accept_from(listener->get());
  }
  CHECK(comes_true([&] { return !code_of([&] { node1.emplace(1, 2, later); }); }));
  CHECK(errors.hears("no data is expected here now"));
  Membership own = two;
  own.self = 1;
  node1->plane.begin(own);
  dialling.join();
  CHECK_FALSE(code);
  std::vector<std::byte> memory(16);
  node1->plane.announce(1, 0, memory, 16);
  cluster[0].send(1, 1, 1, 0, pattern(16, 1), soon());
  node1->plane.wait(1, 1, 0, soon());
  CHECK(memory == pattern(16, 1));
}
