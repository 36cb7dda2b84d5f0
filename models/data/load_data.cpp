#include <malloc.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "models/data/data_registry.hpp"
#include "models/data/shared/packed_data.hpp"
#include "models/files/input_encoding.hpp"
#include "runtime/hash.hpp"
#include "runtime/invalid.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Sets `made` to data that all processes of this machine share. The first process that requests the data calls `make`;
/// the other processes wait for the data. If the data cannot be shared, leaves `made` empty or, if this process called
/// `make`, sets it to the data of this process.
/// @param name identifies the data: equal for equal data
/// @param make loads the data and sets `made`
void share(const std::string& name, const std::function<void()>& make, TrainingData& made) {
  const auto memory = shared_memory();
  if (!memory) return;
  const SharedBytes shared = memory->once(checksum(std::as_bytes(std::span(name))), [&] {
    make();
    return pack(made);
  });
  if (!shared.bytes.empty()) made = unpack(shared);
}

/// A request of a caller to load data.
struct Wanted {
  const std::string& name;
  const DataInfo& trained;  ///< the description of the data on which a network was trained before; empty: the data is
                            ///< for a new network
  std::uint64_t seed;
  const NamedData& data;

  /// Returns whether the requested data depends on `trained`, the description of the data on which a network was
  /// trained before.
  bool is_like() const {
    return data.make_like && !(trained.encoding.empty() && trained.class_names.empty() && trained.shape.empty());
  }
  TrainingData make() const {
    return is_like() ? data.make_like(data.arguments, trained, seed) : data.make(data.arguments, seed);
  }
  /// Returns a text that identifies the requested data: two requests for the same data have the same text.
  std::string key() const {
    std::string key = name + " " + std::to_string(seed);
    if (!is_like()) return key;
    const nlohmann::json rest{trained.class_names, trained.target_names, trained.shape, trained.source_shape,
                              trained.transforms};
    return key + " like " + to_json(trained.encoding).dump() + rest.dump();
  }
};

/// The data of one key (Wanted::key) in this process. If several replicas request the data at the same time, the first
/// replica loads it, and the others wait.
class Loaded {
 public:
  /// Returns the data. Loads it, unless it is already loaded and still in use.
  /// @throws Error invalid_argument if the function that loads the data requests the same data
  std::shared_ptr<const TrainingData> get(const Wanted& wanted) {
    const std::scoped_lock lock(mutex_);
    if (loading_) throw_invalid("data '" + wanted.name + "' depends on itself");
    auto held = held_.lock();
    if (!held) held_ = held = load(wanted);
    return held;
  }

  /// Returns whether the data is no longer in use. Returns false while a thread loads the data. Never blocks: the
  /// thread that loads the data holds `mutex_` and may itself be waiting in the function `entry`, which calls this
  /// function, so blocking could be a deadlock.
  bool is_gone() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return lock && held_.expired();
  }

 private:
  std::shared_ptr<const TrainingData> load(const Wanted& wanted) {
    const auto done = [](bool* loading) { *loading = false; };
    loading_ = true;
    const std::unique_ptr<bool, decltype(done)> guard(&loading_, done);
    TrainingData made;
    const auto make = [&] {
      made = wanted.make();
      if (!made.train) throw Error(ErrorCode::bad_data, "data '" + wanted.name + "' has no training set");
    };
    share(wanted.key(), make, made);
    if (!made.train) make();
    ::malloc_trim(0);  // returns the memory that was needed only for loading, which may be much
    return std::make_shared<const TrainingData>(std::move(made));
  }

  std::recursive_mutex mutex_;  ///< recursive, so that `get` can detect data that requests itself; with another mutex
                                ///< it would block
  bool loading_ = false;
  std::weak_ptr<const TrainingData> held_;
};

/// Returns the object for the data with this key; all callers with the same key get the same object. Removes the
/// objects for data that is no longer in use.
std::shared_ptr<Loaded> entry(const std::string& key) {
  using Entries = std::map<std::string, std::shared_ptr<Loaded>>;
  static auto& mutex = *new std::mutex;  // mutex and entries are never destroyed, because threads of abandoned replicas
                                         // may use them after main has returned
  static auto& entries = *new Entries;
  const std::scoped_lock lock(mutex);
  std::erase_if(entries, [](const auto& each) { return each.second.use_count() == 1 && each.second->is_gone(); });
  auto& found = entries[key];
  if (!found) found = std::make_shared<Loaded>();
  return found;
}

}  // namespace

std::shared_ptr<const DataSource> load_test_set(const std::string& full_name, std::uint64_t seed,
                                                const DataInfo& trained) {
  const NamedData data = find_data(full_name);
  if (data.make_test) return data.make_test(data.arguments);
  const TrainingData all = load_data(full_name, trained, seed);
  return all.test ? all.test : all.train;
}

TrainingData load_data(const std::string& name, std::uint64_t seed) { return load_data(name, DataInfo{}, seed); }

TrainingData load_data(const std::string& name, const DataInfo& trained, std::uint64_t seed) {
  const NamedData data = find_data(name);
  const Wanted wanted{name, trained, data.drawn ? seed : 0, data};
  const auto held = entry(wanted.key())->get(wanted);
  const auto holding = [&held](const std::shared_ptr<const DataSource>& set) {
    return set ? std::shared_ptr<const DataSource>(held, set.get()) : nullptr;
  };
  return {holding(held->train), holding(held->test), holding(held->validation)};
}

}  // namespace troupe
