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

/// How long one request to the store waits for an object of another client. Other threads of this process use the
/// store, too.
constexpr std::chrono::milliseconds kAtATime{100};

/// How long to wait for another client to release the second part after the first.
constexpr std::chrono::seconds kToLetGo{1};
constexpr std::chrono::milliseconds kBriefly{1};

/// The size from which a separate copy in each process is logged.
constexpr std::size_t kWorthTelling = std::size_t{1} << 20;

/// An object that this client holds.
class Held {
 public:
  Held(std::shared_ptr<StoreClient> store, const ObjectId& id, std::shared_ptr<Mapping> mapping)
      : store_(std::move(store)), id_(id), mapping_(std::move(mapping)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    try {
      store_->release(id_);
    } catch (const Error&) {  // the store and its objects are gone
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

/// Each content is stored in two objects: the first holds the size of the second in bytes, or 0 if there is no second.
class StoreMemory final : public SharedMemory {
 public:
  explicit StoreMemory(std::shared_ptr<StoreClient> store) : store_(std::move(store)) {}

  SharedBytes once(std::uint64_t key, const Make& make) override {
    const ObjectId first{.number = key, .kind = ObjectKind::data, .buffer = 0};
    const ObjectId second{.number = key, .kind = ObjectKind::data, .buffer = 1};
    while (true) {
      if (const auto made = create(first, sizeof(std::uint64_t))) return fill(made, second, make);
      // The creator may end, or find that it cannot create the content. Then another client tries.
      if (const auto told = get(first, kAtATime))
        if (auto taken = take(told, second)) return *taken;
    }
  }

 private:
  std::shared_ptr<Held> create(const ObjectId& id, std::size_t bytes) {
    auto mapping = store_->create(id, bytes, {.shared_writers = true, .may_exist = true});
    return mapping ? std::make_shared<Held>(store_, id, std::move(mapping)) : nullptr;
  }

  /// Waits at most `timeout` until the object is sealed. Returns null if it is not.
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

  /// A client that has released the first part may still hold the second for a moment, so this waits for its release.
  std::shared_ptr<Held> create_or_tell(const ObjectId& id, std::size_t bytes) {
    try {
      for (const Deadline deadline{kToLetGo}; !deadline.passed(); Clock::sleep_for(kBriefly))
        if (auto made = create(id, bytes)) return made;
      return nullptr;
    } catch (const Error& error) {
      if (bytes >= kWorthTelling)
        log_line(LogLevel::warning,
                 "the data cannot be shared, so each process keeps its own copy: " + error.message());
      return nullptr;
    }
  }

  /// Returns nothing if all holders have released both parts since the first was found.
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
      std::shared_ptr<Held> first;  ///< released first: a client that finds the first part also finds the second
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
