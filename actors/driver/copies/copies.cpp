#include "actors/driver/copies/copies.hpp"

#include <algorithm>
#include <utility>

#include "actors/node/floats.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace troupe {
namespace {

constexpr std::chrono::seconds kDropTimeout{1};

}  // namespace

CopyReport Copies::advance(FormedRun& run, const Versions& versions, int edits, std::int64_t steps, double seconds,
                           std::chrono::milliseconds timeout) noexcept {
  const Stopwatch watch;
  report_.bytes_sent = 0;
  pace_.note_steps(steps, versions.committed().step, seconds);
  try {
    work(run, versions, edits, timeout);
  } catch (const std::exception& error) {
    fail(error);
  }
  report_.seconds = watch.seconds();
  return report_;
}

void Copies::check_edits(int edits) {
  if (record_ && record_->edits != edits) give_up();
}

void Copies::give_up() {
  record_.reset();
  current_.reset();
  report_.step = -1;
  report_.ring.clear();
  totals_.step = -1;
  pace_.hurry();
}

bool Copies::is_due(int edits, std::int64_t steps, std::int64_t step, double seconds) {
  report_.bytes_sent = 0;
  pace_.note_steps(steps, step, seconds);
  check_edits(edits);
  return pace_.may_begin();
}

CopyReport Copies::report(double seconds) const {
  CopyReport report = report_;
  report.seconds = seconds;
  return report;
}

bool Copies::make_now(FormedRun& run, const Versions& versions, int edits, bool again,
                      std::chrono::milliseconds timeout) noexcept try {
  if (!again && has(edits) && record_->version == versions.committed()) return true;
  const Phase phase{"copy", versions.committed().step, Deadline(timeout)};
  begin(run, versions, edits, phase);
  send(run, current_->segments, phase);
  end(run, phase);
  return true;
} catch (const std::exception& error) {
  fail(error);
  return false;
}

void Copies::fail(const std::exception& error) {
  const auto* const known = dynamic_cast<const Error*>(&error);
  if (report_.error.empty())
    log_line(LogLevel::warning, std::string("a copy of the state could not be made: ") + error.what(),
             known ? known->where() : Where{});
  report_.error = error.what();
  current_.reset();
  pace_.note_failure();
}

void Copies::note_work(double seconds, std::size_t segments) {
  totals_.seconds += seconds;
  pace_.note_work(seconds, segments);
}

void Copies::work(FormedRun& run, const Versions& versions, int edits, std::chrono::milliseconds timeout) {
  const Phase phase{"copy", versions.committed().step, Deadline(timeout)};
  // If a generation has begun meanwhile, the windows into which nodes send no longer exist.
  const std::uint64_t generation = run.generation().layout().generation;
  if (current_ && (current_->generation != generation || current_->record.edits != edits)) current_.reset();
  check_edits(edits);
  if (!current_ && pace_.may_begin()) begin(run, versions, edits, phase);
  if (!current_) return;
  if (const std::size_t left = current_->segments - current_->sent; left > 0) send(run, pace_.segments(left), phase);
  if (current_->sent >= current_->segments) end(run, phase);
}

void Copies::begin(FormedRun& run, const Versions& versions, int edits, const Phase& phase) {
  const Stopwatch watch;
  pace_.begin();
  const SlabLayout& layout = run.generation().layout();
  last_number_ = next_number(last_number_, record_ ? &*record_ : nullptr);
  const auto nodes = run.members().nodes();
  const auto replies = run.rounds().ask(BeginCopy{0, run_name_, last_number_, versions.buffer()}, nodes, phase);
  Current next;
  next.generation = layout.generation;
  CopyRecord& record = next.record;
  record.number = last_number_;
  record.version = versions.committed();
  record.size = layout.size;
  record.vectors = layout.vectors;
  record.weights_sum = replies.front().reply.sums.at(0);
  record.edits = edits;
  report_.bytes = 0;
  for (const auto& [member, reply] : replies) {
    const int node = run.members().node_of(member);
    const std::string name = run.host().certificate_of(node);
    if (reply.sums.size() != static_cast<std::size_t>(layout.vectors))
      throw Error(ErrorCode::protocol, "the node reports checksums of another number of vectors", {.node = name});
    if (reply.sums[0] != record.weights_sum)
      throw Error(ErrorCode::protocol, "the node's weights differ from those of the first node", {.node = name});
    const Range slices = run.generation().plan().slice_of_node(node);
    record.owners.push_back({name, slices, {reply.sums.begin() + 1, reply.sums.end()}});
    const std::size_t floats = nodes.size() > 1 ? slices.size() * static_cast<std::size_t>(layout.vectors - 1) : 0;
    next.segments = std::max(next.segments, (floats + kCopySegmentFloats - 1) / kCopySegmentFloats);
    report_.bytes = std::max(report_.bytes, static_cast<std::int64_t>(reply.bytes));
  }
  current_ = std::move(next);
  note_work(watch.seconds());
}

void Copies::send(FormedRun& run, std::size_t segments, const Phase& phase) {
  const Stopwatch watch;
  if (segments == 0) return;
  run.rounds().ask(SendCopy{0, current_->record.number, static_cast<std::uint32_t>(current_->sent),
                            static_cast<std::uint32_t>(segments), phase.deadline.left().count()},
                   run.members().nodes(), phase);
  std::size_t sent = 0;
  for (const CopyRecord::Owner& owner : current_->record.owners) {
    const std::size_t bytes = owner.slices.size() * owner.sums.size() * sizeof(float);
    const std::size_t begin = std::min(bytes, current_->sent * kCopySegmentBytes);
    sent += std::min(bytes, (current_->sent + segments) * kCopySegmentBytes) - begin;
  }
  report_.bytes_sent += static_cast<std::int64_t>(sent);
  totals_.bytes_sent += static_cast<std::int64_t>(sent);
  current_->sent += segments;
  note_work(watch.seconds(), segments);
}

void Copies::end(FormedRun& run, const Phase& phase) {
  const Stopwatch watch;
  const auto replies = run.rounds().ask(EndCopy{0, current_->record.number}, run.members().nodes(), phase);
  const CopyRecord record = std::exchange(current_, std::nullopt)->record;
  for (const auto& [member, reply] : replies) {
    const int buddy = run.members().node_of(member);
    for (std::size_t owner = 0; owner < record.owners.size() && replies.size() > 1; ++owner)
      if (record.buddy_of(static_cast<int>(owner)) == buddy && reply.sums != record.owners[owner].sums)
        throw Error(ErrorCode::protocol,
                    "the node's copy of the state of " + record.owners[owner].name + " differs from the original",
                    {.node = record.owners[static_cast<std::size_t>(buddy)].name});
  }
  record_ = record;
  had_edits_ = record.edits;
  report_.step = record.version.step;
  report_.ring.clear();
  report_.ring.reserve(record.owners.size());
  for (const CopyRecord::Owner& owner : record.owners) report_.ring.push_back(owner.name);
  report_.error.clear();
  pace_.note_success();
  note_work(watch.seconds());
  totals_.step = record.version.step;
  totals_.completed = Clock::now();
  run.host().note_copies(totals_);
}

Version Copies::restore(FormedRun& run, int buffer, const Phase& phase) {
  current_.reset();
  const Phase at{"restore", record_->version.step, phase.deadline};
  std::vector<Returned> nodes = returned(run);
  whole_ = nodes.size() == record_->owners.size() &&
           std::ranges::all_of(nodes, [](const Returned& node) { return node.copy.has_value(); });
  const auto leave_out = [&](Returned& node, const std::string& why) {
    log_line(LogLevel::warning, "the copy of the state of node " + node.name + " is not used: " + why,
             {.node = node.name});
    node.copy.reset();
    whole_ = false;
  };
  for (;;) {
    const std::vector<CopyPiece> pieces = pieces_of(*record_, nodes);
    try {
      const auto liar = find_false_copy(*record_, pieces, move(run, pieces, buffer, at));
      if (!liar) break;
      leave_out(nodes[static_cast<std::size_t>(*liar)], "the node has sent other values than its owner had");
    } catch (const Error& error) {
      if (error.code() == ErrorCode::worker_lost || error.code() == ErrorCode::timeout) throw;
      const auto node = std::ranges::find_if(
          nodes, [&](const Returned& each) { return each.copy && each.name == error.where().node; });
      if (node == nodes.end()) throw;
      leave_out(*node, error.message());
    }
  }
  run.host().note_copies(totals_);
  return record_->version;
}

bool Copies::suffice(const std::vector<JoinedNode>& nodes) const try {
  std::vector<Returned> returned;
  returned.reserve(nodes.size());
  for (const JoinedNode& node : nodes) returned.push_back({node.certificate, part_of(node.copies), {}});
  pieces_of(*record_, returned);
  return true;
} catch (const Error&) {
  return false;
}

bool Copies::are_on(const JoinedNode& node) const {
  const auto part = part_of(node.copies);
  return part && record_->is_of(*part, node.certificate);
}

std::optional<OfferedCopy> Copies::part_of(const std::vector<OfferedCopy>& offered) const {
  for (const OfferedCopy& copy : offered)
    if (copy.run == run_name_ && copy.number == record_->number) return copy;
  return std::nullopt;
}

std::vector<Returned> Copies::returned(FormedRun& run) const {
  std::vector<Returned> nodes;
  nodes.reserve(static_cast<std::size_t>(run.members().num_nodes()));
  for (int node = 0; node < run.members().num_nodes(); ++node) {
    nodes.push_back({run.host().certificate_of(node), part_of(run.host().copies_of(node)),
                     run.generation().plan().slice_of_node(node)});
  }
  return nodes;
}

std::vector<std::uint64_t> Copies::move(FormedRun& run, const std::vector<CopyPiece>& pieces, int buffer,
                                        const Phase& phase) const {
  if (pieces.size() > kMostPieces)
    throw Error(ErrorCode::unsupported, "a copy of the state has too many pieces for this number of nodes");
  const std::vector<int> nodes = run.members().nodes();
  run.rounds().ask(ExpectPieces{0, buffer, pieces}, nodes, phase);
  const MovePieces request{0, run_name_, record_->number, phase.deadline.left().count()};
  std::vector<std::uint64_t> sums(pieces.size());
  for (const auto& [member, reply] : run.rounds().ask(request, nodes, phase)) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (pieces[i].to == run.members().node_of(member) && next < reply.sums.size()) sums[i] = reply.sums[next++];
  }
  return sums;
}

void Copies::drop(FormedRun& run) noexcept try {
  if (last_number_ == 0) return;
  run.rounds().ask(DropCopies{}, run.members().nodes(), Phase{"stop", -1, Deadline(kDropTimeout)});
} catch (const std::exception&) {
  return;  // nodes that keep copies free them after a while
}

}  // namespace troupe
