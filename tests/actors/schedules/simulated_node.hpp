#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "actors/messages/messages.hpp"
#include "actors/schedules/memory.hpp"

namespace troupe_test {

/// A copy of the state in the memory of a simulated machine.
struct SimulatedCopy {
  std::uint64_t run = 0;
  std::uint64_t number = 0;
  int holder = 0;
  bool complete = false;
  troupe::Range own_slices, kept_slices;
  Floats weights = {};
  std::vector<Floats> own = {}, kept = {};  ///< by vector of the optimizer

  /// Returns the floats of a piece of this copy. @throws Error protocol
  std::span<float> floats_of(const troupe::CopyPiece& piece);
};

/// A simulated machine, and the memory that outlives the processes of its node.
struct Machine {
  std::string name;
  std::array<SimulatedCopy, 2> copies = {};
  troupe::Clock::time_point ready = {};  ///< when its next process can join a run
  bool lies = false;
  bool leaves = false;  ///< its node wants to leave, and stays only as long as its copies are needed
};

/// Simulates the node's part in copies of the state, in plain memory.
class SimulatedNode {
 public:
  /// The nodes of a run, by number; null if the node's process has ended.
  using Nodes = std::vector<SimulatedNode*>;

  SimulatedNode(Machine& machine, Memory& memory, const Nodes& nodes, Chance& chance)
      : machine_(machine), memory_(memory), nodes_(nodes), chance_(chance) {}

  void number(int self) { self_ = self; }
  /// Executes a request and returns its reply; none if the node would wait for another node until the deadline.
  /// @param half stops in the middle of its writes
  std::optional<caf::message> carry_out(const caf::message& request, bool half);
  /// Returns the reply of a node that has no memory for a copy.
  static caf::message refuse(const caf::message& request);

 private:
  void work(const troupe::BeginCopy& request, troupe::CopyBegun& reply);
  void work(const troupe::SendCopy& request, troupe::Done& reply);
  void work(const troupe::EndCopy& request, troupe::CopyEnded& reply);
  void work(const troupe::ExpectPieces& request, troupe::Done& reply);
  void work(const troupe::MovePieces& request, troupe::PiecesMoved& reply);
  void work(const troupe::DropCopies& request, troupe::Done& reply);

  SimulatedCopy& copy(std::uint64_t number) { return machine_.copies[number % machine_.copies.size()]; }
  /// Returns the complete copy with this number. @throws Error protocol
  SimulatedCopy& complete_copy(std::uint64_t run, std::uint64_t number);
  /// Returns the floats of a piece that this node sends, which may be wrong.
  Floats send(const troupe::CopyPiece& piece, const troupe::MovePieces& request);
  /// Returns the checksum, or another number if this node lies.
  std::uint64_t told(std::uint64_t checksum);
  bool tells_lies() { return machine_.lies && chance_.below(3) == 0; }
  std::span<float> vector(int vector, int buffer) const;

  Machine& machine_;
  Memory& memory_;
  const Nodes& nodes_;
  Chance& chance_;
  int self_ = 0;
  bool half_ = false;
  bool waits_ = false;  ///< the present request waits for a node that does not send
  int buffer_ = 0;
  std::vector<troupe::CopyPiece> pieces_;
};

}  // namespace troupe_test
