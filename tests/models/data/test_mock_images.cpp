#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "models/data/mock_images.hpp"
#include "models/files.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using testing::check_throws;

namespace {

std::vector<float> pixels(const Batch& batch) { return {batch.values.begin(), batch.values.end()}; }

}  // namespace

TEST_CASE("the mock images of a shard are drawn once from seed and shard") {
  const auto source = mock_image_batches(8, 1001, 4);
  const Batch first = source->training_batch({.shard = 1, .num_shards = 2, .step = 0, .seed = 3});
  CHECK(first.size == 4);
  CHECK(first.values.size() == 4 * 3 * 64);
  CHECK(first.labels.size() == 4);
  const auto other = source->training_batch({.shard = 0, .num_shards = 2, .step = 0, .seed = 3});
  CHECK(pixels(other) != pixels(first));
  const Batch later = source->training_batch({.shard = 1, .num_shards = 2, .step = 9, .seed = 3});
  CHECK(later.values.data() == first.values.data());
  CHECK(pixels(source->training_batch({.shard = 1, .num_shards = 2, .step = 0, .seed = 4})) != pixels(first));
  CHECK(pixels(mock_image_batches(8, 1001, 4)->training_batch({.shard = 1, .num_shards = 5, .step = 2, .seed = 3})) ==
        pixels(first));
}

TEST_CASE("mock images have values of photographs, and labels cover all classes") {
  const auto source = mock_image_batches(16, 5, 200);
  const Batch batch = source->training_batch({});
  const auto [least, most] = std::ranges::minmax(batch.values);
  CHECK(least >= 0);
  CHECK(least < 3);
  CHECK(most <= 255);
  CHECK(most > 252);
  for (std::int32_t label = 0; label < 5; ++label) {
    const auto count = std::ranges::count(batch.labels, label);
    CHECK(count > 15);
    CHECK(count < 65);
  }
  CHECK(source->info().num_samples == 0);
  CHECK(source->steps_per_epoch(2) == 0);
  CHECK(source->test_batch({}, 0).size == 0);
}

TEST_CASE("tfbench requires a positive batch size") {
  check_throws(ErrorCode::invalid_argument, "a batch of 0 images", [] { models::tfbench(0); });
  check_throws(ErrorCode::invalid_argument, "a batch of -1 images", [] { models::tfbench(-1); });
}

TEST_CASE("tfbench is a ResNet-101 with 1001 classes and without epochs") {
  const auto model = models::tfbench(1);
  const ModelInfo& info = model->start({.num_shards = 4});
  std::size_t learned = 0;
  for (const TensorInfo& tensor : info.tensors)
    if (tensor.name.find(".running_") == std::string::npos) learned += tensor.size();
  CHECK(learned == 44'551'209);
  CHECK(info.tensors[0].name == "conv1.weight");
  CHECK(info.num_samples == 0);
  CHECK(info.steps_per_epoch == 0);
  CHECK_FALSE(info.lightweight);
}
