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

/// Data shared by the lanes of a node in an exchange.
struct NodeWindows {
  const Plan* plan = nullptr;
  Transport* transport = nullptr;
  std::vector<std::span<float>> weights;  ///< by buffer
  std::vector<std::span<float>> staging;  ///< by flow; empty except for sums that this node receives
};

/// Returns the window of a flow, which is the same on all nodes. A flow of weights has one window per buffer
/// (`buffers`). A flow of sums uses only the first.
WindowId window_of(std::size_t flow, std::size_t buffer, std::size_t buffers);

/// One lane's part in the exchange: its program and the tables that it needs, created once.
class LaneExchange {
 public:
  LaneExchange(const NodeWindows& node, int lane);
  bool idle() const { return program_.empty(); }
  void start(const NodeExchange::Work& work);
  ExchangeReport run(const NodeExchange::Work& work, const ApplyChunk& apply);
  ExchangeReport reduce(const NodeExchange::Work& work, const ApplyChunk& keep);
  ExchangeReport share(const NodeExchange::Work& work, std::span<const float> mean, const ApplyChunk& apply);
  /// Returns true if a sum that arrived by this flow, to be passed on, was not finite on arrival, for the last ticket.
  bool has_passed_non_finite(std::size_t flow) const { return passed_non_finite_.contains(static_cast<int>(flow)); }

 private:
  struct Call;  ///< the arguments and the report of one run
  /// One summand of the fixed tree: a shard of this node, or a sum from another node.
  struct Term {
    Range shards;
    int flow = -1;
  };
  /// The part of the program that `start` has done.
  struct Started {
    std::uint64_t ticket = 0;  ///< 0: `start` was not called
    std::size_t operations = 0;
    std::int64_t bytes_sent = 0;
    std::exception_ptr failure;
  };

  void find_flows();
  void make_tree();
  const Flow& flow(int index) const { return plan_.flows[static_cast<std::size_t>(index)]; }
  /// Returns the segment's range in the flat vectors.
  Range segment_of(int owner, std::uint32_t segment) const;
  WindowId window(const Call& call, int flow) const;
  std::span<float> staged(int flow, const Range& range) const;
  std::span<const float> written(const Call& call, const Range& range) const;
  /// Takes over the work that `start` has done for this call, and returns the number of operations to skip.
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
  /// Computes the sum in ring order. At most one sum arrives: none if no other member has shards.
  void sum_members(const Call& call, const Range& chunk, float* sum);

  const NodeWindows& node_;
  const Plan& plan_;
  int lane_;
  Range slice_;
  std::vector<LaneOperation> program_;
  Started started_;
  Range node_shards_;
  Range member_shards_;                ///< ring order: the shards that this lane adds to a running sum
  std::vector<int> sums_in_;           ///< flows of sums to this lane's slice
  std::vector<int> weights_out_;       ///< flows of its new weights
  std::vector<Term> terms_;            ///< in order
  std::optional<TermTree> tree_;       ///< over the terms; empty in ring order
  std::vector<const float*> sources_;  ///< scratch
  std::set<int> passed_non_finite_;    ///< indices of flows
  std::vector<float> sent_sum_;        ///< scratch: a segment of the sum that is being sent
};

}  // namespace troupe
