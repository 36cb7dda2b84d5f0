#include "bench/program/transport_ends.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#include "bench/program/certificates.hpp"
#include "runtime/net/data/data_plane.hpp"
#include "runtime/net/gate/gate.hpp"
#include "runtime/processes/cores.hpp"
#include "runtime/processes/futex.hpp"
#include "troupe/error.hpp"

namespace troupe::bench {
namespace {

constexpr std::chrono::seconds kTimeout{60};

/// The part of an end in the object: the number of its messages. The last message follows.
struct alignas(64) Half {
  std::atomic<std::uint32_t> sent;
};

class SharedMemoryEnd : public TransportEnd {
 public:
  SharedMemoryEnd(EndLink& link, std::shared_ptr<StoreClient> store, bool first, std::uint64_t number,
                  std::size_t words)
      : store_(std::move(store)), id_{.run = 1, .number = number, .kind = ObjectKind::group}, words_(words) {
    const std::size_t half = sizeof(Half) + (words * sizeof(std::uint32_t) + 63) / 64 * 64;
    if (first) {
      mapping_ = store_->create(id_, 2 * half, {.shared_writers = true});
      std::memset(mapping_->writable_floats().data(), 0, 2 * half);
      link.meet();
    } else {
      link.meet();
      mapping_ = store_->open(id_, 0, 2 * half);
    }
    link.meet();
    auto* const memory = reinterpret_cast<std::byte*>(mapping_->writable_floats().data());
    own_ = reinterpret_cast<Half*>(memory + (first ? 0 : half));
    others_ = reinterpret_cast<Half*>(memory + (first ? half : 0));
  }
  ~SharedMemoryEnd() override {
    try {
      store_->release(id_);
    } catch (const Error&) {  // the other process has ended and its objects with it
    }
  }

  void send(std::span<const std::uint32_t> words) override {
    std::memcpy(words_at(own_), words.data(), words.size_bytes());
    own_->sent.fetch_add(1, std::memory_order_release);
    wake_all(own_->sent);
  }
  std::span<const std::uint32_t> receive() override {
    const auto is_there = [&] { return others_->sent.load(std::memory_order_acquire) == received_ + 1; };
    for (int spin = 0; spin < spins_ && !is_there(); ++spin) {
    }
    const Deadline deadline(kTimeout);
    while (!is_there()) {
      if (deadline.passed()) throw Error(ErrorCode::timeout, "no message arrived through shared memory in time");
      sleep_while(others_->sent, received_, std::chrono::milliseconds(100));
    }
    ++received_;
    return {words_at(others_), words_};
  }

 private:
  static std::uint32_t* words_at(Half* half) { return reinterpret_cast<std::uint32_t*>(half + 1); }

  std::shared_ptr<StoreClient> store_;
  ObjectId id_;
  std::size_t words_;
  int spins_ = usable_cores() >= 2 ? 4000 : 0;
  std::shared_ptr<Mapping> mapping_;
  Half* own_ = nullptr;
  Half* others_ = nullptr;
  std::uint32_t received_ = 0;
};

class DataPlaneEnd : public TransportEnd {
 public:
  DataPlaneEnd(EndLink& link, const std::string& certificates, bool first, std::size_t words)
      : self_(first ? 0 : 1),
        came_(words),
        credentials_(Certificates::credentials_in(certificates, kNames[static_cast<std::size_t>(self_)])),
        plane_(credentials_, 1),
        gate_(
            {"127.0.0.1", 0}, credentials_,
            [this](const Hello& hello, const TlsStream& stream) { return plane_.admit(hello, stream); },
            [this](const Hello& hello, TlsStream stream) { plane_.take(hello, std::move(stream)); }) {
    Address other{"127.0.0.1", 0};
    link.say(std::to_string(gate_.address().port));
    other.port = static_cast<std::uint16_t>(std::stoi(link.hear()));
    Membership membership;
    membership.run = 1;
    membership.self = self_;
    membership.nodes = {{kNames[0], first ? gate_.address() : other}, {kNames[1], first ? other : gate_.address()}};
    plane_.begin(membership);
    plane_.announce(kWindow, 1 - self_, std::as_writable_bytes(std::span(came_)), kSegmentBytes);
    link.meet();
    plane_.connect(Deadline(kTimeout));
    link.meet();
  }

  void send(std::span<const std::uint32_t> words) override {
    const auto bytes = std::as_bytes(words);
    const Deadline deadline(kTimeout);
    ++sent_;
    for (std::size_t begin = 0; begin < bytes.size(); begin += kSegmentBytes)
      plane_.send(1 - self_, kWindow, sent_, static_cast<std::uint32_t>(begin / kSegmentBytes),
                  bytes.subspan(begin, std::min(kSegmentBytes, bytes.size() - begin)), deadline);
  }
  std::span<const std::uint32_t> receive() override {
    const Deadline deadline(kTimeout);
    ++received_;
    for (std::size_t begin = 0; begin < came_.size() * sizeof(std::uint32_t); begin += kSegmentBytes)
      plane_.wait(kWindow, received_, static_cast<std::uint32_t>(begin / kSegmentBytes), deadline);
    return came_;
  }

 private:
  static constexpr std::size_t kSegmentBytes = 512 * 1024;
  static constexpr WindowId kWindow = 1;
  static constexpr const char* kNames[] = {"sender", "receiver"};

  int self_;
  std::vector<std::uint32_t> came_;
  std::shared_ptr<const Credentials> credentials_;
  DataPlane plane_;
  Gate gate_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
};

}  // namespace

std::unique_ptr<TransportEnd> make_shared_memory_end(EndLink& link, std::shared_ptr<StoreClient> store, bool first,
                                                     std::uint64_t number, std::size_t words) {
  return std::make_unique<SharedMemoryEnd>(link, std::move(store), first, number, words);
}

std::unique_ptr<TransportEnd> make_data_plane_end(EndLink& link, const std::string& certificates, bool first,
                                                  std::size_t words) {
  return std::make_unique<DataPlaneEnd>(link, certificates, first, words);
}

}  // namespace troupe::bench
