#include "fuzz/actors/message_seeds.hpp"

#include <caf/binary_serializer.hpp>

#include "fuzz/actors/message_kinds.hpp"

namespace troupe::fuzz {
namespace {

Messages filled() {
  const PlanRequest plan{"ring", true, 2, {0, 0, 1, 1}, 4};
  const Failure failure{3, "the model threw", "compute", "shard 1", "alice"};
  return {
      Join{kProtocolVersion, 1, 4711},
      Build{1, 4, 2, true, plan, 42, "cnn", 1, R"({"batch_size":64})"},
      Built{1, 2, failure, {{4, 3, "blocked", 0}}, 60000, 469, {"weight", "bias"}, {{2, 3}, {2}}},
      Attach{2, 77, 3, true, R"({"kind":"momentum"})"},
      Compute{3, 100, 1, 5000},
      Computed{3, 2, failure, {0, 1}, {1, 2}, {64, 64}, 5},
      Apply{4, 100, 1, 128, 99, 3, 5000},
      Applied{4, 2, {}, 1, 2, 4096},
      Task{5, TaskKind::evaluate, 1, 7, 100, true, "norm"},
      TaskDone{5, 2, {}, {"text"}, {0, 1}, {1, 2}, {60, 61}, {64, 64}},
      NodeJoin{kProtocolVersion, std::string(16, 't'), 4711, 8, 0, "10.0.0.2", 4000},
      StartWorker{3},
      BeginGeneration{
          6, 4, 77, 3, std::string(16, 't'), 0, {{"alice", "node alice", "10.0.0.2", 4000}}, 2, 4096, 1, 0, 0, plan},
      NodeTask{7, 4, NodeTaskKind::expect_transfer, 9, 4096, 1, 12, 5000}};
}

template <class Message>
std::string seed(std::size_t kind, const Message& message) {
  std::vector<char> bytes;
  caf::binary_serializer sink(nullptr, bytes);
  if (sink(message)) throw Error(ErrorCode::system, "a message cannot be written");
  return static_cast<char>(kind) + std::string(bytes.begin(), bytes.end());
}

}  // namespace

std::vector<std::string> message_seeds() {
  std::vector<std::string> seeds;
  const auto add = [&](const auto&... message) { (seeds.push_back(seed(seeds.size(), message)), ...); };
  std::apply(add, filled());
  return seeds;
}

}  // namespace troupe::fuzz
