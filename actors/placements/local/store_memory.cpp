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

/// The maximum time for which one request to the object store waits for an object of another client. The time is short,
/// because other threads of this process must wait until they can use the same client.
constexpr std::chrono::milliseconds kAtATime{100};

/// The maximum time to wait until another client, which has released the first of two objects (see StoreMemory),
/// releases the second object as well.
constexpr std::chrono::seconds kToLetGo{1};
constexpr std::chrono::milliseconds kBriefly{1};

/// A warning is logged if data of at least this size (in bytes) cannot be shared.
constexpr std::size_t kWorthTelling = std::size_t{1} << 20;

/// An object in the object store that this client holds. The destructor releases the object.
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

/// Shares data through an object store. Each content is stored as two objects. The second object contains the content
/// itself. The first object contains the size of the content in bytes, or 0 if there is no second object because the
/// content cannot be shared. The first object is published after the second.
class StoreMemory final : public SharedMemory {
 public:
  explicit StoreMemory(std::shared_ptr<StoreClient> store) : store_(std::move(store)) {}

  SharedBytes once(std::uint64_t key, const Make& make) override {
    const ObjectId first{.number = key, .kind = ObjectKind::data, .buffer = 0};
    const ObjectId second{.number = key, .kind = ObjectKind::data, .buffer = 1};
    while (true) {
      if (const auto made = create(first, sizeof(std::uint64_t))) return fill(made, second, make);
      // Another client is creating the content. If that client ends before the content is complete, the next iteration
      // tries to create the content.
      if (const auto told = get(first, kAtATime))
        if (auto taken = take(told, second)) return *taken;
    }
  }

 private:
  std::shared_ptr<Held> create(const ObjectId& id, std::size_t bytes) {
    auto mapping = store_->create(id, bytes, {.shared_writers = true, .may_exist = true});
    return mapping ? std::make_shared<Held>(store_, id, std::move(mapping)) : nullptr;
  }

  /// Waits up to `timeout` until the object `id` is sealed, and returns the object. Returns null if the object is not
  /// sealed by then.
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

  /// Creates the second object of a content. Waits up to `kToLetGo` if another client, which has just released the
  /// first object, still holds the second object. If the object cannot be created, returns null; for large data, also
  /// logs a warning.
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

  /// Returns the content that another client has created. Returns std::nullopt if the second object no longer exists,
  /// because all clients have released it since this client found the first object.
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
      /// Declared last and so released first. Therefore a client that finds the first object also finds the second
      /// object.
      std::shared_ptr<Held> first;
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
