#include "models/cuda/transfers.hpp"

#include <utility>

#include "models/cuda/kernels/elementwise.hpp"

namespace troupe::cuda {

namespace {

/// Minimum number of floats of a bucket, except the last one. A copy of this size reaches the full speed of the bus.
/// The copy takes little time compared to a pass, so most copies overlap with computation.
constexpr std::size_t kBucketFloats = std::size_t{1} << 20;

}  // namespace

std::vector<Bucket> make_buckets(const PlacedNetwork& network) {
  std::vector<Bucket> buckets{{}};
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    const LayerParameters& parameters = network.layers[layer].parameters;
    Bucket& last = buckets.back();
    if (last.end - last.begin >= kBucketFloats && parameters.size() > 0) buckets.push_back({layer, last.end, last.end});
    buckets.back().end += parameters.size();
  }
  buckets.back().end = network.parameters.learned_size();
  return buckets;
}

Transfers::Transfers(Context& context, const PlacedNetwork& network, PassTimes& times)
    : context_(context),
      times_(times),
      learned_size_(network.parameters.learned_size()),
      buckets_(make_buckets(network)),
      weights_(network.parameters.size() * sizeof(float)),
      half_weights_(context.element() == Element::bf16 ? learned_size_ * size_of(Element::bf16) : 0),
      gradient_(weights_.bytes()) {
  clear(gradient_);
}

/// Clears a gradient once, because passes never write padding or the statistics of a frozen network.
void Transfers::clear(const DeviceMemory& memory) {
  check(cudaMemsetAsync(memory.data(), 0, memory.bytes(), context_.compute().get()), "clearing a gradient");
}

void Transfers::reserve_sum() {
  sum_.reserve(gradient_.bytes());
  clear(sum_);
}

const std::byte* Transfers::product_weights() const {
  return half_weights_.bytes() > 0 ? half_weights_.data() : weights_.data();
}

void Transfers::copy_to_device(const Stream& stream, std::span<const float> from, float* to) {
  if (from.empty()) return;
  times_.copy_begins(stream);
  context_.copy_to_device(stream, to, from.data(), from.size(), "copying to the device");
  times_.copied(stream, Direction::forward);
}

void Transfers::await_copies() {
  arrived_.record(context_.copies());
  arrived_.block(context_.compute());
  times_.waits(context_.compute(), Direction::forward);
}

const float* Transfers::send(std::span<const float> samples, std::uint64_t content, std::span<const float> weights,
                             bool trains) {
  times_.begin(context_.compute(), trains);
  if (!weights.empty()) {
    source_ = weights;
    next_ = 0;
    copy_to_device(context_.copies(), weights.subspan(learned_size_), weights_.floats() + learned_size_);
  }
  const std::uint64_t held = std::exchange(held_, 0);  // cleared first, because `reserve_samples` may throw
  reserve_samples(samples.size());
  const bool are_here = content != 0 && content == held;
  if (!are_here) copy_to_device(context_.copies(), samples, samples_.floats());
  if (!are_here || !weights.empty()) await_copies();
  coming_ = content;
  early_sent_ = false;
  return samples_.floats();
}

void Transfers::send_ahead(const BatchesAhead* ahead) {
  if (ahead == nullptr || early_sent_) return;
  const Batch next = ahead->peek();
  if (next.content == 0 || next.values.size_bytes() > samples_.bytes()) return;
  copy_to_device(context_.early_copies(), next.values, samples_.floats());
  early_sent_ = true;
  coming_ = next.content;
}

void Transfers::receive(std::size_t layer) {
  for (; next_ < buckets_.size() && buckets_[next_].first_layer <= layer; ++next_) {
    const Bucket& bucket = buckets_[next_];
    const std::size_t count = bucket.end - bucket.begin;
    float* const weights = weights_.floats() + bucket.begin;
    copy_to_device(context_.copies(), source_.subspan(bucket.begin, count), weights);
    await_copies();
    if (half_weights_.bytes() > 0)
      from_floats(context_.compute().get(), Element::bf16, count, weights,
                  half_weights_.data() + bucket.begin * size_of(Element::bf16));
  }
}

/// Makes all copies that are queued from now on wait for the computation that is queued so far.
void Transfers::await_computation() {
  computed_.record(context_.compute());
  computed_.block(context_.copies());
}

void Transfers::copy_to_host(std::size_t begin, std::size_t end) {
  await_computation();
  times_.copy_begins(context_.copies());
  context_.copy_to_host(context_.copies(), target_.data() + begin, gradient_.floats() + begin, end - begin,
                        "copying a gradient");
  times_.copied(context_.copies(), Direction::backward);
}

void Transfers::finish(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  if (part_.number > 0)
    accumulate(context_.compute().get(), Element::f32, end - begin, sum_.floats() + begin, gradient_.floats() + begin);
  if (part_.last) copy_to_host(begin, end);
}

void Transfers::begin_gradient(std::span<float> gradient, MicroBatch part) {
  target_ = gradient;
  part_ = part;
  unsent_ = buckets_.size();
  finish(learned_size_, gradient.size());
}

void Transfers::layer_done(std::size_t layer) {
  for (; unsent_ > 0 && buckets_[unsent_ - 1].first_layer >= layer; --unsent_)
    finish(buckets_[unsent_ - 1].begin, buckets_[unsent_ - 1].end);
}

void Transfers::end_gradient() {
  layer_done(0);
  if (early_sent_) {
    early_arrived_.record(context_.early_copies());
    early_arrived_.block(context_.copies());
  }
  if (!part_.last) {
    await_computation();
    std::swap(gradient_, sum_);
  }
  times_.last_copied(context_.copies());
  context_.copies().synchronize();
  held_ = coming_;
}

}  // namespace troupe::cuda
