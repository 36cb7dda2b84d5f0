#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/pipeline.hpp"
#include "troupe/transform.hpp"

using namespace troupe;
using namespace troupe::testing;
using data::DataPtr;

namespace {

using Floats = std::vector<float>;

/// Returns samples 0, 1, ... with class = number modulo `classes`.
DataPtr numbered(int samples, int classes = 2) {
  Floats values(static_cast<std::size_t>(samples));
  std::iota(values.begin(), values.end(), 0.0F);
  std::vector<std::int32_t> labels;
  for (int i = 0; i < samples; ++i) labels.push_back(i % classes);
  return std::make_shared<const Dataset>(Dataset::classes({1}, std::move(values), std::move(labels), classes));
}

Floats values_of(const DataPtr& data) { return read_all(*data).values; }

void refused(ErrorCode code, const std::string& what, const std::function<void()>& make) {
  check_throws(code, what, make);
}

}  // namespace

TEST_CASE("take, select, filter, repeat, shuffle, map and concat make data from other data") {
  const DataPtr ten = numbered(10);
  CHECK(values_of(data::take(ten, 3)) == Floats{0, 1, 2});
  CHECK(values_of(data::take(ten, 99)).size() == 10);
  CHECK(values_of(data::select(ten, {7, 7, 0})) == Floats{7, 7, 0});
  CHECK(values_of(data::filter(ten, [](const data::SampleView& s) { return s.label == 1; })) == Floats{1, 3, 5, 7, 9});
  CHECK(values_of(data::repeat(data::take(ten, 2), 3)) == Floats{0, 1, 0, 1, 0, 1});
  const DataPtr both = data::concat({data::take(ten, 2), numbered(3)});
  CHECK(values_of(both) == Floats{0, 1, 0, 1, 2});
  CHECK(read_all(*both).labels == std::vector<std::int32_t>{0, 1, 0, 1, 0});
  const Floats shuffled = values_of(data::shuffle(ten, 3));
  CHECK(shuffled != values_of(ten));
  CHECK(std::set<float>(shuffled.begin(), shuffled.end()).size() == 10);
  CHECK(values_of(data::shuffle(ten, 3)) == shuffled);
  CHECK(values_of(data::shuffle(ten, 4)) != shuffled);
  const DataPtr twice = data::map(ten, {2}, [](const data::SampleView& from, std::span<float> to) {
    to[0] = from.values[0];
    to[1] = static_cast<float>(from.number + from.label);
  });
  CHECK(twice->info().shape == std::vector<std::int64_t>{2});
  CHECK(read_samples(*twice, {9}).values == Floats{9, 10});
  refused(ErrorCode::invalid_argument, "no sample 10; the number of samples is 10", [&] { data::select(ten, {10}); });
  refused(ErrorCode::invalid_argument, "take 0 samples", [&] { data::take(ten, 0); });
  refused(ErrorCode::invalid_argument, "repeat data 0 times", [&] { data::repeat(ten, 0); });
  refused(ErrorCode::bad_data, "keeps none of 10",
          [&] { data::filter(ten, [](const data::SampleView&) { return false; }); });
  refused(ErrorCode::bad_data, "the sources differ", [&] { data::concat({ten, numbered(3, 3)}); });
}

TEST_CASE("a window of a series is a sample of consecutive rows with the label or targets of the last row") {
  const DataPtr series = data::window(numbered(5), 3);
  CHECK(series->info().shape == std::vector<std::int64_t>{3, 1});
  CHECK(values_of(series) == Floats{0, 1, 2, 1, 2, 3, 2, 3, 4});
  CHECK(read_all(*series).labels == std::vector<std::int32_t>{0, 1, 0});
  const auto prices = std::make_shared<const Dataset>(Dataset::targets({1}, {1, 2, 3}, {10, 11, 20, 21, 30, 31}, 2));
  CHECK(read_all(*data::window(prices, 2)).targets == Floats{20, 21, 30, 31});
  refused(ErrorCode::bad_data, "has no samples", [] { data::window(numbered(2), 3); });
  refused(ErrorCode::invalid_argument, "windows of 0", [] { data::window(numbered(2), 0); });
}

TEST_CASE("a split has each sample once and keeps the proportions of the classes") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto [rest, part] = data::split(numbered(1000, 4), 0.1, seed);
    CHECK(part->info().num_samples == 100);
    std::vector<int> classes(4);
    for (const std::int32_t label : read_all(*part).labels) ++classes[static_cast<std::size_t>(label)];
    for (const int count : classes) CHECK(std::abs(count - 25) <= 1);
    Floats all = values_of(rest);
    const Floats other = values_of(part);
    all.insert(all.end(), other.begin(), other.end());
    std::ranges::sort(all);
    CHECK(all == values_of(numbered(1000, 4)));
  }
  CHECK(values_of(data::split(numbered(100), 0.5, 1).second) != values_of(data::split(numbered(100), 0.5, 2).second));
  CHECK(data::split(numbered(3), 0.01).second->info().num_samples == 1);
  CHECK(data::split(numbered(3), 0.99).first->info().num_samples == 1);
  refused(ErrorCode::invalid_argument, "must be between 0 and 1", [] { data::split(numbered(3), 1); });
  refused(ErrorCode::invalid_argument, "cannot be split", [] { data::split(numbered(1), 0.5); });
}

TEST_CASE("in a cross-validation, each sample is tested in one fold and trained on in all others") {
  const auto folds = data::to_cv(numbered(50, 5), 4);
  REQUIRE(folds.size() == 4);
  Floats tested;
  for (const TrainingData& fold : folds) {
    const Floats test = values_of(fold.test);
    const Floats train = values_of(fold.train);
    CHECK(test.size() + train.size() == 50);
    CHECK(test.size() >= 12);
    for (const float value : test) CHECK(std::ranges::count(train, value) == 0);
    tested.insert(tested.end(), test.begin(), test.end());
    std::vector<int> classes(5);
    for (const std::int32_t label : read_all(*fold.test).labels) ++classes[static_cast<std::size_t>(label)];
    for (const int count : classes) CHECK(count >= 2);
  }
  std::ranges::sort(tested);
  CHECK(tested == values_of(numbered(50, 5)));
  refused(ErrorCode::invalid_argument, "1 folds", [] { data::to_cv(numbered(5), 1); });
  refused(ErrorCode::invalid_argument, "6 folds", [] { data::to_cv(numbered(5), 6); });
}

TEST_CASE("random transforms of a sample stay the same after select, take and concat") {
  Floats values(16);
  std::iota(values.begin(), values.end(), 1.0F);
  const TrainingData images{
      std::make_shared<const Dataset>(Dataset::classes({2, 2}, std::move(values), {0, 1, 0, 1}, 2)), nullptr};
  const DataPtr flipped = data::transform(images, "flip").train;
  const DataPtr chosen = data::concat({data::select(flipped, {3, 1}), data::take(flipped, 1)});
  CHECK(chosen->info().varies);
  CHECK(chosen->info().slow);
  const auto drawn = [](const DataPtr& from, std::int64_t sample, std::int64_t epoch) {
    Floats one(4);
    std::vector<std::int32_t> label(1);
    from->fill(
        {.samples = std::span(&sample, 1), .values = one, .labels = label, .targets = {}, .drawn = DrawnFor{1, epoch}});
    return one;
  };
  for (int epoch = 0; epoch < 8; ++epoch) {
    CHECK(drawn(chosen, 0, epoch) == drawn(flipped, 3, epoch));
    CHECK(drawn(chosen, 2, epoch) == drawn(flipped, 0, epoch));
  }
}

namespace {

/// Ten samples in parts of 4, 3 and 3.
class TenInParts final : public DataSource {
 public:
  TenInParts() : DataSource({.num_samples = 10, .shape = {1}, .num_classes = 2, .parts = {0, 4, 7}, .held_parts = 2}) {}

 private:
  void read(const BatchRequest& request) const override {
    for (std::size_t i = 0; i < request.samples.size(); ++i)
      request.labels[i] = static_cast<std::int32_t>(request.samples[i] % 2);
  }
};

}  // namespace

TEST_CASE("derived data keeps the remaining parts of its source if the order is kept") {
  using Parts = std::vector<std::int64_t>;
  const DataPtr ten = std::make_shared<const TenInParts>();
  CHECK(data::transform({ten}, "normalise 1 2").train->info().parts == Parts{0, 4, 7});
  CHECK(data::map(ten, {1}, [](const auto&, auto) {})->info().parts == Parts{0, 4, 7});
  CHECK(data::take(ten, 5)->info().parts == Parts{0, 4});
  CHECK(data::take(ten, 4)->info().parts == Parts{0});
  CHECK(data::select(ten, {1, 2, 8, 9})->info().parts == Parts{0, 2});
  CHECK(data::select(ten, {5, 6, 8})->info().parts == Parts{0, 2});
  CHECK(data::shuffle(ten, 1)->info().parts.empty());
  CHECK(data::window(ten, 4)->info().parts == Parts{0, 4});
  const DataPtr all = data::concat({numbered(3), ten, data::take(ten, 1)});
  CHECK(all->info().parts == Parts{0, 3, 7, 10, 13});
  CHECK(all->info().held_parts == 2);
  CHECK(data::concat({numbered(3), numbered(2)})->info().parts.empty());
  const auto [rest, part] = data::split(ten, 0.3);
  CHECK(rest->info().parts.size() > 1);
  class Wrong final : public DataSource {
   public:
    explicit Wrong(Parts parts)
        : DataSource({.num_samples = 3, .shape = {1}, .num_classes = 2, .parts = std::move(parts)}) {}

   private:
    void read(const BatchRequest& /*request*/) const override {}
  };
  for (const Parts& parts : {Parts{1, 2}, Parts{0, 2, 2}, Parts{0, 3}, Parts{0, 2, 1}})
    refused(ErrorCode::bad_data, "parts must start", [&] { const Wrong wrong(parts); });
}

TEST_CASE("streamed samples can be read by number; a part is streamed again only after it was dropped") {
  std::vector<int> reads(4);
  const DataPtr streamed = data::stream({.shape = {1}, .num_targets = 1}, 4, [&reads](int part, const auto& take) {
    ++reads[static_cast<std::size_t>(part)];
    for (int i = 0; i <= part; ++i) {
      const float value = static_cast<float>(10 * part + i);
      const float target = -value;
      take({.values = {&value, 1}, .targets = {&target, 1}});
    }
  });
  CHECK(streamed->info().num_samples == 10);
  CHECK(streamed->info().parts == std::vector<std::int64_t>{0, 1, 3, 6});
  CHECK(values_of(streamed) == Floats{0, 10, 11, 20, 21, 22, 30, 31, 32, 33});
  CHECK(read_samples(*streamed, {9, 0, 4}).targets == Floats{-33, 0, -21});
  CHECK(reads == std::vector<int>{2, 2, 2, 2});  // once to count the samples
  refused(ErrorCode::invalid_argument, "a stream of 0 parts",
          [] { data::stream({.shape = {1}, .num_classes = 2}, 0, [](int, const auto&) {}); });
  refused(ErrorCode::bad_data, "part 0 has no samples",
          [] { data::stream({.shape = {1}, .num_classes = 2}, 1, [](int, const auto&) {}); });
  refused(ErrorCode::bad_data, "a sample with 2 values and 0 targets; expected 1 and 0", [] {
    data::stream({.shape = {1}, .num_classes = 2}, 1, [](int, const auto& take) {
      const Floats two(2);
      take({.values = two, .label = 0});
    });
  });
  int count = 3;
  const DataPtr changing = data::stream({.shape = {1}, .num_classes = 2}, 1, [&count](int, const auto& take) {
    const float value = 0;
    for (int i = 0; i < count; ++i) take({.values = {&value, 1}, .label = 1});
  });
  count = 4;
  refused(ErrorCode::bad_data, "part 0 had 3 samples at first, but has 4 now", [&] { values_of(changing); });
}
