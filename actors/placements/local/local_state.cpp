#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "actors/placements/state_home.hpp"
#include "collectives/state/held_objects.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// A transfer object in the object store. The object is released when the last copy of this struct is destroyed.
struct Transfer {
  std::shared_ptr<Mapping> mapping;
  std::shared_ptr<HeldObjects> object;
  bool is_lent = false;
};

/// Stores transfer objects of `lend` that were fetched and whose floats are no longer held, so that they can be lent
/// again. LocalState takes objects (`take`). When the last holder of an object's floats is destroyed, on any thread,
/// the object is given back (`give_back`). If no object is large enough for a request, all objects are dropped.
/// Thread-safe.
class SpareTransfers {
 public:
  /// The maximum size of a stored object in floats (64 MiB). Larger objects are not stored, because they would occupy
  /// much memory while they are not used.
  static constexpr std::size_t kMostFloats = std::size_t{1} << 24;

  /// Removes an object that has at least `bytes` bytes, and returns its number and the object. If there is no such
  /// object, drops all objects and returns std::nullopt.
  std::optional<std::pair<std::uint64_t, Transfer>> take(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      const auto found =
          std::ranges::find_if(spare_, [&](const auto& each) { return each.second.mapping->bytes() >= bytes; });
      if (found != spare_.end()) {
        std::pair<std::uint64_t, Transfer> taken = *found;
        spare_.erase(found);
        return taken;
      }
    }
    clear();
    return std::nullopt;
  }
  void clear() {
    std::map<std::uint64_t, Transfer> dropped;
    const std::lock_guard lock(mutex_);
    spare_.swap(dropped);
  }
  void give_back(std::uint64_t number, const Transfer& transfer) {
    const std::lock_guard lock(mutex_);
    spare_[number] = transfer;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, Transfer> spare_;
};

class LocalState : public StateHome {
 public:
  explicit LocalState(StoreClient& store) : store_(store) {}

  void begin(const SlabLayout& layout, const PlanRequest& /*plan*/, const std::vector<int>& carried,
             const Phase& /*phase*/) override {
    spare_->clear();
    auto next = std::make_shared<VersionedState>(store_, layout);
    if (!carried.empty()) next->carry(*state_, carried);
    auto gradients = layout.mean_gradient ? std::make_unique<DriverGradients>(store_, layout) : nullptr;
    auto served = !layout.served.empty() ? std::make_shared<ServedState>(store_, next) : nullptr;
    // Assign the members only here, where nothing can throw any more. Therefore, if one of the calls above throws, the
    // previous state is unchanged.
    gradients_ = std::move(gradients);
    served_ = std::move(served);
    state_ = std::move(next);
  }

  void publish(const std::vector<std::vector<std::uint64_t>>& gradients, const Phase& phase) override {
    state_->publish();
    if (gradients_) gradients_->map(gradients, phase.deadline.left());
    if (served_) served_->map(gradients, phase.deadline.left());
  }

  void create(std::uint64_t transfer, int /*worker*/, std::size_t floats, const Phase& /*phase*/) override {
    if (transfers_.contains(transfer)) return;
    auto object = std::make_shared<HeldObjects>(store_);
    auto mapping = object->create(id(transfer), floats * sizeof(float), {.shared_writers = true});
    transfers_[transfer] = {std::move(mapping), std::move(object)};
  }

  std::uint64_t lend(std::uint64_t transfer, int worker, std::size_t floats, const Phase& phase) override {
    if (auto spare = floats > SpareTransfers::kMostFloats ? std::nullopt : spare_->take(floats * sizeof(float)))
      return transfers_.insert(std::move(*spare)).first->first;
    create(transfer, worker, floats, phase);
    transfers_[transfer].is_lent = floats <= SpareTransfers::kMostFloats;
    return transfer;
  }

  void put(std::uint64_t transfer, const std::vector<int>& /*readers*/, std::size_t floats, const FillFloats& fill,
           const Phase& phase) override {
    const bool made = !transfers_.contains(transfer);
    create(transfer, 0, floats, phase);
    fill(transfers_[transfer].mapping->writable_floats().first(floats));
    if (made) store_.seal(id(transfer));
  }

  void withdraw(const std::vector<int>& /*readers*/, const Phase& /*phase*/) override { forget_transfers(); }

  HeldFloats fetch(std::uint64_t transfer, int /*worker*/, std::size_t floats, const Phase& /*phase*/) override {
    const Transfer fetched = std::move(transfers_.extract(transfer).mapped());
    const auto give_back = [spare = spare_, transfer](const Transfer* held) {
      const std::unique_ptr<const Transfer> owned(held);
      if (held->is_lent) spare->give_back(transfer, *held);
    };
    return {fetched.mapping->floats().first(floats), std::shared_ptr<const Transfer>(new Transfer(fetched), give_back)};
  }

  void place(std::uint64_t transfer, int vector, int buffer, const Phase& /*phase*/) override {
    state_->place(transfers_.at(transfer).mapping->floats(), vector, buffer);
  }

  void clear(int buffer, const Phase& /*phase*/) override { state_->clear(buffer); }
  /// Does nothing: vectors are always complete, because all workers of a machine write into the same slabs.
  void gather(int /*vector*/, int /*buffer*/, const Phase& /*phase*/) override {}

  void forget_transfers() noexcept override { transfers_.clear(); }

  const DriverGradients* gradients() const override { return gradients_.get(); }
  std::shared_ptr<const ServedState> served() const override { return served_; }

 private:
  ObjectId id(std::uint64_t transfer) const { return transfer_id(state_->layout().run, transfer); }

  StoreClient& store_;
  std::shared_ptr<VersionedState> state_;
  std::shared_ptr<ServedState> served_;
  std::unique_ptr<DriverGradients> gradients_;
  std::map<std::uint64_t, Transfer> transfers_;
  std::shared_ptr<SpareTransfers> spare_ = std::make_shared<SpareTransfers>();
};

}  // namespace

void StateHome::begin_alone(int /*worker*/, const SlabLayout& /*layout*/, const PlanRequest& /*plan*/,
                            const std::vector<int>& /*carried*/, const std::function<void()>& /*attach*/,
                            const Phase& /*phase*/) {
  throw Error(ErrorCode::unsupported, "all workers share one store");
}

std::unique_ptr<StateHome> keep_state_here(StoreClient& store) { return std::make_unique<LocalState>(store); }

}  // namespace troupe
