#include <map>

#include "actors/placements/state_home.hpp"
#include "collectives/state/held_objects.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// An object that is given up when this goes.
struct Transfer {
  std::shared_ptr<Mapping> mapping;
  std::shared_ptr<HeldObjects> object;
};

class LocalState : public StateHome {
 public:
  explicit LocalState(StoreClient& store) : store_(store) {}

  void begin(const SlabLayout& layout, const PlanRequest& /*plan*/, const std::vector<int>& carried,
             const Phase& /*phase*/) override {
    auto next = std::make_unique<VersionedState>(store_, layout);
    if (!carried.empty()) next->carry(*state_, carried);
    auto gradients = layout.mean_gradient ? std::make_unique<DriverGradients>(store_, layout) : nullptr;
    // Nothing can fail any more: until here, all lies where it lay.
    gradients_ = std::move(gradients);
    state_ = std::move(next);
  }

  void publish(const std::vector<std::vector<std::uint64_t>>& gradients, const Phase& phase) override {
    state_->publish();
    if (gradients_) gradients_->map(gradients, phase.deadline.left());
  }

  void create(std::uint64_t transfer, int /*worker*/, std::size_t floats, const Phase& /*phase*/) override {
    auto object = std::make_shared<HeldObjects>(store_);
    auto mapping = object->create(id(transfer), floats * sizeof(float), {.shared_writers = true});
    transfers_[transfer] = {std::move(mapping), std::move(object)};
  }

  void put(std::uint64_t transfer, std::size_t floats, const FillFloats& fill, const Phase& phase) override {
    create(transfer, 0, floats, phase);
    fill(transfers_[transfer].mapping->writable_floats().first(floats));
    store_.seal(id(transfer));
  }

  HeldFloats fetch(std::uint64_t transfer, int /*worker*/, std::size_t floats, const Phase& /*phase*/) override {
    const auto fetched = std::make_shared<const Transfer>(transfers_.at(transfer));
    transfers_.erase(transfer);
    return {fetched->mapping->floats().first(floats), fetched};
  }

  void place(std::uint64_t transfer, int vector, int buffer, const Phase& /*phase*/) override {
    state_->place(transfers_.at(transfer).mapping->floats(), vector, buffer);
    forget_transfers();
  }

  void clear(int buffer, const Phase& /*phase*/) override { state_->clear(buffer); }
  /// Workers of one machine write into one slab.
  void gather(int /*vector*/, int /*buffer*/, const Phase& /*phase*/) override {}

  void forget_transfers() noexcept override { transfers_.clear(); }

  const DriverGradients* gradients() const override { return gradients_.get(); }

 private:
  ObjectId id(std::uint64_t transfer) const { return transfer_id(state_->layout().run, transfer); }

  StoreClient& store_;
  std::unique_ptr<VersionedState> state_;
  std::unique_ptr<DriverGradients> gradients_;
  std::map<std::uint64_t, Transfer> transfers_;
};

}  // namespace

void StateHome::begin_alone(int /*worker*/, const SlabLayout& /*layout*/, const PlanRequest& /*plan*/,
                            const std::vector<int>& /*carried*/, const std::function<void()>& /*attach*/,
                            const Phase& /*phase*/) {
  throw Error(ErrorCode::unsupported, "all workers share one store");
}

std::unique_ptr<StateHome> keep_state_here(StoreClient& store) { return std::make_unique<LocalState>(store); }

}  // namespace troupe
