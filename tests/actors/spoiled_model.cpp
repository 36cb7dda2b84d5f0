#include "actors/spoiled_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "actors/test_models.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

/// The place of a tensor in the flat vector.
struct Place {
  char name;
  std::size_t begin;
  std::size_t size;
};

constexpr std::size_t kLearned = 10'240;
constexpr std::size_t kSpoiledSize = 12'288;
/// In canonical order. There is padding between `b` and `a`.
constexpr std::array<Place, 4> kPlaces{
    {{'a', 6'000, kLearned - 6'000}, {'b', 2'500, 3'000}, {'c', 0, 2'500}, {'d', kLearned, kSpoiledSize - kLearned}}};
constexpr std::size_t kPadding = 5'600;
constexpr float kTooLarge = 1e20F;

bool is_padding(std::size_t i) {
  return std::ranges::none_of(kPlaces, [i](const Place& at) { return i >= at.begin && i < at.begin + at.size; });
}

/// Calls visit(position in the flat vector) in canonical order.
template <class Visit>
void for_each_canonical(const Visit& visit) {
  for (const Place& at : kPlaces)
    for (std::size_t i = at.size; i-- > 0;) visit(at.begin + i);
}

Spoil parse(const std::string& text) {
  Spoil spoil;
  std::istringstream(text) >> spoil.tensors >> spoil.value >> spoil.times >> spoil.step;
  if (spoil.tensors == "-") spoil.tensors.clear();
  return spoil;
}

}  // namespace

std::string Spoil::text() const {
  return (tensors.empty() ? "-" : tensors) + ' ' + value + ' ' + std::to_string(times) + ' ' + std::to_string(step);
}

ModelInfo SpoiledModel::prepare(const ReplicaContext& /*context*/) {
  ModelInfo info{.size = kSpoiledSize, .learned_size = kLearned};
  for (const Place& at : kPlaces) info.tensors.push_back({{at.name}, {static_cast<std::int64_t>(at.size)}});
  return info;
}

BatchResult SpoiledModel::gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
  const auto shard = static_cast<std::uint64_t>(at.shard);
  for (std::size_t i = 0; i < kSpoiledSize; ++i)
    gradient[i] = is_padding(i) ? 0 : noise(shard, static_cast<std::uint64_t>(at.step), i) + 0.1F * weights[i];
  if (at.shard != 1 || at.step != spoil_.step || spoil_.times == 0) return {1, samples_of(at.shard)};
  --spoil_.times;
  for (const char name : spoil_.tensors) {
    const auto place = std::ranges::find(kPlaces, name, &Place::name);
    const std::size_t i = place == kPlaces.end() ? kPadding : place->begin + place->size / 3;
    gradient[i] = std::stof(spoil_.value);
  }
  return {1, samples_of(at.shard)};
}

void SpoiledModel::update_statistics(std::size_t /*begin*/, std::span<const float> mean, std::int64_t /*samples*/,
                                     std::span<const float> statistics, std::span<float> updated) const {
  for (std::size_t i = 0; i < mean.size(); ++i) {
    if (mean[i] > kTooLarge && std::isfinite(mean[i])) throw std::runtime_error("statistics are too large");
    updated[i] = 0.75F * statistics[i] + 0.5F * mean[i];  // stays small in any number of steps
  }
}

void SpoiledModel::to_canonical(std::span<const float> weights, std::span<float> canonical) const {
  auto next = canonical.begin();
  for_each_canonical([&](std::size_t i) { *next++ = weights[i]; });
}

void SpoiledModel::from_canonical(std::span<const float> canonical, std::span<float> weights) const {
  std::ranges::fill(weights, 0.0F);
  auto next = canonical.begin();
  for_each_canonical([&](std::size_t i) { weights[i] = *next++; });
}

void register_spoiled_model() {
  register_model("spoiled",
                 [](const ReplicaContext& context) { return std::make_unique<SpoiledModel>(parse(context.config)); });
}

}  // namespace troupe_test
