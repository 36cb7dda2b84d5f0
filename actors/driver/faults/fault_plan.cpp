#include "actors/driver/faults/fault_plan.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "runtime/processes/slowed_process.hpp"
#include "runtime/random.hpp"

namespace troupe {
namespace {

using Fault = FaultPlan::Fault;

constexpr std::int64_t kMostRandom = 1'000'000;
constexpr std::array<const char*, 2> kRandomPhases{"compute", "apply"};
/// The names of all phases, as in errors. The phase "reduce" exists only with clipped gradients and in L-BFGS, and the
/// phase "remember" only in L-BFGS.
constexpr std::array<std::string_view, 15> kPhases{"start",      "settle",     "compute",    "reduce",      "apply",
                                                   "remember",   "fetch",      "evaluate",   "set_weights", "call",
                                                   "checkpoint", "save_state", "load_state", "copy",        "restore"};

void check_range(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most)
    throw_invalid(std::string("a fault's ") + name + " is " + std::to_string(value) + ", not " + std::to_string(least) +
                  " to " + std::to_string(most));
}

void check_phase(const std::string& phase) {
  if (std::ranges::count(kPhases, phase) > 0) return;
  std::string all;
  for (const std::string_view each : kPhases) all += (all.empty() ? "" : ", ") + std::string(each);
  throw_invalid("a fault is for phase '" + printable(phase) + "'; phases are " + all);
}

/// Converts each fault of the options into planned faults (FaultPlan::Fault), for a run with these numbers of workers
/// and nodes.
struct Turns {
  int num_workers;
  int num_nodes;

  std::vector<Fault> operator()(const testing::KillWorker& fault) const {
    return {of_worker(Fault::Kind::kill, fault)};
  }
  std::vector<Fault> operator()(const testing::StopWorker& fault) const {
    return {of_worker(Fault::Kind::stop, fault)};
  }
  std::vector<Fault> operator()(const testing::SlowWorker& fault) const {
    check_factor(fault.factor);
    Fault turn = of_worker(Fault::Kind::slow, fault);
    if (fault.until != 0 && fault.until <= fault.step)
      throw_invalid("a fault's until is " + std::to_string(fault.until) + ", but must be greater than its step, " +
                    std::to_string(fault.step));
    turn.factor = fault.factor;
    turn.until = fault.until;
    return {turn};
  }
  std::vector<Fault> operator()(const testing::CutNode& fault) const {
    if (num_nodes == 0) throw_invalid("a fault cuts a node off, but the run has no nodes");
    check_range("node", fault.node, 0, num_nodes - 1);
    Fault turn = at_its_time(Fault::Kind::cut, fault);
    turn.node = fault.node;
    return {turn};
  }
  std::vector<Fault> operator()(const testing::FullDisk& fault) const {
    check_range("step", fault.step, 1, INT64_MAX);
    return {{.kind = Fault::Kind::full_disk, .step = fault.step, .phase = "checkpoint"}};
  }
  std::vector<Fault> operator()(const testing::RandomKills& fault) const {
    check_range("count", fault.count, 1, kMostRandom);
    check_steps(fault);
    Random random(fault.seed);
    const auto steps = static_cast<std::uint64_t>(fault.last_step - fault.first_step) + 1;
    std::vector<Fault> kills;
    for (std::int64_t i = 0; i < fault.count; ++i) {
      Fault kill;
      kill.worker = static_cast<int>(random.below(static_cast<std::uint64_t>(num_workers)));
      kill.step = fault.first_step + static_cast<std::int64_t>(random.below(steps));
      kill.phase = kRandomPhases[random.below(kRandomPhases.size())];
      kills.push_back(kill);
    }
    return kills;
  }
  std::vector<Fault> operator()(const testing::RandomSlowness& fault) const {
    check_factor(fault.factor);
    check_steps(fault);
    check_range("steps", fault.last_step - fault.first_step, 0, kMostRandom - 1);
    if (num_workers < 2) throw_invalid("random slowness needs at least 2 workers");
    Random random(fault.seed);
    Fault slow{.kind = Fault::Kind::slow, .factor = fault.factor};
    std::vector<Fault> turns;
    for (slow.step = fault.first_step; slow.step <= fault.last_step; ++slow.step) {
      slow.until = slow.step + 1;
      const int others = static_cast<int>(random.below(static_cast<std::uint64_t>(num_workers) - 1));
      slow.worker = (slow.worker + 1 + others) % num_workers;
      turns.push_back(slow);
    }
    return turns;
  }

 private:
  static void check_factor(int factor) { check_range("factor", factor, 2, SlowedProcess::kMostFactor); }
  template <class Range>
  static void check_steps(const Range& range) {
    check_range("first_step", range.first_step, 1, INT64_MAX - 1);
    check_range("last_step", range.last_step, range.first_step, INT64_MAX - 1);
  }
  template <class Kind>
  static Fault at_its_time(Fault::Kind kind, const Kind& fault) {
    check_range("step", fault.step, 1, INT64_MAX);
    check_phase(fault.phase);
    return {.kind = kind, .step = fault.step, .phase = fault.phase};
  }
  template <class Kind>
  Fault of_worker(Fault::Kind kind, const Kind& fault) const {
    check_range("worker", fault.worker, 0, num_workers - 1);
    Fault turn = at_its_time(kind, fault);
    turn.worker = fault.worker;
    return turn;
  }
};

}  // namespace

FaultPlan::FaultPlan(const std::vector<testing::Fault>& faults, int num_workers, int num_nodes) {
  for (const testing::Fault& fault : faults) {
    const std::vector<Fault> turns = std::visit(Turns{num_workers, num_nodes}, fault);
    faults_.insert(faults_.end(), turns.begin(), turns.end());
  }
}

std::vector<Fault> FaultPlan::due(const std::string& phase, std::int64_t first_step, std::int64_t last_step) {
  const auto asked = asked_until_.find(phase);
  if (asked != asked_until_.end()) first_step = std::min(first_step, asked->second + 1);
  asked_until_[phase] = last_step;
  const auto later = [&](const Fault& fault) {
    return fault.phase != phase || fault.step < first_step || fault.step > last_step ||
           fault.kind == Fault::Kind::full_disk;
  };
  const auto first = std::stable_partition(faults_.begin(), faults_.end(), later);
  std::vector<Fault> due(first, faults_.end());
  faults_.erase(first, faults_.end());
  return due;
}

bool FaultPlan::hurts_workers() const {
  return std::ranges::any_of(faults_, [](const Fault& fault) {
    return fault.kind != Fault::Kind::cut && fault.kind != Fault::Kind::full_disk;
  });
}

bool FaultPlan::full_disk(std::int64_t step) {
  const auto due = std::ranges::find_if(
      faults_, [&](const Fault& fault) { return fault.kind == Fault::Kind::full_disk && fault.step <= step; });
  if (due == faults_.end()) return false;
  faults_.erase(due);
  return true;
}

}  // namespace troupe
