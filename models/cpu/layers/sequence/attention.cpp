#include "troupe/layers/attention.hpp"

#include <algorithm>
#include <cmath>

#include "models/cpu/layers/sequence/sequence.hpp"
#include "models/devices/dropout_random.hpp"
#include "models/row_maths.hpp"

namespace troupe::cpu {
namespace {

/// The number of queries whose weights are in memory at a time.
constexpr std::int64_t kQueries = 128;
/// The random number generator computes this many random numbers at once.
constexpr std::uint64_t kNumbersOfBlock = 4;

/// The weights of some queries: one row for each query, with one number for each key.
struct QueryTile {
  std::int64_t first = 0;    ///< position of the first query
  std::int64_t queries = 0;  ///< number of queries
  std::int64_t keys = 0;     ///< number of keys: all positions that any of the queries attends to
  bool causal = false;

  /// Returns the number of positions that query `row` of the tile attends to.
  std::int64_t seen(std::int64_t row) const { return causal ? first + row + 1 : keys; }
};

/// Replaces the scores of each query by their softmax.
TROUPE_CLONES void softmax_rows(const QueryTile& tile, std::int64_t stride, float* scores) {
  for (std::int64_t row = 0; row < tile.queries; ++row, scores += stride) {
    const std::int64_t seen = tile.seen(row);
    const float largest = max_row(scores, seen);
    for (std::int64_t i = 0; i < seen; ++i) scores[i] = exp_of(scores[i] - largest);
    const float factor = 1 / sum_row(seen, [=](std::int64_t i) { return scores[i]; });
    for (std::int64_t i = 0; i < seen; ++i) scores[i] *= factor;
    std::fill(scores + seen, scores + tile.keys, 0.0F);
  }
}

/// Replaces the gradients of the weights by those of the scores, times `scale`.
TROUPE_CLONES void softmax_backward(const QueryTile& tile, std::int64_t stride, const float* weights, float scale,
                                    float* gradient) {
  for (std::int64_t row = 0; row < tile.queries; ++row, weights += stride, gradient += stride) {
    const float along = sum_row(tile.keys, [=](std::int64_t i) { return weights[i] * gradient[i]; });
    for (std::int64_t i = 0; i < tile.keys; ++i) gradient[i] = scale * weights[i] * (gradient[i] - along);
  }
}

TROUPE_CLONES void multiply(const float* factors, std::int64_t count, float* values) {
  for (std::int64_t i = 0; i < count; ++i) values[i] *= factors[i];
}

/// The packed queries, keys and values of one head of one sample, or their gradients.
struct HeadRows {
  float* queries;
  float* keys;
  float* values;
};

/// Computes attention for each sample and head, kQueries queries at a time. The backward pass computes the weights
/// again instead of reading stored ones.
class Attention final : public Operation {
 public:
  Attention(Context& context, const PlacedLayer& layer, std::int64_t batch)
      : context_(context),
        options_(spec_of<models::Attention>(layer).options()),
        batch_(batch),
        positions_(layer.output.height),
        width_(layer.output.channels),
        size_(width_ / options_.heads),
        scale_(static_cast<float>(1 / std::sqrt(static_cast<double>(size_)))) {
    context.activations.reserve((drops() ? 4 : 2) * tile_floats() * sizeof(float));
  }

  StageTraits traits() const override { return {.reads_input = true}; }

  void forward(const ForwardOperands& at) override {
    const RandomStream random = dropout_random(at.context).stream();
    auto* const input = const_cast<float*>(static_cast<const float*>(at.input));
    for_each_tile([&](std::int64_t sample, std::int64_t head, const QueryTile& tile) {
      const HeadRows from = head_of(input, sample, head);
      float* weights = weights_of(from, tile);
      if (at.context.training && drops()) weights = dropped(tile, random, first_number(sample, head));
      product(tile.queries, size_, tile.keys, 1, {weights, positions_}, {from.values, 3 * width_}, 0,
              output_of(static_cast<float*>(at.output), sample, head) + tile.first * width_, width_);
    });
  }

  void backward(const BackwardOperands& at) override {
    if (at.input_gradient == nullptr) return;
    const RandomStream random = dropout_random(at.context).stream();
    const bool drops_now = at.context.training && drops();
    auto* const input = const_cast<float*>(static_cast<const float*>(at.input));
    for_each_tile([&](std::int64_t sample, std::int64_t head, const QueryTile& tile) {
      const float* const gradient =
          output_of(static_cast<float*>(at.output_gradient), sample, head) + tile.first * width_;
      const HeadRows from = head_of(input, sample, head);
      const float* const weights = weights_of(from, tile);
      const float* const used = drops_now ? dropped(tile, random, first_number(sample, head)) : weights;
      tile_backward(from, head_of(static_cast<float*>(at.input_gradient), sample, head), tile, gradient, used);
    });
  }

 private:
  bool drops() const { return options_.dropout > 0; }
  std::size_t tile_floats() const { return static_cast<std::size_t>(std::min(kQueries, positions_) * positions_); }
  /// The memory of a tile's weights, of their gradient, of the factors of the dropout, and of the weights after it.
  float* scratch(std::size_t number) const { return context_.activations.floats() + number * tile_floats(); }

  /// Calls `work` for each sample, head and tile. The last tile of a head, which has all keys, comes first.
  template <class Work>
  void for_each_tile(const Work& work) const {
    for (std::int64_t sample = 0; sample < batch_; ++sample)
      for (std::int64_t head = 0; head < options_.heads; ++head)
        for (std::int64_t first = (positions_ - 1) / kQueries * kQueries; first >= 0; first -= kQueries) {
          const std::int64_t end = std::min(first + kQueries, positions_);
          work(sample, head, QueryTile{first, end - first, options_.causal ? end : positions_, options_.causal});
        }
  }

  HeadRows head_of(float* packed, std::int64_t sample, std::int64_t head) const {
    float* const first = packed + sample * positions_ * 3 * width_ + head * size_;
    return {first, first + width_, first + 2 * width_};
  }
  float* output_of(float* output, std::int64_t sample, std::int64_t head) const {
    return output + sample * positions_ * width_ + head * size_;
  }

  float* weights_of(const HeadRows& from, const QueryTile& tile) const {
    product(tile.queries, tile.keys, size_, scale_, {from.queries + tile.first * 3 * width_, 3 * width_},
            {from.keys, 3 * width_, /*transposed=*/true}, 0, scratch(0), positions_);
    softmax_rows(tile, positions_, scratch(0));
    return scratch(0);
  }

  /// Returns the number of the first weight of a head among all weights of the batch. A weight's random number depends
  /// on its number only.
  std::uint64_t first_number(std::int64_t sample, std::int64_t head) const {
    return static_cast<std::uint64_t>((sample * options_.heads + head) * positions_ * positions_);
  }

  /// Draws the factors of the dropout. Returns the weights of the tile times these factors.
  float* dropped(const QueryTile& tile, const RandomStream& random, std::uint64_t first) const {
    const auto probability = static_cast<float>(options_.dropout);
    float* const factors = scratch(2);
    float* const dropped = scratch(3);
    const std::int64_t floats = tile.queries * positions_;
    std::fill_n(factors, floats, 0.0F);
    for (std::int64_t row = 0; row < tile.queries; ++row) {
      std::uint64_t number = first + static_cast<std::uint64_t>((tile.first + row) * positions_);
      auto words = random.words(number / kNumbersOfBlock);
      for (std::int64_t key = 0; key < tile.seen(row); ++key, ++number) {
        if (number % kNumbersOfBlock == 0) words = random.words(number / kNumbersOfBlock);
        const float uniform = uniform_of(words[number % kNumbersOfBlock]);
        factors[row * positions_ + key] = uniform < probability ? 0.0F : 1 / (1 - probability);
      }
    }
    std::copy_n(factors, floats, dropped);
    for (std::int64_t row = 0; row < tile.queries; ++row)
      multiply(scratch(0) + row * positions_, tile.keys, dropped + row * positions_);
    return dropped;
  }

  /// Adds the gradient of a tile's queries, keys and values.
  /// @param gradient that of the outputs of the tile's queries
  /// @param used the weights after the dropout: scratch(3) or, without dropout, scratch(0)
  void tile_backward(const HeadRows& from, const HeadRows& to, const QueryTile& tile, const float* gradient,
                     const float* used) const {
    const float* const weights = scratch(0);
    const std::int64_t packed = 3 * width_;
    const float kept = tile.first + tile.queries == positions_ ? 0 : 1;  // the first tile of a head has all keys
    float* const scores = scratch(1);
    product(tile.keys, size_, tile.queries, 1, {used, positions_, /*transposed=*/true}, {gradient, width_}, kept,
            to.values, packed);
    product(tile.queries, tile.keys, size_, 1, {gradient, width_}, {from.values, packed, /*transposed=*/true}, 0,
            scores, positions_);
    if (used != weights)
      for (std::int64_t row = 0; row < tile.queries; ++row)
        multiply(scratch(2) + row * positions_, tile.keys, scores + row * positions_);
    softmax_backward(tile, positions_, weights, scale_, scores);
    product(tile.queries, size_, tile.keys, 1, {scores, positions_}, {from.keys, packed}, 0,
            to.queries + tile.first * packed, packed);
    product(tile.keys, size_, tile.queries, 1, {scores, positions_, /*transposed=*/true},
            {from.queries + tile.first * packed, packed}, kept, to.keys, packed);
  }

  Context& context_;
  models::AttentionOptions options_;
  std::int64_t batch_;
  std::int64_t positions_;
  std::int64_t width_;  ///< channels of the queries of all heads
  std::int64_t size_;   ///< channels of a head
  float scale_;
};

}  // namespace
}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> Attention::on_cpu() const {
  return std::make_unique<cpu::SequenceKernels<cpu::Attention>>();
}

}  // namespace troupe::models
