#include "models/data/data_sources.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

struct Kind {
  std::string_view name;
  bool drawn;      ///< from the seed
  bool arguments;  ///< may follow a colon
  DataSets (*make)(const std::string& arguments, std::uint64_t seed);
};

constexpr std::array kKinds{Kind{"fashion-mnist", false, true, fashion_mnist},
                            Kind{"synthetic-linear", true, false, synthetic_linear},
                            Kind{"mock-images", true, true, mock_images}, Kind{"npy", false, true, npy_files}};

const Kind& find_kind(const std::string& full_name) {
  const std::size_t colon = full_name.find(':');
  for (const Kind& kind : kKinds) {
    if (kind.name == full_name.substr(0, colon) && (kind.arguments || colon == std::string::npos)) return kind;
  }
  throw Error(ErrorCode::invalid_argument,
              "no data named '" + full_name +
                  "'; there are fashion-mnist[:DIR], synthetic-linear, mock-images[:SIZE[,CLASSES]] and "
                  "npy:IMAGES.npy,LABELS.npy");
}

/// The sets that somebody in this process still holds.
class Cache {
 public:
  /// Loads under the lock: replicas that want the same data at once wait for the first.
  std::shared_ptr<const DataSets> get(const std::string& full_name, std::uint64_t seed) {
    const Kind& kind = find_kind(full_name);
    const std::string arguments = full_name.substr(std::min(kind.name.size() + 1, full_name.size()));
    if (!kind.drawn) seed = 0;
    const std::scoped_lock lock(mutex_);
    std::erase_if(held_, [](const auto& entry) { return entry.second.expired(); });
    auto& entry = held_[{full_name, seed}];
    auto sets = entry.lock();
    if (!sets) entry = sets = std::make_shared<const DataSets>(kind.make(arguments, seed));
    return sets;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, std::weak_ptr<const DataSets>> held_;
};

}  // namespace

TrainingData load_data(const std::string& name, std::uint64_t seed) {
  static Cache& cache = *new Cache;  // never destroyed: a replica that was given up may outlive main
  const auto sets = cache.get(name, seed);
  TrainingData data{.train = {sets, &sets->train}, .test = nullptr};
  if (sets->test) data.test = {sets, &*sets->test};
  return data;
}

}  // namespace troupe
