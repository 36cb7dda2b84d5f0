#pragma once

#include <exception>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "collectives/exchange/exchange.hpp"
#include "collectives/plan/program.hpp"
#include "collectives/plan/term_tree.hpp"

namespace troupe {

/// The plan, the transport and the memory that all lanes of a node share in an exchange.
struct NodeWindows {
  const Plan* plan = nullptr;
  Transport* transport = nullptr;
  std::vector<std::span<float>> weights;  ///< by buffer: the node's weights, a whole flat vector
  std::vector<std::span<float>> staging;  ///< by flow: the memory in which this node receives the sum of the flow;
                                          ///< empty if the node receives no sum by the flow
};

/// Returns the number of the window of flow `flow`, which is the same on all nodes.
/// @param flow index of the flow in the plan
/// @param buffer the buffer of the weights that is written, for a flow of weights; 0 for a flow of sums, which has a
/// single window
/// @param buffers the number of buffers of the weights
WindowId window_of(std::size_t flow, std::size_t buffer, std::size_t buffers);

/// One lane's part in the exchange. The constructor creates the lane's program (`lane_program`), which is executed in
/// every step. The functions `start`, `run`, `reduce` and `share` implement the functions of NodeExchange with the same
/// names.
class LaneExchange {
 public:
  LaneExchange(const NodeWindows& node, int lane);
  bool idle() const { return program_.empty(); }
  void start(const NodeExchange::Work& work);
  ExchangeReport run(const NodeExchange::Work& work, const ApplyChunk& apply);
  ExchangeReport reduce(const NodeExchange::Work& work, const ApplyChunk& keep);
  ExchangeReport share(const NodeExchange::Work& work, std::span<const float> mean, const ApplyChunk& apply);
  /// Returns true if, in the last step, a running sum with NaN or infinity arrived by flow `flow`, and this lane sent
  /// the sum on.
  bool has_passed_non_finite(std::size_t flow) const { return passed_non_finite_.contains(static_cast<int>(flow)); }

 private:
  struct Call;  ///< the arguments and the report of one call of a public function
  /// One input of the sum for the lane's slice: the gradient of a shard of this node, or a partial sum from another
  /// node.
  struct Term {
    Range shards;
    int flow = -1;
  };
  /// The progress of the last call of `start`: the number of operations that it has executed, and its result.
  struct Started {
    std::uint64_t ticket = 0;  ///< the ticket of the call; 0 if `start` was not called for the present step
    std::size_t operations = 0;
    std::int64_t bytes_sent = 0;
    std::exception_ptr failure;
  };

  void find_flows();
  void make_tree();
  const Flow& flow(int index) const { return plan_.flows[static_cast<std::size_t>(index)]; }
  /// Returns the range of floats of segment `segment` of the slice of lane `owner`.
  Range segment_of(int owner, std::uint32_t segment) const;
  WindowId window(const Call& call, int flow) const;
  /// Returns the floats `range` of the sum that arrived by flow `flow`. `range` is a range of floats of the flat
  /// vector.
  std::span<float> staged(int flow, const Range& range) const;
  /// Returns the new weights of the floats `range`, in the buffer that the call writes (`Work::buffer`).
  std::span<const float> written(const Call& call, const Range& range) const;
  /// Returns the number of operations that `start` has executed for the ticket of `call`; 0 if `start` was not called.
  /// Adds the number of bytes that `start` has sent to the report of `call`.
  /// @throws Error the error that `start` has stored, if it failed
  std::size_t take_started(Call& call);
  void perform(Call& call, const LaneOperation& operation);
  void send(Call& call, int flow, std::uint32_t segment, std::span<const float> floats) const;
  void wait(Call& call, int flow, std::uint32_t segment) const;
  void pass_sum(Call& call, const LaneOperation& operation);
  void reduce_segment(Call& call, const LaneOperation& operation);
  void apply_segment(Call& call, const Range& segment, const SumChunk& sum, std::int64_t divisor) const;
  void send_weights(Call& call, const LaneOperation& operation) const;
  void collect(Call& call, const LaneOperation& operation);
  void add_and_send(Call& call, const LaneOperation& operation, const Range& shards);
  void sum_shards(const Call& call, const Range& shards, const Range& chunk, float* sum);
  void sum_terms(const Call& call, const Range& chunk, float* sum);
  /// Computes the sum for a chunk of the lane's slice in ring order, and writes it to `sum`. The sum is the running sum
  /// that arrives, plus the gradients of this member's shards. If no other member of the ring has shards, no running
  /// sum arrives.
  void sum_members(const Call& call, const Range& chunk, float* sum);

  const NodeWindows& node_;
  const Plan& plan_;
  int lane_;
  Range slice_;
  std::vector<LaneOperation> program_;
  Started started_;
  Range node_shards_;
  Range member_shards_;                ///< used in ring order: the shards that this lane adds to each running sum
  std::vector<int> sums_in_;           ///< indices of the flows of sums for this lane's slice
  std::vector<int> weights_out_;       ///< indices of the flows that send this lane's new weights
  std::vector<Term> terms_;            ///< the inputs of the sum for the lane's slice, in order of their shards
  std::optional<TermTree> tree_;       ///< the tree that adds the terms; empty in ring order
  std::vector<const float*> sources_;  ///< scratch: pointers to the inputs of a sum
  std::set<int> passed_non_finite_;    ///< the indices of flows for which `has_passed_non_finite` returns true
  std::vector<float> sent_sum_;        ///< scratch: a segment of the sum that is being sent
};

}  // namespace troupe
