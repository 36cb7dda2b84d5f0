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

/// The maximum time that one request to the store waits for an object of another client. It is short, because other
/// threads of this process use the same client.
constexpr std::chrono::milliseconds kAtATime{100};

/// The maximum time to wait until another client, which has released the first part, releases the second part as well.
constexpr std::chrono::seconds kToLetGo{1};
constexpr std::chrono::milliseconds kBriefly{1};

/// If data of at least this size (1 MiB) cannot be shared, a warning is logged.
constexpr std::size_t kWorthTelling = std::size_t{1} << 20;

/// An object in the store. The destructor releases it.
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

/// Stores each content in two objects. The second object contains the content. The first object contains the size of
/// the content in bytes; 0 if there is no second object, because the content cannot be shared. The first is published
/// last.
class StoreMemory final : public SharedMemory {
 public:
  explicit StoreMemory(std::shared_ptr<StoreClient> store) : store_(std::move(store)) {}

  SharedBytes once(std::uint64_t key, const Make& make) override {
    const ObjectId first{.number = key, .kind = ObjectKind::data, .buffer = 0};
    const ObjectId second{.number = key, .kind = ObjectKind::data, .buffer = 1};
    while (true) {
      if (const auto made = create(first, sizeof(std::uint64_t))) return fill(made, second, make);
      // Another client creates the content. If that client ends before the content is complete, the loop tries again.
      if (const auto told = get(first, kAtATime))
        if (auto taken = take(told, second)) return *taken;
    }
  }

 private:
  std::shared_ptr<Held> create(const ObjectId& id, std::size_t bytes) {
    auto mapping = store_->create(id, bytes, {.shared_writers = true, .may_exist = true});
    return mapping ? std::make_shared<Held>(store_, id, std::move(mapping)) : nullptr;
  }

  /// Waits up to `timeout` until the object is sealed, and returns it. Returns null if it is not sealed by then.
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

  /// Creates the second object. Another client, which has just released the first object, may still hold the second
  /// one, so this function waits for its release. Returns null, and logs a warning for large data, if the object cannot
  /// be created.
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

  /// Returns the content that another client has created. Returns std::nullopt if all clients have released the second
  /// object since this client found the first one.
  /// @param first the first object
  /// @param id the name of the second object
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
      std::shared_ptr<Held> first;  ///< released before `second`, so that a client that finds the first object also
                                    ///< finds the second
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
