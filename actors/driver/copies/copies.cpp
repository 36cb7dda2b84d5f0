#include "actors/driver/copies/copies.hpp"

#include <algorithm>
#include <utility>

#include "actors/node/floats.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/random.hpp"

namespace troupe {
namespace {

constexpr std::chrono::seconds kDropTimeout{1};

}  // namespace

Copies::Copies(Run& run) : run_(run), pace_(run.options.fault_tolerance.copy_every), run_name_(drawn_name()) {}

bool Copies::are_made() const {
  if (run_.options.fault_tolerance.copy_every < 0 || run_.rules().replaces_workers()) return false;
  const StateShape shape = run_.preparation.state().shape;
  return shape.singles == 0 && shape.per_shard == 0;
}

CopyReport Copies::advance(std::int64_t steps, double seconds) noexcept {
  const Stopwatch watch;
  report_.bytes_sent = 0;
  pace_.note_steps(steps, run_.versions.committed().step, seconds);
  try {
    work();
  } catch (const std::exception& error) {
    fail(error);
  }
  report_.seconds = watch.seconds();
  return report_;
}

void Copies::check_edits() {
  if (record_ && !exist()) give_up();
}

void Copies::give_up() {
  record_.reset();
  current_.reset();
  report_.step = -1;
  report_.ring.clear();
  totals_.step = -1;
  pace_.hurry();
}

bool Copies::is_due(std::int64_t steps, double seconds) {
  report_.bytes_sent = 0;
  pace_.note_steps(steps, run_.versions.committed().step, seconds);
  check_edits();
  return pace_.may_begin();
}

CopyReport Copies::report(double seconds) const {
  CopyReport report = report_;
  report.seconds = seconds;
  return report;
}

Phase Copies::copying() const { return {"copy", run_.versions.committed().step, Deadline(run_.options.timeouts.save)}; }

bool Copies::make_now(bool again) noexcept try {
  const std::int64_t pushes = run_.algorithm->pushes();
  if (again || !exist() || record_->version != run_.versions.committed()) {
    const Phase phase = copying();
    begin(phase);
    send(current_->segments, phase);
    end(phase);
  }
  copied_pushes_ = pushes;
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

void Copies::work() {
  const Phase phase = copying();
  // If a generation has begun meanwhile, the windows into which nodes send no longer exist.
  const std::uint64_t generation = run_.formed->generation().layout().generation;
  if (current_ && (current_->generation != generation || current_->record.edits != run_.lineage.edits()))
    current_.reset();
  check_edits();
  if (!current_ && pace_.may_begin()) begin(phase);
  if (!current_) return;
  if (const std::size_t left = current_->segments - current_->sent; left > 0) send(pace_.segments(left), phase);
  if (current_->sent >= current_->segments) end(phase);
}

void Copies::begin(const Phase& phase) {
  const Stopwatch watch;
  FormedRun& formed = *run_.formed;
  pace_.begin();
  const SlabLayout& layout = formed.generation().layout();
  last_number_ = next_number(last_number_, record_ ? &*record_ : nullptr);
  const auto nodes = formed.members().nodes();
  const auto replies = formed.rounds().ask(BeginCopy{0, run_name_, last_number_, run_.versions.buffer()}, nodes, phase);
  Current next;
  next.generation = layout.generation;
  CopyRecord& record = next.record;
  record.number = last_number_;
  record.version = run_.versions.committed();
  record.size = layout.size;
  record.vectors = layout.vectors;
  record.weights_sum = replies.front().reply.sums.at(0);
  record.edits = run_.lineage.edits();
  report_.bytes = 0;
  for (const auto& [member, reply] : replies) {
    const int node = formed.members().node_of(member);
    const std::string name = formed.host().certificate_of(node);
    if (reply.sums.size() != static_cast<std::size_t>(layout.vectors))
      throw Error(ErrorCode::protocol, "the node reports checksums of another number of vectors", {.node = name});
    if (reply.sums[0] != record.weights_sum)
      throw Error(ErrorCode::protocol, "the node's weights differ from those of the first node", {.node = name});
    const Range slices = formed.generation().plan().slice_of_node(node);
    record.owners.push_back({name, slices, {reply.sums.begin() + 1, reply.sums.end()}});
    const std::size_t floats = nodes.size() > 1 ? slices.size() * static_cast<std::size_t>(layout.vectors - 1) : 0;
    next.segments = std::max(next.segments, (floats + kCopySegmentFloats - 1) / kCopySegmentFloats);
    report_.bytes = std::max(report_.bytes, static_cast<std::int64_t>(reply.bytes));
  }
  current_ = std::move(next);
  note_work(watch.seconds());
}

void Copies::send(std::size_t segments, const Phase& phase) {
  const Stopwatch watch;
  if (segments == 0) return;
  FormedRun& formed = *run_.formed;
  formed.rounds().ask(SendCopy{0, current_->record.number, static_cast<std::uint32_t>(current_->sent),
                               static_cast<std::uint32_t>(segments), phase.deadline.left().count()},
                      formed.members().nodes(), phase);
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

void Copies::end(const Phase& phase) {
  const Stopwatch watch;
  FormedRun& formed = *run_.formed;
  const auto replies = formed.rounds().ask(EndCopy{0, current_->record.number}, formed.members().nodes(), phase);
  const CopyRecord record = std::exchange(current_, std::nullopt)->record;
  for (const auto& [member, reply] : replies) {
    const int buddy = formed.members().node_of(member);
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
  loss_.reset();
  pace_.note_success();
  note_work(watch.seconds());
  totals_.step = record.version.step;
  totals_.completed = Clock::now();
  formed.host().note_copies(totals_);
}

bool Copies::are_wanted() const {
  return run_.lost_at && exist() && record_->version.step >= run_.lineage.newest_step();
}

std::optional<Version> Copies::restore(int buffer, const Phase& phase) try {
  restore_newest(buffer, phase);
  Version version = record_->version;
  if (run_.algorithm->has_servers()) {  // pushes cannot be repeated, so the run continues without them
    version.step = *run_.lost_at;
    const std::int64_t pushes = run_.algorithm->pushes();
    lost_pushes_ += pushes - std::exchange(copied_pushes_, pushes);
  }
  return version;
} catch (const Error& error) {
  // If a node or a connection was lost, the copy may still be restored in another attempt.
  if (run_.node_lost() || error.code() == ErrorCode::timeout || !error.where().node.empty()) throw;
  give_up();
  loss_ = error;
  log_line(LogLevel::warning, std::string("the run cannot continue from a copy of the state: ") + error.what(),
           error.where());
  return std::nullopt;
}

void Copies::restore_newest(int buffer, const Phase& phase) {
  current_.reset();
  const Phase at{"restore", record_->version.step, phase.deadline};
  std::vector<Returned> nodes = returned();
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
      const auto liar = find_false_copy(*record_, pieces, move(pieces, buffer, at));
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
  run_.formed->host().note_copies(totals_);
}

NeededCopies Copies::needed() const {
  if (!are_wanted()) return {};
  NeededCopies needed;
  needed.suffice = [this](const std::vector<JoinedNode>& nodes) {
    std::vector<Returned> returned;
    returned.reserve(nodes.size());
    for (const JoinedNode& node : nodes) returned.push_back({node.certificate, part_of(node.copies), {}});
    try {
      pieces_of(*record_, returned);
    } catch (const Error&) {
      return false;
    }
    return true;
  };
  needed.are_on = [this](const JoinedNode& node) {
    const auto part = part_of(node.copies);
    return part && record_->is_of(*part, node.certificate);
  };
  return needed;
}

std::optional<OfferedCopy> Copies::part_of(const std::vector<OfferedCopy>& offered) const {
  for (const OfferedCopy& copy : offered)
    if (copy.run == run_name_ && copy.number == record_->number) return copy;
  return std::nullopt;
}

std::vector<Returned> Copies::returned() const {
  const FormedRun& formed = *run_.formed;
  std::vector<Returned> nodes;
  nodes.reserve(static_cast<std::size_t>(formed.members().num_nodes()));
  for (int node = 0; node < formed.members().num_nodes(); ++node) {
    nodes.push_back({formed.host().certificate_of(node), part_of(formed.host().copies_of(node)),
                     formed.generation().plan().slice_of_node(node)});
  }
  return nodes;
}

std::vector<std::uint64_t> Copies::move(const std::vector<CopyPiece>& pieces, int buffer, const Phase& phase) const {
  FormedRun& formed = *run_.formed;
  if (pieces.size() > kMostPieces)
    throw Error(ErrorCode::unsupported, "a copy of the state has too many pieces for this number of nodes");
  const std::vector<int> nodes = formed.members().nodes();
  formed.rounds().ask(ExpectPieces{0, buffer, pieces}, nodes, phase);
  const MovePieces request{0, run_name_, record_->number, phase.deadline.left().count()};
  std::vector<std::uint64_t> sums(pieces.size());
  for (const auto& [member, reply] : formed.rounds().ask(request, nodes, phase)) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (pieces[i].to == formed.members().node_of(member) && next < reply.sums.size()) sums[i] = reply.sums[next++];
  }
  return sums;
}

void Copies::drop() noexcept try {
  if (last_number_ == 0) return;
  FormedRun& formed = *run_.formed;
  formed.rounds().ask(DropCopies{}, formed.members().nodes(), Phase{"stop", -1, Deadline(kDropTimeout)});
} catch (const std::exception&) {
  return;  // nodes that keep copies free them after a while
}

}  // namespace troupe
