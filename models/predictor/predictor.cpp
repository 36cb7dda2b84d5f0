#include "troupe/predictor.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "models/aligned.hpp"
#include "models/files/checkpoint/weights_of.hpp"
#include "models/files/weight_file.hpp"
#include "models/network/device_network.hpp"
#include "models/predictor/described_network.hpp"
#include "models/predictor/raw_samples.hpp"
#include "runtime/invalid.hpp"
#include "troupe/error.hpp"

namespace troupe {

class Predictor::Impl {
 public:
  Impl(const std::string& path, const NetworkWish& wish, const PredictorOptions& options)
      : Impl(SafetensorsFile(weights_file_of(path)), wish, options) {}

  const DescribedNetwork& network() const { return network_; }

  std::size_t sample_size() const { return static_cast<std::size_t>(network_.plan.input.size()); }
  std::size_t num_outputs() const { return static_cast<std::size_t>(network_.plan.num_outputs); }
  std::size_t outputs_of_sample() const { return num_outputs() * static_cast<std::size_t>(network_.plan.positions); }

  std::size_t count(std::span<const float> samples) const { return count_samples(samples.size(), sample_size()); }

  const RawSamples& raw() const { return raw_; }

  void outputs(std::span<const float> samples, std::span<float> to) const {
    const std::size_t wanted = count(samples) * outputs_of_sample();
    if (to.size() != wanted)
      throw_invalid("the output buffer holds " + std::to_string(to.size()) + " floats; expected " +
                    std::to_string(wanted));
    const Borrowed context(*this);
    context->outputs(samples, weights_, version_, to);
  }

  void probabilities(std::span<const float> samples, std::span<float> to) const {
    outputs(samples, to);
    for (; !to.empty(); to = to.subspan(num_outputs())) network_.loss->to_probabilities(to.first(num_outputs()));
  }

 private:
  using Context = std::unique_ptr<DeviceNetwork>;

  /// The network that one call uses. The constructor takes it from the list of idle networks, and the destructor
  /// returns it to the list. The mutex of the list is locked only during these two operations, so several calls can
  /// compute at the same time.
  class Borrowed {
   public:
    explicit Borrowed(const Impl& from) : from_(from), context_(from.take()) {}
    ~Borrowed() { from_.give_back(std::move(context_)); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    DeviceNetwork* operator->() const { return context_.get(); }

   private:
    const Impl& from_;
    Context context_;
  };

  Impl(const SafetensorsFile& file, const NetworkWish& wish, const PredictorOptions& options)
      : options_(options), network_(describe(file, wish)), raw_(file.file().path(), network_.data, sample_size()) {
    Context first = make();
    weights_.resize(first->size());
    auto tensor = network_.tensors.begin();
    first->from_canonical(
        [&](std::span<float> floats) {
          if (tensor == network_.tensors.end())
            std::ranges::fill(floats, 0.0F);
          else
            read_weights(file, *tensor++, floats);
        },
        weights_);
    version_ = WeightsVersion::begin(weights_);
    idle_.push_back(std::move(first));
  }

  /// Creates a network with its own working memory. All networks that this object creates can use the same weights,
  /// because they have the same plan, and the plan determines the layout of the weights.
  Context make() const {
    ReplicaContext at;
    at.device = options_.device;
    at.device_number = options_.device_number;
    at.precision = options_.precision;
    at.tf32 = options_.tf32;
    return make_network(network_.plan, network_.loss, /*batch_size=*/0, at);
  }

  Context take() const {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        Context context = std::move(idle_.back());
        idle_.pop_back();
        return context;
      }
    }
    return make();
  }

  void give_back(Context context) const {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(context));
  }

  PredictorOptions options_;
  DescribedNetwork network_;
  RawSamples raw_;
  AlignedFloats weights_;
  WeightsVersion version_;  ///< of `weights_`, so that each network copies them to its device only once
  mutable std::mutex mutex_;
  mutable std::vector<Context> idle_;
};

Predictor::Predictor(const std::string& path, const PredictorOptions& options)
    : impl_(std::make_unique<Impl>(path, NetworkWish{}, options)) {}
Predictor::Predictor(const std::string& path, const models::Graph& graph, std::vector<std::int64_t> sample_shape,
                     std::shared_ptr<const Loss> loss, const PredictorOptions& options)
    : impl_(std::make_unique<Impl>(
          path, NetworkWish{.graph = &graph, .sample_shape = std::move(sample_shape), .loss = std::move(loss)},
          options)) {}
Predictor::Predictor(const std::string& path, const std::vector<models::Layer>& layers,
                     std::vector<std::int64_t> sample_shape, std::shared_ptr<const Loss> loss,
                     const PredictorOptions& options)
    : Predictor(path, models::Graph(layers), std::move(sample_shape), std::move(loss), options) {}
Predictor::Predictor(const std::string& path, const std::string& model, std::vector<std::int64_t> sample_shape,
                     std::shared_ptr<const Loss> loss, const PredictorOptions& options)
    : impl_(std::make_unique<Impl>(
          path, NetworkWish{.model = model, .sample_shape = std::move(sample_shape), .loss = std::move(loss)},
          options)) {}

Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const DataInfo& Predictor::data() const { return impl_->network().data; }
std::int64_t Predictor::num_outputs() const { return static_cast<std::int64_t>(impl_->outputs_of_sample()); }
const Loss& Predictor::loss() const { return *impl_->network().loss; }

std::vector<float> Predictor::prepare(const Row& row) const { return impl_->raw().prepare(row); }
std::vector<float> Predictor::prepare(std::span<const float> raw) const { return impl_->raw().prepare(raw); }
std::vector<float> Predictor::predict(const Row& row) const { return probabilities(prepare(row)); }
std::vector<float> Predictor::predict(std::span<const float> raw) const { return probabilities(prepare(raw)); }

void Predictor::outputs(std::span<const float> samples, std::span<float> to) const { impl_->outputs(samples, to); }
void Predictor::probabilities(std::span<const float> samples, std::span<float> to) const {
  impl_->probabilities(samples, to);
}
std::vector<float> Predictor::outputs(std::span<const float> samples) const {
  std::vector<float> to(impl_->count(samples) * impl_->outputs_of_sample());
  outputs(samples, to);
  return to;
}
std::vector<float> Predictor::probabilities(std::span<const float> samples) const {
  std::vector<float> to(impl_->count(samples) * impl_->outputs_of_sample());
  probabilities(samples, to);
  return to;
}

}  // namespace troupe
