#include <algorithm>
#include <cstring>
#include <map>

#include "actors/node/node_service.hpp"
#include "actors/placements/committed_weights.hpp"

namespace troupe {
namespace {

class LocalWeights : public CommittedWeights {
 public:
  explicit LocalWeights(StoreClient& store) : store_(store) {}

  void begin(const SlabLayout& layout, const PlanRequest& /*plan*/, int carry, const Deadline& /*deadline*/) override {
    layout_ = layout;
    auto next = std::make_unique<SharedSlabs>(store_, layout);
    if (carry >= 0) {
      copy(slabs_->weights(carry), next->weights(0));
      for (int vector = 0; vector < layout.state_vectors; ++vector)
        copy(slabs_->state(vector, carry), next->state(vector, 0));
    }
    slabs_ = std::move(next);
  }

  void publish(const Deadline& deadline) override {
    slabs_->seal();
    if (layout_.mean_gradient) slabs_->map_gradients(deadline.left());
  }

  void create(std::uint64_t transfer, int /*worker*/, std::size_t floats, const Deadline& /*deadline*/) override {
    transfers_[transfer] =
        store_.create(transfer_id(layout_.run, transfer), floats * sizeof(float), {.shared_writers = true});
  }

  void put(std::uint64_t transfer, std::span<const float> values, const Deadline& deadline) override {
    create(transfer, 0, values.size(), deadline);
    copy(values, transfers_[transfer]->writable_floats());
    store_.seal(transfer_id(layout_.run, transfer));
  }

  void fetch(std::uint64_t transfer, int /*worker*/, std::size_t floats, const ReadWeights& use,
             const Deadline& /*deadline*/) override {
    use(transfers_.at(transfer)->floats().first(floats));
  }

  void place(std::uint64_t transfer, int buffer, const Deadline& /*deadline*/) override {
    const auto weights = slabs_->weights(buffer);
    copy(transfers_.at(transfer)->floats().first(weights.size()), weights);
    for (int vector = 0; vector < layout_.state_vectors; ++vector) {
      const auto state = slabs_->state(vector, buffer);
      std::fill(state.begin(), state.end(), 0.0F);
    }
  }

  void drop(std::uint64_t transfer, int /*worker*/, bool /*failed*/, const Deadline& /*deadline*/) noexcept override {
    try {
      if (transfers_.erase(transfer) > 0) store_.release(transfer_id(layout_.run, transfer));
    } catch (const Error&) {
      return;  // The store is gone, and the object with it.
    }
  }

  SharedSlabs* slabs() override { return slabs_.get(); }

 private:
  static void copy(std::span<const float> from, std::span<float> to) {
    std::memcpy(to.data(), from.data(), from.size_bytes());
  }

  StoreClient& store_;
  SlabLayout layout_;
  std::unique_ptr<SharedSlabs> slabs_;
  std::map<std::uint64_t, std::shared_ptr<Mapping>> transfers_;
};

}  // namespace

std::unique_ptr<CommittedWeights> keep_weights_here(StoreClient& store) {
  return std::make_unique<LocalWeights>(store);
}

}  // namespace troupe
