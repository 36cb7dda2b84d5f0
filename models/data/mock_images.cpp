#include "models/data/mock_images.hpp"

#include <string>
#include <utility>

#include "models/data/batches/batch_pages.hpp"
#include "runtime/invalid.hpp"
#include "troupe/batches.hpp"

namespace troupe {
namespace {

float draw_pixel(Random& random) {
  for (;;) {
    const double pixel = 127 + 60 * random.normal();
    if (pixel >= 0 && pixel <= 255) return static_cast<float>(pixel);
  }
}

class MockImageBatches final : public BatchSource {
 public:
  MockImageBatches(std::int64_t size, int classes, std::int64_t batch_size)
      : BatchSource({.shape = {3, size, size}, .num_classes = classes}), batch_size_(batch_size) {
    if (batch_size < 1)
      throw_invalid("a batch of " + std::to_string(batch_size) + " images; the batch size must be at least 1");
  }

  std::int64_t steps_per_epoch(int /*num_shards*/) const override { return 0; }

  Batch training_batch(const ShardStep& at) override {
    for (const Kept& each : kept_)
      if (each.seed == at.seed && each.shard == at.shard) return each.batch();
    return kept_.emplace_back(draw(at)).batch();
  }
  Batch test_batch(const ShardStep& /*at*/, std::int64_t /*index*/) override { return {}; }

 private:
  struct Kept {
    std::uint64_t seed;
    int shard;
    SampleFloats pixels;
    std::vector<std::int32_t> labels;

    Batch batch() const { return {std::ssize(labels), pixels, labels, {}}; }
  };

  Kept draw(const ShardStep& at) const {
    const auto pixels = static_cast<std::size_t>(batch_size_ * info().sample_size());
    Kept drawn{at.seed, at.shard, SampleFloats(pixels, PagesAllocator<float>(Pages::lockable)),
               std::vector<std::int32_t>(static_cast<std::size_t>(batch_size_))};
    draw_mock_images(mock_image_random(at.seed, at.shard), info().num_classes, drawn.pixels, drawn.labels);
    return drawn;
  }

  std::int64_t batch_size_;
  std::vector<Kept> kept_;
};

}  // namespace

Random mock_image_random(std::uint64_t seed, int shard) {
  constexpr std::uint64_t kMockImageStream = 0x6D6F636BULL << 32;
  return Random(seed, kMockImageStream + static_cast<std::uint64_t>(shard));
}

void draw_mock_images(Random random, int classes, std::span<float> pixels, std::span<std::int32_t> labels) {
  for (float& pixel : pixels) pixel = draw_pixel(random);
  for (std::int32_t& label : labels)
    label = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(classes)));
}

std::unique_ptr<BatchSource> mock_image_batches(std::int64_t size, int classes, std::int64_t batch_size) {
  return std::make_unique<MockImageBatches>(size, classes, batch_size);
}

}  // namespace troupe
