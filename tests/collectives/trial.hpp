#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/exchange/reduce.hpp"
#include "collectives/plan/plan.hpp"
#include "support/patience.hpp"
#include "troupe/error.hpp"

/// With sanitizers everything takes ten times as long, so loops are shorter.
using troupe_test::kSanitized;

/// A reduction among nodes in this process.
struct ExchangeTrial {
  troupe::PlanRequest request;
  std::size_t size = 0;
  bool in_place = false;       ///< the gradient of the first shard of each node is in the buffer that the step writes
  bool whole_numbers = false;  ///< gradients are small integers, so sums are exact in any order
  bool in_two_parts = false;   ///< calls reduce and then share; the mean is stored in the gradient of each lane's first
                               ///< shard
  int steps = 2;
  int buffers = 2;  ///< number of buffers of the weights; step v writes buffer v mod buffers
};

using Vectors = std::vector<std::vector<float>>;

/// Returns a gradient per shard. Unless `whole_numbers` is set, values are between -1 and 1, and sometimes NaN,
/// infinite, zero or subnormal.
Vectors make_gradients(const ExchangeTrial& trial, int step);

/// Returns the mean that a single node computes from the gradients.
std::vector<float> expected_mean(const Vectors& gradients, std::size_t size);
inline constexpr int kSamples = 4;

/// Runs the steps. Returns a description of the first failure, or an empty string. Failures are violations of the
/// transport's contract, unplanned traffic, and wrong weights. Weights must be bitwise equal if the plan is
/// deterministic or the numbers are whole.
std::string failure(const ExchangeTrial& trial);

/// As `failure`, but a node starts its next step without waiting until the others have finished.
std::string failure_without_rounds(const ExchangeTrial& trial);

/// Returns the error code of each lane, if any, when node `node` is lost after `sends` sends of a step and the
/// membership ends.
std::vector<std::optional<troupe::ErrorCode>> codes_after_loss(const ExchangeTrial& trial, int node, int sends);

/// Runs one step in which node `node` spoils a float of each slice that it owns when it applies the slice. Returns, for
/// each node, the node that it names as the sender of new weights that are not finite, or -1.
std::vector<int> senders_of_weights(const ExchangeTrial& trial, int node);
/// Runs one step in which the first gradient of node `node` is infinite. Returns, for each owner and each node, the
/// node that it names as the sender of sums for the owner's slice that are not finite, or -1.
std::vector<std::vector<int>> senders_of_sums(const ExchangeTrial& trial, int node);

/// Runs `lane` on `node` alone. @throws the exception of the exchange
void run_alone(const ExchangeTrial& trial, int node, int lane = 0);

/// Returns the number of floats that the store holds for an exchange of `node`. Checks that none remain after the
/// exchange.
std::size_t staged_floats(const troupe::Plan& plan, int node);

/// Returns a topology with `lanes[i]` replicas on node i.
troupe::Topology topology_of(const std::vector<int>& lanes, int num_shards);

/// Returns the strategy and the order of the request, for messages about failures.
std::string name_of(const troupe::PlanRequest& request);

/// Returns the request with the given topology.
troupe::PlanRequest on(troupe::Topology topology, troupe::PlanRequest request);
