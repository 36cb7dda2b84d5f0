#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "actors/messages/messages.hpp"
#include "collectives/state/slabs.hpp"
#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

class Cluster;

/// Both buffers of weights and optimizer state, wherever they lie: in this machine's store, or in the store of each
/// node. Transfer objects are how they, and what users' functions return, come and go: a worker fills one or reads one.
class CommittedWeights {
 public:
  CommittedWeights() = default;
  CommittedWeights(const CommittedWeights&) = delete;
  CommittedWeights& operator=(const CommittedWeights&) = delete;
  virtual ~CommittedWeights() = default;

  /// Makes the buffers of a generation anew; buffer 0 holds what buffer `carry` held, unless that is negative.
  virtual void begin(const SlabLayout& layout, const PlanRequest& plan, int carry, const Deadline& deadline) = 0;
  /// Lets workers map them; all gradients are there by now.
  virtual void publish(const Deadline& deadline) = 0;

  /// Makes a transfer object for `worker` to write.
  virtual void create(std::uint64_t transfer, int worker, std::size_t floats, const Deadline& deadline) = 0;
  /// Makes one for the first worker to read.
  virtual void put(std::uint64_t transfer, std::span<const float> values, const Deadline& deadline) = 0;
  /// Shows what `worker` wrote.
  virtual void fetch(std::uint64_t transfer, int worker, std::size_t floats, const ReadWeights& use,
                     const Deadline& deadline) = 0;
  /// Makes what the first worker wrote, flat weights, the content of a buffer; its optimizer state is zero.
  virtual void place(std::uint64_t transfer, int buffer, const Deadline& deadline) = 0;
  /// @param failed whether something went wrong, after which nodes are not waited for: their next generation drops it.
  virtual void drop(std::uint64_t transfer, int worker, bool failed, const Deadline& deadline) noexcept = 0;

  /// The slabs of this machine; null where they lie in nodes.
  virtual SharedSlabs* slabs() { return nullptr; }
};

std::unique_ptr<CommittedWeights> keep_weights_here(StoreClient& store);

/// Has nodes carry out a task and waits for all.
using AskNodes = std::function<void(const NodeTask& task, const std::vector<int>& nodes, const Deadline& deadline)>;
/// Has each node begin a generation under its own number.
using BeginOnNodes = std::function<void(const BeginGeneration& message, const Deadline& deadline)>;

/// @param store of the driver, for what it fetches.
std::unique_ptr<CommittedWeights> keep_weights_in_nodes(Cluster& cluster, StoreClient& store, AskNodes ask,
                                                        BeginOnNodes begin);

}  // namespace troupe
