#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/batches.hpp"
#include "troupe/data.hpp"
#include "troupe/transform.hpp"

using namespace troupe;
using namespace troupe::testing;
using troupe::data::transform;

namespace {

using Floats = std::vector<float>;

/// Returns images with the values 1, 2, 3, ...
TrainingData counted(const std::vector<std::int64_t>& shape, std::int64_t samples) {
  std::int64_t size = samples;
  for (const std::int64_t length : shape) size *= length;
  Floats values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 1.0F);
  const std::vector<std::int32_t> labels(static_cast<std::size_t>(samples));
  return {std::make_shared<const Dataset>(Dataset::classes(shape, std::move(values), labels, 2)), nullptr};
}

Floats drawn(const TrainingData& data, std::int64_t sample, DrawnFor drawn) {
  const std::vector<std::int64_t> samples{sample};
  Floats values(static_cast<std::size_t>(data.train->info().sample_size()));
  std::vector<std::int32_t> labels(1);
  data.train->fill({.samples = samples, .values = values, .labels = labels, .targets = {}, .drawn = drawn});
  return values;
}

/// Returns the distinct results for the first sample over `epochs` epochs.
std::set<Floats> outcomes(const TrainingData& data, int epochs = 200) {
  std::set<Floats> all;
  for (int epoch = 0; epoch < epochs; ++epoch) all.insert(drawn(data, 0, {1, epoch}));
  return all;
}

void refused(const std::vector<std::int64_t>& shape, const std::string& transforms, const std::string& what) {
  CAPTURE(transforms);
  check_throws(ErrorCode::invalid_argument, what, [&] { transform(counted(shape, 2), transforms); });
}

/// A source of zeros with the given info.
struct Named : DataSource {
  explicit Named(DataInfo info) : DataSource(std::move(info)) {}
  void read(const BatchRequest& request) const override { std::ranges::fill(request.targets, 0.0F); }
};

}  // namespace

TEST_CASE("crop cuts a random square of the zero-padded image, or the middle when nothing is drawn") {
  const auto data = transform(counted({2, 2}, 1), "crop 2 1");
  CHECK(data.train->info().shape == std::vector<std::int64_t>{2, 2});
  CHECK(read_all(*data.train).values == Floats{1, 2, 3, 4});
  const auto all = outcomes(data);
  CHECK(all.size() == 9);
  CHECK(all.contains(Floats{0, 0, 0, 1}));
  CHECK(all.contains(Floats{4, 0, 0, 0}));
  const auto colours = transform(counted({2, 3, 3}, 1), "crop 1");
  CHECK(colours.train->info().shape == std::vector<std::int64_t>{2, 1, 1});
  CHECK(read_all(*colours.train).values == Floats{5, 14});
  refused({2, 2}, "crop 3", "larger than images of 2 x 2");
  refused({4}, "crop 2", "needs images");
}

TEST_CASE("flip mirrors about half of the images horizontally") {
  const auto data = transform(counted({2, 3}, 1), "flip");
  CHECK(read_all(*data.train).values == Floats{1, 2, 3, 4, 5, 6});
  CHECK(outcomes(data) == std::set<Floats>{{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}});
  int flipped = 0;
  for (int epoch = 0; epoch < 1000; ++epoch) flipped += drawn(data, 0, {1, epoch})[0] == 3 ? 1 : 0;
  CHECK(flipped > 400);
  CHECK(flipped < 600);
}

TEST_CASE("random transforms depend on seed, sample and epoch alone") {
  const auto data = transform(counted({8, 8}, 3), "crop 6 2, flip, rotate 20, colour 0.5, cutout 3");
  const Floats once = drawn(data, 1, {7, 3});
  CHECK(drawn(data, 1, {7, 3}) == once);
  CHECK(drawn(data, 1, {8, 3}) != once);
  CHECK(drawn(data, 1, {7, 4}) != once);
  const std::vector<std::int64_t> samples{2, 1, 1};
  Floats values(3 * 36);
  std::vector<std::int32_t> labels(3);
  data.train->fill({.samples = samples, .values = values, .labels = labels, .targets = {}, .drawn = DrawnFor{7, 3}});
  CHECK(Floats(values.begin() + 36, values.begin() + 72) == once);
  CHECK(Floats(values.begin() + 72, values.end()) == once);
}

TEST_CASE("normalised values have mean 0 and deviation 1, by channel for images and by column for rows") {
  const auto images = transform(counted({2, 2, 2}, 3), "normalise");
  const Floats values = read_all(*images.train).values;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i / 4 % 2 == 0) sum += values[i], squares += values[i] * values[i];
  CHECK(sum == doctest::Approx(0));
  CHECK(squares / 12 == doctest::Approx(1));
  const auto rows = transform(counted({3}, 4), "normalise");
  CHECK(read_all(*rows.train).values[1] == doctest::Approx(-4.5 / std::sqrt(11.25)));
  CHECK(read_all(*transform(counted({1}, 1), "normalise").train).values == Floats{0});
  CHECK(read_all(*transform(counted({2}, 1), "normalise 1 0.5").train).values == Floats{0, 2});
  refused({2}, "normalise 1", "does not have the form normalise");
  refused({2}, "normalise 1 0", "deviations above 0");
  refused({3}, "normalise 1 2 1 2", "2 means for 3");
}

TEST_CASE("intercept appends a 1 to the values of a row") {
  const auto rows = transform(counted({2}, 2), "normalise, intercept");
  CHECK(rows.train->info().shape == std::vector<std::int64_t>{3});
  const Floats values = read_all(*rows.train).values;
  CHECK(values[2] == 1);
  CHECK(values[5] == 1);
  CHECK(values[0] == -values[3]);
  DataInfo named{.num_samples = 1, .shape = {1}, .num_targets = 1, .value_names = {"size"}};
  CHECK(transform({std::make_shared<Named>(named)}, "intercept").train->info().value_names ==
        std::vector<std::string>{"size", "intercept"});
  refused({2, 2}, "intercept", "samples with one dimension");
  refused({2}, "intercept 2", "has no parameters");
}

TEST_CASE("statistics of the training set are applied to the test set and recorded in the data info") {
  auto data = counted({2}, 4);
  data.test = counted({2}, 2).train;
  const auto done = transform(data, "normalise");
  CHECK(read_all(*done.test).values[0] == read_all(*done.train).values[0]);
  const auto again = transform(data, done.train->info().transforms);
  CHECK(read_all(*again.train).values == read_all(*done.train).values);
  CHECK_FALSE(done.train->info().varies);
  CHECK(transform(counted({4, 4}, 1), "resize 2 3, flip").train->info().transforms == "resize 2 3, flip");
}

TEST_CASE("a resized image has the requested size, and a uniform image stays uniform") {
  const TrainingData even{
      std::make_shared<const Dataset>(Dataset::classes({1, 7, 5}, Floats(35, 2.5F), std::vector<std::int32_t>{0}, 1)),
      nullptr};
  const auto data = transform(even, "resize 3 4");
  CHECK(data.train->info().shape == std::vector<std::int64_t>{1, 3, 4});
  for (const float value : read_all(*data.train).values) CHECK(value == doctest::Approx(2.5));
  CHECK(read_all(*transform(counted({3, 3}, 1), "resize 3").train).values ==
        read_all(*counted({3, 3}, 1).train).values);
}

TEST_CASE("rotate keeps the middle of an image, cutout writes zeros, and colour multiplies channels") {
  const auto turned = transform(counted({3, 3}, 1), "rotate 90");
  CHECK(read_all(*turned.train).values == read_all(*counted({3, 3}, 1).train).values);
  CHECK(outcomes(turned).size() > 100);
  for (const Floats& image : outcomes(turned)) CHECK(image[4] == doctest::Approx(5));
  for (const Floats& image : outcomes(transform(counted({5, 5}, 1), "cutout 3"))) {
    const auto zeros = std::ranges::count(image, 0.0F);
    CHECK(zeros >= 4);
    CHECK(zeros <= 9);
  }
  for (const Floats& image : outcomes(transform(counted({1, 1, 2}, 1), "colour 0.5"))) {
    CHECK(image[0] + image[1] >= doctest::Approx(1.5));
    CHECK(image[0] + image[1] <= doctest::Approx(4.5));
    CHECK(image[0] < image[1]);
  }
}

TEST_CASE("unknown transforms and invalid numbers are refused") {
  refused({2, 2}, "crpo 2", "did you mean 'crop'");
  refused({2, 2}, "blur", "the transforms are colour, crop");
  refused({2, 2}, "crop", "does not have the form crop SIDE");
  refused({2, 2}, "crop 0", "does not have the form crop SIDE");
  refused({2, 2}, "crop two", "needs numbers, but 'two' is not a number");
  refused({2, 2}, "crop 1e40", "needs numbers");
  refused({2, 2}, "flip 1", "has no parameters");
  refused({2, 2}, "flip,,flip", "has no name");
  refused({2, 2}, "rotate 181", "rotate DEGREES");
  refused({2, 2}, "colour 2", "colour AMOUNT");
  refused({2, 2}, "cutout", "cutout SIDE");
  refused({2, 2}, "resize", "resize HEIGHT");
  refused({2, 2}, "resize 1.5", "'resize 1.5' does not have the form resize HEIGHT [WIDTH], in pixels");
  refused({2, 2}, "resize 1 1.5", "resize HEIGHT");
  refused({2, 2}, "crop 1.5", "crop SIDE");
  refused({2, 2}, "crop 1 0.5", "crop SIDE");
  refused({2, 2}, "cutout 0.5", "cutout SIDE");
  refused({2, 2}, "cutout 1.5", "cutout SIDE");
  CHECK(read_all(*transform(counted({2, 2}, 1), "").train).values == Floats{1, 2, 3, 4});
}

TEST_CASE("batches draw new transforms in each epoch and the same ones at the same step") {
  const auto data = transform(counted({4, 4}, 4), "crop 3 1");
  const auto batches = dataset_batches(data, 0);
  const auto values = [&](std::int64_t step, int shard) {
    const auto batch = batches->training_batch({.shard = shard, .num_shards = 2, .step = step, .seed = 1});
    return Floats(batch.values.begin(), batch.values.end());
  };
  CHECK(values(0, 0) != values(1, 0));
  CHECK(values(1, 1) == values(1, 1));
  const auto other = dataset_batches(data, 0);
  const auto batch = other->training_batch({.shard = 1, .num_shards = 2, .step = 1, .seed = 1});
  CHECK(Floats(batch.values.begin(), batch.values.end()) == values(1, 1));
}
