#include <condition_variable>
#include <mutex>
#include <vector>

#include "fuzz/byte_stream.hpp"
#include "runtime/net/data/stream_transport.hpp"

using namespace troupe;

namespace {

constexpr int kPeers = 2;
constexpr WindowId kFirst = 7;   ///< from node 1
constexpr WindowId kSecond = 8;  ///< from node 2
constexpr WindowId kOwn = 9;     ///< from a node that is not connected
constexpr std::byte kUntouched{0xa5};

/// Counts closed connections.
class Ends {
 public:
  void one() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    const bool all = changed_.wait_for(lock, std::chrono::seconds(20), [&] { return count_ >= count; });
    fuzz::expect(all, "each connection ends");
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

/// The windows of a receiver. Each has its own memory, so that sanitizers detect a byte beyond its end.
struct Windows {
  std::vector<std::byte> first = std::vector<std::byte>(100);
  std::vector<std::byte> second = std::vector<std::byte>(64);
  std::vector<std::byte> own = std::vector<std::byte>(32, kUntouched);
};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  fuzz::be_quiet();
  return 0;
}

/// Two nodes send arbitrary bytes on their connections.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t piece = input.number<std::uint8_t>();
  const std::size_t of_first = input.number<std::uint8_t>() * 8;
  const auto first = input.take(of_first);
  const auto second = input.take(size);
  Windows windows;
  Ends ends;
  {
    StreamTransport transport({"node0", "node1", "node2"}, 0, 1);
    transport.announce(kFirst, 1, windows.first, 48);
    transport.announce(kSecond, 2, windows.second, 64);
    transport.announce(kOwn, 0, windows.own, 32);
    transport.add_incoming(1, std::make_unique<fuzz::ScriptedStream>(first, piece, [&] { ends.one(); }));
    transport.add_incoming(2, std::make_unique<fuzz::ScriptedStream>(second, piece, [&] { ends.one(); }));
    ends.wait_for(kPeers);
  }
  fuzz::expect(std::all_of(windows.own.begin(), windows.own.end(), [](std::byte b) { return b == kUntouched; }),
               "a window is written by its sender only");
  return 0;
}
