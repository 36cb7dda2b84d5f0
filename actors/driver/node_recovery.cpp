#include "actors/driver/node_recovery.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <string>

#include "actors/driver/algorithm_change.hpp"
#include "actors/driver/checkpoints/loading.hpp"
#include "actors/driver/checkpoints/resumption.hpp"
#include "actors/driver/node_vectors.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {
namespace {

/// Returns `names` as a list after the text `before`; an empty text if there are no names.
std::string joined_text(const std::vector<std::string>& names, const char* before) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? before : ", ") + name;
  return text;
}

}  // namespace

NodeRecovery::NodeRecovery(Run& run, Copies& copies) : run_(run), copies_(copies) {
  run_.restore = [this](int buffer, const Phase& phase) -> std::optional<Version> {
    if (!copies_.are_wanted()) return std::nullopt;
    auto version = copies_.restore(buffer, phase);
    restored_ = version.has_value();
    return version;
  };
}

void NodeRecovery::form(int num_workers) {
  run_.form(num_workers);
  run_.formed->host().gather(expected_, copies_.needed(), Deadline(run_.options.timeouts.start));
}

void NodeRecovery::note_nodes() {
  const Members& members = run_.formed->members();
  Host& host = run_.formed->host();
  const int nodes = members.num_nodes();
  const NodesChange change = changes_.note_formed(names_of_nodes(host, members), run_.steps_done(), Clock::now());
  host.note_changes(changes_.history());
  if (change.empty()) return;
  log_line(LogLevel::info, "the run continues with " + std::to_string(nodes) + (nodes == 1 ? " node" : " nodes") +
                               " after step " + std::to_string(change.step) + joined_text(change.joined, "; joined: ") +
                               joined_text(change.left, "; left: "));
  std::ranges::copy(change.joined, std::back_inserter(report_.joined));
  std::ranges::copy(change.left, std::back_inserter(report_.left));
}

bool NodeRecovery::can_form_again() const {
  if (run_.rules().replaces_workers()) return false;
  // Before the first copy, a run without checkpoints can begin again. Later this would repeat too many steps.
  const bool may_begin_again = run_.saves_checkpoints() || (copies_.are_made() && !copies_.ever_existed());
  return copies_.exist() || (run_.lineage.known() && may_begin_again);
}

void NodeRecovery::expect_survivors(const Error& loss) {
  run_.lost_at = run_.steps_done();
  why_ = loss;
  if (!run_.formed) return;
  expected_ = nodes_after_loss(run_.formed->host(), run_.formed->members(), run_.options.cluster.num_nodes);
}

std::optional<int> NodeRecovery::changed_nodes() {
  if (run_.lost_at || !run_.formed || run_.node_lost()) return std::nullopt;
  const Host& host = run_.formed->host();
  return changes_.due(host.newcomers(), static_cast<int>(host.leavers().size()), run_.formed->members().num_nodes(),
                      run_.options.cluster.num_nodes, Clock::now());
}

void NodeRecovery::expect(int nodes) {
  expected_ = nodes;
  why_.reset();
  run_.lost_at = run_.steps_done();
}

std::int64_t NodeRecovery::form_again() {
  end_lost_run();
  std::int64_t repeated = 0;
  try {
    repeated = start_again();
  } catch (const std::bad_alloc&) {
    run_.give_up();
    throw no_memory("the run cannot be formed again");
  } catch (const Error& error) {
    const bool again = run_.node_lost();
    run_.give_up();
    const std::string why = why_ && !again ? "; the run is formed again because of a loss: " + why_->message() : "";
    throw Error(again ? ErrorCode::worker_lost : error.code(), error.message() + why, error.where());
  } catch (...) {
    run_.give_up();
    throw;
  }
  run_.lost_at.reset();
  kept_weights_ = {};
  note_nodes();
  return repeated;
}

void NodeRecovery::end_lost_run() noexcept {
  if (!run_.formed) return;
  try {  // keep the weights, so that they can be read even if too few nodes join
    const auto buffer = [this] { return run_.versions.buffer(); };
    const HeldFloats weights = fetch_of_nodes(run_, kWeightsVector, buffer, "weights");
    kept_weights_.assign(weights.floats.begin(), weights.floats.end());
  } catch (const std::exception&) {
    kept_weights_ = {};
  }
  run_.abandon_checkpoint();
  run_.give_up();
}

std::int64_t NodeRecovery::start_again() {
  restored_ = false;
  run_.algorithm.begin_warm_start();
  form(run_.options.num_workers.max);
  run_.settle_members(Needs::members);
  if (!restored_) {
    go_back();
  } else if (!copies_.whole()) {
    run_.settle(Needs::members);
    copies_.make_now(/*again=*/true);
  }
  const std::int64_t from = run_.versions.committed().step;
  repeat_steps();
  // If the next loss comes soon, the same steps are not repeated again.
  if (run_.versions.committed().step > from && copies_.are_made()) {
    run_.settle(Needs::members);
    copies_.make_now();
  }
  return *run_.lost_at - from;
}

void NodeRecovery::go_back() {
  std::vector<std::string> sources = run_.lineage.sources();
  const bool may_begin_anew = run_.saves_checkpoints() || !copies_.ever_existed();
  if (!may_begin_anew) std::erase(sources, "");
  const bool began_anew = !sources.empty() && sources.back().empty();  // the initial weights are already in place
  if (began_anew) sources.pop_back();
  // Ignore the learning rate that `load_checkpoint` returns: the rates of this run are kept, because they may have been
  // set after the checkpoint.
  const auto load = [this](const std::string& path) { load_checkpoint(run_, path); };
  if (load_first_good(run_.options, sources, load) || began_anew) return;
  if (const auto& loss = copies_.loss()) throw Error(*loss);
  throw Error(ErrorCode::bad_file, "there is no valid checkpoint from which the run can continue without the lost node",
              {.object = run_.options.checkpoint.folder});
}

void NodeRecovery::repeat_steps() {
  const auto done = [this] { return run_.versions.committed().step; };
  for (std::int64_t before = -1; done() < *run_.lost_at && done() > before;) {
    before = done();
    end_warm_start(run_, copies_);
    run_.settle(Needs::step);
    run_.take_step(/*rehearse=*/false);
  }
  end_warm_start(run_, copies_);  // the next step may be the first one after the warm start
}

}  // namespace troupe
