#include "troupe/group.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "collectives/group/communicator.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// The communicator of a group of one rank. The result of every collective is the rank's own input.
class AloneCommunicator : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  const char* name() const override { return "alone"; }
  void run(const Collective& call) override {
    if (call.out != call.in && call.count > 0) std::memmove(call.out, call.in, call.count * bytes_of(call.type));
  }
};

void check_length(const Collective& call, const char* what, std::size_t length, std::size_t needed) {
  if (length == needed) return;
  throw_invalid(std::string(to_string(call.kind)) + ": " + what + " has " + std::to_string(length) + " elements, but " +
                std::to_string(needed) + " are required");
}

Collective collective(Collective::Kind kind, ElementType type, std::size_t count, const void* in, void* out,
                      const CallPlace& at) {
  Collective call;
  call.kind = kind;
  call.type = type;
  call.count = count;
  call.in = in;
  call.out = out;
  call.file = at.file;
  call.line = at.line;
  return call;
}

void check_op(const Collective& call) {
  if (call.op > ReduceOp::max) throw_invalid("invalid ReduceOp");
  if (call.op == ReduceOp::mean && call.type == ElementType::i64)
    throw_invalid(std::string(to_string(call.kind)) + ": ReduceOp::mean does not support integers; use ReduceOp::sum");
}

/// Runs the collective `call`. In a child process made by fork, throws if the group has more than one rank, because its
/// memory and connections belong to the parent. A group of one rank has no memory or connections, so every process may
/// use it.
void run(Communicator& communicator, const Collective& call) {
  if (communicator.size() > 1) communicator.owner().check("this rank of a group");
  communicator.run(call);
}

}  // namespace

std::size_t bytes_of(ElementType type) { return type == ElementType::f32 ? 4 : 8; }

const char* to_string(ElementType type) {
  constexpr std::array kNames{"f32", "f64", "i64"};
  return kNames.at(static_cast<std::size_t>(type));
}

const char* to_string(ReduceOp op) {
  constexpr std::array kNames{"sum", "mean", "max"};
  return kNames.at(static_cast<std::size_t>(op));
}

const char* to_string(Collective::Kind kind) {
  constexpr std::array kNames{"barrier", "all_reduce", "reduce_scatter", "all_gather", "broadcast"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Range part_of_rank(std::size_t count, int rank, int size) {
  const auto parts = static_cast<std::size_t>(size);
  const auto part = static_cast<std::size_t>(rank);
  const std::size_t each = count / parts;
  const std::size_t longer = count % parts;  // the first `longer` parts have one element more
  const std::size_t begin = part * each + std::min(part, longer);
  return {begin, begin + each + (part < longer ? 1 : 0)};
}

Group::Group() : Group(std::make_shared<AloneCommunicator>()) {}
Group::Group(std::shared_ptr<Communicator> communicator) : communicator_(std::move(communicator)) {}

int Group::rank() const { return communicator_->rank(); }
int Group::size() const { return communicator_->size(); }
const char* Group::backend() const { return communicator_->name(); }

Group::Part Group::part_of(std::size_t count, int rank) const {
  const Range part = part_of_rank(count, rank, size());
  return {part.begin, part.end};
}

void Group::all_reduce(ElementType type, const void* in, std::size_t count, void* out, std::size_t room, ReduceOp op,
                       const CallPlace& at) {
  Collective call = collective(Collective::Kind::all_reduce, type, count, in, out, at);
  call.op = op;
  check_op(call);
  check_length(call, "the result", room, count);
  run(*communicator_, call);
}

void Group::reduce_scatter(ElementType type, const void* in, std::size_t count, void* part, std::size_t room,
                           ReduceOp op, const CallPlace& at) {
  Collective call = collective(Collective::Kind::reduce_scatter, type, count, in, part, at);
  call.op = op;
  check_op(call);
  check_length(call, "this rank's part", room, part_of(count).size());
  run(*communicator_, call);
}

void Group::all_gather(ElementType type, const void* part, std::size_t count, void* all, std::size_t room,
                       const CallPlace& at) {
  const Collective call = collective(Collective::Kind::all_gather, type, room, part, all, at);
  check_length(call, "this rank's part", count, part_of(room).size());
  run(*communicator_, call);
}

void Group::broadcast(ElementType type, void* values, std::size_t count, int root, const CallPlace& at) {
  Collective call = collective(Collective::Kind::broadcast, type, count, values, values, at);
  call.root = root;
  if (root < 0 || root >= size())
    throw_invalid("broadcast: root is " + std::to_string(root) + "; it must be 0 to " + std::to_string(size() - 1));
  run(*communicator_, call);
}

void Group::barrier(CallPlace at) {
  run(*communicator_, collective(Collective::Kind::barrier, ElementType::f32, 0, nullptr, nullptr, at));
}

}  // namespace troupe
