#pragma once

#include <tuple>

#include "actors/messages/messages.hpp"

namespace troupe::fuzz {

/// All that crosses a connection between driver, workers and nodes. An input's first byte chooses one.
using Messages = std::tuple<Join, Build, Built, Attach, Compute, Computed, Apply, Applied, Task, TaskDone, NodeJoin,
                            StartWorker, BeginGeneration, NodeTask>;

/// One of each, with something in every field.
inline Messages filled_messages() {
  const PlanRequest plan{Strategy::ring, true, 2, {{0, 0, 1, 1}, 4}};
  const Failure failure{3, "the model threw", "compute", "shard 1", "alice"};
  return {
      Join{kProtocolVersion, 1, 4711},
      Build{1, 4, 2, true, plan, 42, "cnn", 1, R"({"batch_size":64})"},
      Built{1, 2, failure, {{4, 3, "blocked", 0}}, 60000, 469, {"weight", "bias"}, {{2, 3}, {2}}},
      Attach{2, 77, 3, true, R"({"kind":"momentum"})"},
      Compute{3, 100, 1, 5000},
      Computed{3, 2, failure, {0, 1}, {1, 2}, {64, 64}, 5},
      Apply{4, 100, 1, 128, 99, 3, 5000},
      Applied{4, 2, {}, 1, 2, 4096, false},
      Task{5, TaskKind::evaluate, 1, 7, 100, true, "norm"},
      TaskDone{5, 2, {}, {4}, {0, 1}, {1, 2}, {60, 61}, {64, 64}, {1, NonFinite::kState}},
      NodeJoin{kProtocolVersion, std::string(16, 't'), 4711, 8, 0, "10.0.0.2", 4000},
      StartWorker{3},
      BeginGeneration{
          6, 4, 77, 3, std::string(16, 't'), 0, {{"alice", "node alice", "10.0.0.2", 4000}}, 2, 4096, 1, 0, 0, plan},
      NodeTask{7, 4, NodeTaskKind::expect_transfer, 9, 4096, 1, 12, 5000}};
}

}  // namespace troupe::fuzz
