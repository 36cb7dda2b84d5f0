#pragma once

#include <tuple>

#include "actors/messages/messages.hpp"

namespace troupe::fuzz {

/// All messages between driver, workers and nodes, in the order of MessageKind. The first byte of an input selects one.
using Messages = decltype(std::tuple_cat(ToDriver(), ToNode(), ToWorker()));

inline Failure filled_failure() { return {3, "the model threw", "compute", "shard 1", "alice"}; }
inline PlanRequest filled_plan() { return {Strategy::ring, true, 2, {{0, 0, 1, 1}, 4}}; }

inline ToDriver filled_to_driver() {
  const Failure failure = filled_failure();
  return {NodeJoin{kProtocolVersion,
                   std::string(kTokenBytes, 't'),
                   4711,
                   8,
                   2,
                   "10.0.0.2",
                   4000,
                   "x86-64-v4, glibc 2.36",
                   {{7, 3, 1}}},
          Join{kProtocolVersion, 1, 4711},
          Done{1, failure},
          Built{2, failure, {{4, 3, "blocked", 1, 77, 60000, 469}}, {"weight", "bias"}, {{2, 3}, {2}}, "{}"},
          Computed{3, failure, {0, 1}, {1, 2}, {64, 64}, 5},
          MeanReduced{8, failure, {1, 2}, 4096},
          Applied{4, failure, 1, 2, 4096, true, {3}},
          Found{5, failure, {1, NonFinite::kState}},
          Evaluated{6, failure, {0, 1}, {1, 2}, {60, 61}, {64, 64}, {"brier-score"}, 10, 1, true, 880},
          Called{7, failure, {4}},
          Advanced{17, failure, {0, 1}, {1, 2}, {64, 64}, true, 5},
          Pushed{19, failure, true, 5, 4096, 4096},
          StepsTaken{20, failure, {0, 1}, {1, 2}, {64, 64}, {3, 4}, {1, NonFinite::kState}, 1, 5, 6, 7},
          PortionsComputed{21, failure, {4}, {1}, {64}, false, 5, 6, 7},
          GradientReduced{22, failure, {1, 2, 3}, 4, 5, 4096},
          Moved{23, failure, true, 5, 4096},
          Remembered{24, failure, {1, 2}, 5},
          Heard{25, failure, true, 1, "bytes"},
          CopyBegun{26, failure, {1, 2}, 4096},
          CopyEnded{27, failure, {1}},
          PiecesMoved{28, failure, {1, 2}}};
}

inline ToNode filled_to_node() {
  std::vector<PeerNode> peers(1);
  peers[0].name = "alice";
  peers[0].label = "node alice";
  peers[0].address = {"10.0.0.2", 4000};
  return {StartWorker{3},
          BeginGeneration{1,
                          77,
                          3,
                          std::string(kTokenBytes, 't'),
                          1,
                          peers,
                          2,
                          4096,
                          {2, 1, 0, 2, 1},
                          3,
                          {0, 2},
                          2,
                          filled_plan(),
                          1,
                          4000,
                          R"({"kind":"adagrad"})"},
          BeginGroup{21, 77, 3, std::string(kTokenBytes, 't'), 1, peers, 2, {0, 0, 1}},
          Connect{2, 5000},
          Publish{3, {1, 3}},
          CreateTransfer{4, 9, 4096},
          ExpectTransfer{5, 9, 4096},
          EndTransfer{6, 9, 4096, 12, 5000},
          SendTransfer{7, 9, 4096, 12, 5000},
          DropTransfers{13},
          ExpectPlaced{8, 1, 2},
          Place{9, 9, 1, 2, 12, 5000},
          ClearState{10, 2},
          ExpectSlices{11, 1, 2},
          GatherSlices{12, 1, 2, 12, 5000},
          Push{19, 1, true, true, 0, 1, 7, 9, 64, 4, 5, 5000},
          ShareWeights{20, 1, 5000},
          BeginCopy{21, 7, 3, 1},
          SendCopy{22, 3, 0, 4, 5000},
          EndCopy{23, 3},
          ExpectPieces{24, 1, {{1, 0, 4096, 1, 0, true}}},
          MovePieces{25, 7, 3, 5000},
          DropCopies{26}};
}

inline ToWorker filled_to_worker() {
  return {Compute{13, 7, 100, 1, true, 5000},
          ReduceMean{16, 128, 13, {2}, 5000},
          Apply{14, 100, 1, 2, 128, 99, 13, 1, 4, {2}, 5000},
          Advance{18, 100, 5, true, true, true, 4, 5000},
          Deliver{19, true, true, 5000},
          TakeSteps{20, 100, 8, 1, 2, 99, {4}, 5000},
          ComputePortions{21, {4}, {4}, 1, -1, 5000},
          ReduceGradient{22, {0, 1, 2, 3}, 128, 1, 2, 5000},
          MoveAlong{23, 1, 0, 2, 4, {2, 5, 8}, {1, 2, 3}, 5000},
          Remember{24, true, 8, 5, 4, {2, 5, 8}, {2, 5, 8}, 5000},
          Abandon{25},
          FindNonFinite{15, 1},
          Build{1, 2, 2, true, 1, true, true, filled_plan(), 42, "cnn", 1, R"({"batch_size":64})"},
          MakeSlabs{2, 77, 3, 2, 1, R"({"kind":"momentum"})", {1, 0, 2, 1, -1}, R"({"kind":"average"})"},
          MapSlabs{3, {1, 3}, true},
          Fence{4},
          Stop{5},
          Initialize{6, 9},
          ExportVector{7, 1, 2, 9},
          ImportVector{8, 9, 10},
          Evaluate{9, 1, 100, 1, true, 5, true},
          CallModel{10, "norm", 9, 5, 1, true},
          CallWorker{11, "count", 9, 5},
          ExportTexts{12, 9},
          StartFunction{26, 77, 1, 1, 1, 2, 2, 1, 2, 42, 5000, 1000, true, "alice", "train", "{}",
                        std::string("fashion-mnist\0", 14)},
          ProvideCheckpoint{27, true, "bytes"},
          Listen{28},
          StopFunction{29, 1, 2, "was lost"}};
}

/// Returns one message of each kind with a value in every field.
inline Messages filled_messages() { return std::tuple_cat(filled_to_driver(), filled_to_node(), filled_to_worker()); }

}  // namespace troupe::fuzz
