#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/exchange/reduce.hpp"
#include "collectives/plan/plan.hpp"
#include "support/patience.hpp"
#include "troupe/error.hpp"

/// Sanitizers make everything ten times as slow, so loops are shorter there.
using troupe_test::kSanitized;

/// A reduction among nodes of this process.
struct ExchangeTrial {
  troupe::PlanRequest request;
  std::size_t size = 0;
  bool in_place = false;       ///< the first shard of each node has its gradient in the buffer that is written
  bool whole_numbers = false;  ///< gradients are small integers, whose sums are exact in any order
  bool in_two_parts = false;   ///< reduce and then share; the mean is kept in the gradient of each lane's first shard
  int steps = 2;
  int buffers = 2;  ///< of the weights; step v writes buffer v mod that
};

using Vectors = std::vector<std::vector<float>>;

/// By shard. Unless whole numbers: between -1 and 1, and now and then NaN, infinite, zero or subnormal.
Vectors make_gradients(const ExchangeTrial& trial, int step);

/// What one node alone makes of them.
std::vector<float> expected_mean(const Vectors& gradients, std::size_t size);
inline constexpr int kSamples = 4;

/// Runs the steps and returns why something is wrong: a break of the transport's contract, other traffic than planned,
/// or a node whose weights are not as expected (to the bit, where the plan is deterministic or numbers are whole).
std::string failure(const ExchangeTrial& trial);

/// As `failure`, but each node goes from step to step without waiting for the others to have ended theirs.
std::string failure_without_rounds(const ExchangeTrial& trial);

/// What each lane of the run gets when node `node` is lost after so many sends of a step and all end
/// with it; none when the lane comes through.
std::vector<std::optional<troupe::ErrorCode>> codes_after_loss(const ExchangeTrial& trial, int node, int sends);

/// One step in which node `node` spoils a float of each slice that it owns as it applies it. By node, the node of which
/// it says that it has sent new weights which are not finite; -1: none.
std::vector<int> senders_of_weights(const ExchangeTrial& trial, int node);
/// One step in which the first gradient of node `node` is infinite. By owner, by node, the node of which it says that
/// it has sent sums for that owner's slice which are not finite.
std::vector<std::vector<int>> senders_of_sums(const ExchangeTrial& trial, int node);

/// Runs `lane` on `node` while nobody else does. @throws what the exchange throws.
void run_alone(const ExchangeTrial& trial, int node, int lane = 0);

/// Floats that the store holds for an exchange of `node`; none may be left when the exchange is gone.
std::size_t staged_floats(const troupe::Plan& plan, int node);

/// Nodes with `lanes[i]` replicas each.
troupe::Topology topology_of(const std::vector<int>& lanes, int num_shards);

/// Its strategy and order, for who reads of a failure.
std::string name_of(const troupe::PlanRequest& request);

/// The request, for that topology.
troupe::PlanRequest on(troupe::Topology topology, troupe::PlanRequest request);
