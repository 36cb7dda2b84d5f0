// Attention of the user: each head adds a learned number to its scores for each distance between query and key. The
// network learns to repeat the token that came three positions before.
#include <cmath>
#include <iostream>
#include <troupe/eigen.hpp>
#include <troupe/models.hpp>
#include <troupe/sgd.hpp>

namespace {

using namespace troupe::models;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
using WritableRows = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

/// Each position contains queries, keys and values of all heads, as from linear(3 * channels).
class RelativeAttention : public CustomLayer {
 public:
  RelativeAttention(std::int64_t positions, std::int64_t channels, std::int64_t heads)
      : positions_(positions), channels_(channels), heads_(heads), size_(channels / heads) {}

  std::string kind() const override { return "relative attention"; }
  troupe::SampleShape output(std::span<const troupe::SampleShape> inputs) const override {
    if (!inputs[0].sequence || inputs[0].height != positions_ || inputs[0].channels != 3 * channels_)
      throw troupe::Error(troupe::ErrorCode::invalid_argument, "does not fit its input");
    return {.channels = channels_, .height = positions_, .sequence = true};
  }
  bool has_tensors() const override { return true; }
  std::vector<LayerTensor> tensors(const troupe::SampleShape&) const override {
    return {{.info = {"bias", {heads_, positions_}}}};
  }

  void forward(const Forward& at) const override {
    for_each_head(at.samples, [&](std::int64_t sample, std::int64_t head) {
      const Head in(*this, at.input.data(), sample, head);
      output_rows(at.output.data(), sample, head) = weights(in, at.tensors, head) * in.values;
    });
  }

  void backward(const Backward& at) const override {
    std::ranges::fill(at.tensors_gradient, 0.0F);
    for_each_head(at.samples, [&](std::int64_t sample, std::int64_t head) {
      const Head in(*this, at.input.data(), sample, head);
      const Matrix weight = weights(in, at.tensors, head);
      const Rows gradient(at.output_gradient.data() + (sample * positions_ * channels_) + head * size_, positions_,
                          size_, Eigen::OuterStride<>(channels_));
      Matrix scores = gradient * in.values.transpose();
      for (std::int64_t i = 0; i < positions_; ++i) {
        const float along = scores.row(i).dot(weight.row(i));
        scores.row(i) = weight.row(i).array() * (scores.row(i).array() - along);
        for (std::int64_t key = 0; key <= i; ++key)
          at.tensors_gradient[static_cast<std::size_t>(head * positions_ + i - key)] += scores(i, key);
      }
      if (at.input_gradient.empty()) return;
      const auto part = [&](std::int64_t number) {
        return WritableRows(at.input_gradient.data() + Head::offset(*this, sample, head) + number * channels_,
                            positions_, size_, Eigen::OuterStride<>(3 * channels_));
      };
      part(0) = scale() * (scores * in.keys);
      part(1) = scale() * (scores.transpose() * in.queries);
      part(2) = weight.transpose() * gradient;
    });
  }

 private:
  /// Queries, keys and values of one head of one sample.
  struct Head {
    Head(const RelativeAttention& layer, const float* input, std::int64_t sample, std::int64_t head)
        : Head(layer, input + offset(layer, sample, head)) {}
    Head(const RelativeAttention& layer, const float* first)
        : queries(first, layer.positions_, layer.size_, Eigen::OuterStride<>(3 * layer.channels_)),
          keys(first + layer.channels_, layer.positions_, layer.size_, Eigen::OuterStride<>(3 * layer.channels_)),
          values(first + 2 * layer.channels_, layer.positions_, layer.size_,
                 Eigen::OuterStride<>(3 * layer.channels_)) {}
    static std::int64_t offset(const RelativeAttention& layer, std::int64_t sample, std::int64_t head) {
      return sample * layer.positions_ * 3 * layer.channels_ + head * layer.size_;
    }
    Rows queries, keys, values;
  };

  template <class Work>
  void for_each_head(std::int64_t samples, const Work& work) const {
    for (std::int64_t sample = 0; sample < samples; ++sample)
      for (std::int64_t head = 0; head < heads_; ++head) work(sample, head);
  }
  WritableRows output_rows(float* output, std::int64_t sample, std::int64_t head) const {
    return {output + sample * positions_ * channels_ + head * size_, positions_, size_,
            Eigen::OuterStride<>(channels_)};
  }
  float scale() const { return 1 / std::sqrt(static_cast<float>(size_)); }

  /// The softmax of the scores and biases. A position attends to itself and to earlier ones.
  Matrix weights(const Head& in, std::span<const float> biases, std::int64_t head) const {
    Matrix scores = scale() * (in.queries * in.keys.transpose());
    for (std::int64_t i = 0; i < positions_; ++i) {
      for (std::int64_t key = 0; key <= i; ++key)
        scores(i, key) += biases[static_cast<std::size_t>(head * positions_ + i - key)];
      const auto seen = scores.row(i).head(i + 1).array();
      scores.row(i).head(i + 1) = (seen - seen.maxCoeff()).exp();
      scores.row(i).head(i + 1) /= scores.row(i).head(i + 1).sum();
      scores.row(i).tail(positions_ - i - 1).setZero();
    }
    return scores;
  }

  std::int64_t positions_, channels_, heads_, size_;
};

constexpr std::int64_t kPositions = 16;
constexpr std::int64_t kTokens = 8;

/// Random tokens. The label of a position is the token three positions before; the first positions have none.
troupe::TrainingData repeated_tokens() {
  std::vector<std::vector<std::int32_t>> tokens(512), labels(512);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    for (std::size_t k = 0; k < kPositions; ++k) {
      state = state * 1664525 + 1013904223;
      tokens[i].push_back(static_cast<std::int32_t>(state >> 16) % kTokens);
      labels[i].push_back(k < 3 ? troupe::kIgnoredLabel : tokens[i][k - 3]);
    }
  const auto all = std::make_shared<const troupe::Dataset>(troupe::Dataset::sequences(tokens, labels, kTokens));
  return {.train = all, .test = all};
}

}  // namespace

int main(int argc, char** argv) try {
  troupe::register_model("relative", [](const troupe::ReplicaContext&) {
    const Layer attention = std::make_shared<RelativeAttention>(kPositions, 32, 2);
    return network({embedding(kTokens, 32), linear(96), attention, linear(kTokens)}, repeated_tokens(), 32);
  });
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd{"relative",
                             {.num_workers = 2,
                              .placement = troupe::Placement::processes,
                              .optimizer = troupe::Adam{.learning_rate = 0.01},
                              .verbose = false}};
  for (int step = 0; step < 200; ++step) sgd.step();
  const troupe::Evaluation evaluation = sgd.evaluate();
  std::cout << "accuracy " << evaluation.accuracy << " of " << evaluation.samples << " tokens\n";
  return evaluation.accuracy > 0.95 ? 0 : 1;
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
