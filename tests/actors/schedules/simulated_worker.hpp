#pragma once

#include <memory>

#include "actors/messages/messages.hpp"
#include "actors/schedules/memory.hpp"
#include "collectives/exchange/page_squares.hpp"
#include "collectives/plan/plan.hpp"

namespace troupe_test {

/// Simulates a worker in one thread and in plain memory: its gradients and its slice. Checks that requests are valid.
class SimulatedWorker {
 public:
  SimulatedWorker(int index, const Toy& toy, Memory& memory)
      : index_(index), process_(++memory.processes), toy_(toy), memory_(memory) {}

  int index() const { return index_; }
  /// Executes a request and returns its reply. @param half stops in the middle of its writes
  caf::message carry_out(const caf::message& request, bool half = false);
  /// Returns the reply of a model that throws.
  static caf::message refuse(const caf::message& request);

 private:
  using Mapped = std::vector<std::shared_ptr<const Floats>>;  ///< by shard
  /// The gradients that the worker writes.
  struct Portion {
    troupe::Range shards;
    std::vector<std::shared_ptr<Floats>> gradients = {};
    std::pair<std::uint64_t, std::int64_t> belongs_to{0, 0};  ///< call and step
    std::size_t computed = 0;
  };

  void work(const troupe::Build& request, troupe::Built& built);
  void work(const troupe::MakeSlabs& request, troupe::Done& done);
  void work(const troupe::MapSlabs& request, troupe::Done& done);
  void work(const troupe::Compute& request, troupe::Computed& computed);
  void work(const troupe::ReduceMean& request, troupe::MeanReduced& reduced);
  void work(const troupe::Apply& request, troupe::Applied& applied);
  void work(const troupe::Advance& request, troupe::Advanced& advanced);
  void work(const troupe::Evaluate& request, troupe::Evaluated& evaluated);
  void work(const troupe::Initialize& request, troupe::Done& done);
  void work(const troupe::ExportVector& request, troupe::Done& done);
  void work(const troupe::ImportVector& request, troupe::Done& done);
  void work(const troupe::Fence& /*request*/, troupe::Done& /*done*/) {}
  void work(const troupe::Stop& /*request*/, troupe::Done& /*done*/) {}

  void make_gradients(std::uint64_t made_for);
  void apply(const troupe::Apply& request, troupe::Range range);
  troupe::Range lanes() const;
  troupe::Range lanes_before() const { return plan_.topology.lanes_before(lanes()); }
  troupe::Range shards() const { return plan_.topology.shards_of_lanes(lanes()); }
  bool stands_in(const std::vector<std::int32_t>& left_out) const;
  troupe::Gradients gradients(const std::vector<std::int32_t>& left_out) const;
  Portion& portion(troupe::GradientOf whose) { return whose == troupe::GradientOf::worker ? own_ : backup_; }
  Floats& vector(int vector, int buffer) const;
  Floats& transfer(std::uint64_t number) const;
  Floats& kept_mean() const;
  /// @throws Error protocol
  static void check_ready(bool ready);

  int index_;
  int process_;
  const Toy& toy_;
  Memory& memory_;
  bool built_ = false;
  int first_lane_ = 0;
  bool half_ = false;
  troupe::PlanRequest plan_request_;
  troupe::Plan plan_;
  std::shared_ptr<Slabs> slabs_;
  bool mapped_ = false;
  std::uint64_t made_for_ = 0;  ///< the generation for which its gradient slabs were made
  bool backs_up_ = false;
  Portion own_;
  Portion backup_;
  std::vector<Mapped> mapped_gradients_;  ///< gradients of its workers and their backups, since they were mapped
  troupe::PageSquares squares_;
  troupe::PageSquares squares_before_;
};

}  // namespace troupe_test
