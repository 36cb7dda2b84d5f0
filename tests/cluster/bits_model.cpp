#include "cluster/bits_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "troupe/models.hpp"
#include "troupe/sgd.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double loss_of(const std::string& kind) {
  if (kind == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (kind == "infinity") return kInfinity;
  if (kind == "-infinity") return -kInfinity;
  if (kind == "subnormal") return 2 * std::numeric_limits<double>::denorm_min();
  return -0.0;
}

/// Quiet NaNs with payloads, infinities, both zeros, subnormals, and the limits of the range.
constexpr std::array<std::uint32_t, 12> kBits{0x7fc00000, 0xffc12345, 0x7f800000, 0xff800000, 0x80000000, 0x00000000,
                                              0x00000001, 0x807fffff, 0x00400000, 0x7f7fffff, 0x00800000, 0x3f800000};
constexpr std::uint32_t kShownExponent = 0x10000000;

/// Returns a finite value for every value. Values that are not finite cannot be committed. Statistics therefore store
/// these values with another exponent, which no value above has.
float shown(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::isfinite(value) ? value : std::bit_cast<float>(bits ^ kShownExponent);
}

/// A model in which one shard has values and the other shards have -0. Adding -0 changes no value. Weights also begin
/// at -0 and receive finite values only. The statistics' half of the vector stores the mean as `shown` returns it.
class BitsModel : public Model {
 public:
  explicit BitsModel(std::string config) : loss_(loss_of(config)) {}

  void initialize(std::span<float> weights, std::uint64_t /*seed*/) override {
    std::fill(weights.begin(), weights.end(), -0.0F);
  }
  BatchResult gradient(const ShardStep& at, std::span<const float> /*weights*/, std::span<float> gradient) override {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const auto value = std::bit_cast<float>(kBits[i % kBits.size()]);
      const bool takes = static_cast<int>(i / kBits.size()) % shards_ == at.shard;
      gradient[i] = takes && (i >= kLearned || std::isfinite(value)) ? value : -0.0F;
    }
    return {at.shard == 1 ? loss_ : -0.0, at.shard == 0 ? 1 : 0};
  }
  void update_statistics(std::size_t /*begin*/, std::span<const float> mean, std::int64_t /*samples*/,
                         std::span<const float> /*statistics*/, std::span<float> updated) const override {
    std::transform(mean.begin(), mean.end(), updated.begin(), shown);
  }

 protected:
  ModelInfo prepare(const ReplicaContext& context) override {
    shards_ = context.num_shards;
    return {.size = 2 * kLearned, .learned_size = kLearned};
  }

 private:
  static constexpr std::size_t kLearned = 6'144;

  double loss_;
  int shards_ = 1;
};

}  // namespace

void register_bits_model() {
  register_model("bits", [](const ReplicaContext& context) { return std::make_unique<BitsModel>(context.config); });
}

}  // namespace troupe_test
