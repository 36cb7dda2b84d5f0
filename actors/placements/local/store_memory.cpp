#include "actors/placements/local/store_memory.hpp"

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// How long a store is asked at a time for what another client makes: others of this process ask it for other things.
constexpr std::chrono::milliseconds kAtATime{100};

/// Between the release of one part and that of the other.
constexpr std::chrono::seconds kToLetGo{1};
constexpr std::chrono::milliseconds kBriefly{1};

/// Bytes of which a copy in each process is something to be told of.
constexpr std::size_t kWorthTelling = std::size_t{1} << 20;

/// An object that this client refers to.
class Held {
 public:
  Held(std::shared_ptr<StoreClient> store, const ObjectId& id, std::shared_ptr<Mapping> mapping)
      : store_(std::move(store)), id_(id), mapping_(std::move(mapping)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    try {
      store_->release(id_);
    } catch (const Error&) {  // the store has gone, and what it held with it
    }
  }

  void seal() { store_->seal(id_); }
  std::span<std::byte> writable() { return std::as_writable_bytes(mapping_->writable_floats()); }
  std::span<const std::byte> bytes() const { return std::as_bytes(mapping_->floats()); }

 private:
  std::shared_ptr<StoreClient> store_;
  ObjectId id_;
  std::shared_ptr<Mapping> mapping_;
};

/// What two parts hold: the first how many bytes the second has, 0 where there is none.
class StoreMemory final : public SharedMemory {
 public:
  explicit StoreMemory(std::shared_ptr<StoreClient> store) : store_(std::move(store)) {}

  SharedBytes once(std::uint64_t key, const Make& make) override {
    const ObjectId first{.number = key, .kind = ObjectKind::data, .buffer = 0};
    const ObjectId second{.number = key, .kind = ObjectKind::data, .buffer = 1};
    while (true) {
      if (const auto made = create(first, sizeof(std::uint64_t))) return fill(made, second, make);
      // Who makes it may end, or find that it cannot: then it is for somebody else to try.
      if (const auto told = get(first, kAtATime))
        if (auto taken = take(told, second)) return *taken;
    }
  }

 private:
  std::shared_ptr<Held> create(const ObjectId& id, std::size_t bytes) {
    auto mapping = store_->create(id, bytes, {.shared_writers = true, .may_exist = true});
    return mapping ? std::make_shared<Held>(store_, id, std::move(mapping)) : nullptr;
  }

  /// Waits so long until it is sealed; null where that does not come.
  std::shared_ptr<Held> get(const ObjectId& id, std::chrono::milliseconds timeout) {
    try {
      return std::make_shared<Held>(store_, id, store_->get(id, timeout));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::timeout && error.code() != ErrorCode::store_failed) throw;
      return nullptr;
    }
  }

  SharedBytes fill(const std::shared_ptr<Held>& first, const ObjectId& id, const Make& make) {
    const Content content = make();
    const std::shared_ptr<Held> second = content.bytes > 0 ? create_or_tell(id, content.bytes) : nullptr;
    if (second) {
      content.write(second->writable());
      second->seal();
    }
    const std::uint64_t bytes = second ? content.bytes : 0;
    std::memcpy(first->writable().data(), &bytes, sizeof bytes);
    first->seal();
    return both(first, second, bytes);
  }

  /// Who has let go of the first part may be about to let go of the second, which is waited for.
  std::shared_ptr<Held> create_or_tell(const ObjectId& id, std::size_t bytes) {
    try {
      for (const Deadline deadline{kToLetGo}; !deadline.passed(); Clock::sleep_for(kBriefly))
        if (auto made = create(id, bytes)) return made;
      return nullptr;
    } catch (const Error& error) {
      if (bytes >= kWorthTelling)
        log_line(LogLevel::warning, "each process has its own copy of the data: " + error.message());
      return nullptr;
    }
  }

  /// None where whoever had both has let go of them since the first was found.
  std::optional<SharedBytes> take(const std::shared_ptr<Held>& first, const ObjectId& id) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, first->bytes().data(), sizeof bytes);
    if (bytes == 0) return SharedBytes();
    const std::shared_ptr<Held> second = get(id, std::chrono::milliseconds(0));
    if (!second) return std::nullopt;
    return both(first, second, bytes);
  }

  static SharedBytes both(const std::shared_ptr<Held>& first, const std::shared_ptr<Held>& second,
                          std::uint64_t bytes) {
    if (!second || bytes > second->bytes().size()) return {};
    struct Both {
      std::shared_ptr<Held> second;
      std::shared_ptr<Held> first;  ///< goes first: who finds it finds the other, too
    };
    return {second->bytes().first(bytes), std::make_shared<const Both>(Both{second, first})};
  }

  std::shared_ptr<StoreClient> store_;
};

}  // namespace

std::shared_ptr<SharedMemory> make_store_memory(std::shared_ptr<StoreClient> store) {
  return std::make_shared<StoreMemory>(std::move(store));
}

}  // namespace troupe
