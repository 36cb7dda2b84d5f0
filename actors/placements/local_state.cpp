#include <cstring>
#include <map>

#include "actors/placements/state_home.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// What was fetched: its object is released when this goes.
class Fetched {
 public:
  Fetched(StoreClient& store, const ObjectId& id, std::shared_ptr<Mapping> mapping)
      : store_(store), id_(id), mapping_(std::move(mapping)) {}
  ~Fetched() {
    try {
      store_.release(id_);
    } catch (const Error&) {
      return;  // The store is gone, and the object with it.
    }
  }
  Fetched(const Fetched&) = delete;
  Fetched& operator=(const Fetched&) = delete;

 private:
  StoreClient& store_;
  ObjectId id_;
  std::shared_ptr<Mapping> mapping_;
};

class LocalState : public StateHome {
 public:
  explicit LocalState(StoreClient& store) : store_(store) {}
  ~LocalState() override { forget_transfers(); }

  void begin(const SlabLayout& layout, const PlanRequest& /*plan*/, const std::vector<int>& carried,
             const Phase& /*phase*/) override {
    auto next = std::make_unique<VersionedState>(store_, layout);
    if (!carried.empty()) next->carry(*state_, carried);
    auto gradients = layout.mean_gradient ? std::make_unique<DriverGradients>(store_, layout) : nullptr;
    // Nothing can fail any more: until here, all lies where it lay.
    gradients_ = std::move(gradients);
    state_ = std::move(next);
  }

  void publish(const Phase& phase) override {
    state_->publish();
    if (gradients_) gradients_->map(phase.deadline.left());
  }

  void create(std::uint64_t transfer, int /*worker*/, std::size_t floats, const Phase& /*phase*/) override {
    transfers_[transfer] = store_.create(id(transfer), floats * sizeof(float), {.shared_writers = true});
  }

  void put(std::uint64_t transfer, std::span<const float> values, const Phase& phase) override {
    create(transfer, 0, values.size(), phase);
    std::memcpy(transfers_[transfer]->writable_floats().data(), values.data(), values.size_bytes());
    store_.seal(id(transfer));
  }

  HeldFloats fetch(std::uint64_t transfer, int /*worker*/, std::size_t floats, const Phase& /*phase*/) override {
    const std::shared_ptr<Mapping> mapping = transfers_.at(transfer);
    HeldFloats held{mapping->floats().first(floats), std::make_shared<Fetched>(store_, id(transfer), mapping)};
    transfers_.erase(transfer);
    return held;
  }

  void place(std::uint64_t transfer, int vector, int buffer, const Phase& /*phase*/) override {
    state_->place(transfers_.at(transfer)->floats(), vector, buffer);
    forget_transfers();
  }

  void clear(int buffer, const Phase& /*phase*/) override { state_->clear(buffer); }
  /// Workers of one machine write into one slab.
  void gather(int /*vector*/, int /*buffer*/, const Phase& /*phase*/) override {}

  void forget_transfers() noexcept override {
    for (const auto& [number, mapping] : transfers_) {
      try {
        store_.release(id(number));
      } catch (const Error&) {
        break;  // The store is gone, and the objects with it.
      }
    }
    transfers_.clear();
  }

  const DriverGradients* gradients() const override { return gradients_.get(); }

 private:
  ObjectId id(std::uint64_t transfer) const { return transfer_id(state_->layout().run, transfer); }

  StoreClient& store_;
  std::unique_ptr<VersionedState> state_;
  std::unique_ptr<DriverGradients> gradients_;
  std::map<std::uint64_t, std::shared_ptr<Mapping>> transfers_;
};

}  // namespace

std::unique_ptr<StateHome> keep_state_here(StoreClient& store) { return std::make_unique<LocalState>(store); }

}  // namespace troupe
