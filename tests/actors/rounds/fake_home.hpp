#pragma once

#include <string>
#include <vector>

#include "actors/placements/state_home.hpp"

namespace troupe_test {

/// Records its calls and fails on request. For each buffer it stores the number of the last write, and carries these
/// numbers as real homes carry vectors.
class FakeHome : public troupe::StateHome {
 public:
  /// @param log gets one word per call
  explicit FakeHome(std::vector<std::string>& log) : log_(log) {}

  void begin(const troupe::SlabLayout& layout, const troupe::PlanRequest& /*plan*/, const std::vector<int>& carried,
             const troupe::Phase& /*phase*/) override {
    note("begin");
    std::vector<std::int64_t> next(static_cast<std::size_t>(layout.buffers), -1);
    for (std::size_t i = 0; i < carried.size(); ++i) next.at(i) = content(carried[i]);
    contents_ = std::move(next);
    layout_ = layout;
  }
  void publish(const std::vector<std::vector<std::uint64_t>>& gradients, const troupe::Phase& /*phase*/) override {
    note("publish");
    published_ = gradients;
  }
  void create(std::uint64_t transfer, int worker, std::size_t /*floats*/, const troupe::Phase& /*phase*/) override {
    note("create", transfer, worker);
  }
  void put(std::uint64_t transfer, const std::vector<int>& readers, std::size_t floats, const troupe::FillFloats& fill,
           const troupe::Phase& /*phase*/) override {
    note("put", transfer, readers.size());
    std::vector<float> values(floats);
    fill(values);
  }
  void withdraw(const std::vector<int>& readers, const troupe::Phase& /*phase*/) override {
    note("withdraw", readers.size());
  }
  troupe::HeldFloats fetch(std::uint64_t transfer, int worker, std::size_t floats,
                           const troupe::Phase& /*phase*/) override {
    note("fetch", transfer, worker);
    const auto values = std::make_shared<const std::vector<float>>(floats, 0x1p-40F);
    return {*values, values};
  }
  void place(std::uint64_t transfer, int vector, int buffer, const troupe::Phase& /*phase*/) override {
    note("place", transfer, vector, buffer);
  }
  void clear(int buffer, const troupe::Phase& /*phase*/) override { note("clear", buffer); }
  void gather(int vector, int buffer, const troupe::Phase& /*phase*/) override { note("gather", vector, buffer); }
  void forget_transfers() noexcept override { log_.emplace_back("forget"); }

  /// From now on the call of this name fails. If `call` is empty, no call fails.
  void fail_at(const std::string& call) { fails_ = call; }
  void write(int buffer, std::int64_t what) { contents_.at(static_cast<std::size_t>(buffer)) = what; }
  std::int64_t content(int buffer) const { return contents_.at(static_cast<std::size_t>(buffer)); }
  /// For each shard, the generation for which the slab of its gradient was made.
  const std::vector<std::vector<std::uint64_t>>& published() const { return published_; }
  /// The layout of the last generation that began.
  const troupe::SlabLayout& layout() const { return layout_; }

 private:
  template <class... Numbers>
  void note(const std::string& call, Numbers... numbers) {
    std::string text = call;
    ((text += ' ' + std::to_string(numbers)), ...);
    log_.push_back(text);
    if (call == fails_) throw troupe::Error(troupe::ErrorCode::store_full, call + " fails");
  }

  std::vector<std::string>& log_;
  std::string fails_;
  std::vector<std::int64_t> contents_;
  std::vector<std::vector<std::uint64_t>> published_;
  troupe::SlabLayout layout_;
};

}  // namespace troupe_test
