#include <algorithm>
#include <new>

#include "actors/driver/checkpoints/resumption.hpp"
#include "actors/driver/driver.hpp"
#include "actors/driver/option_checks.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/limits.hpp"

// Recovery of a run in a cluster after the loss of a node. A part of the optimizer's state is lost with the node.
// Therefore the driver ends the run and forms it again from the nodes that then join. It restores the newest copy of
// the state in the memory of nodes, or loads the newest valid checkpoint, and repeats the steps since then. For the
// nodes, this is a new run. The weights are complete on every node, so they can be read without the lost nodes.
namespace troupe {
namespace {

/// Returns one worker of each node that is not lost: the first worker of the node that is not lost.
std::vector<int> survivors(const Members& members) {
  std::vector<int> workers;
  for (const int worker : members.workers()) {
    const int node = members.node_of(worker);
    const bool first = workers.empty() || members.node_of(workers.back()) != node;
    if (first && !members.lost(worker) && !members.lost(members.member_of_node(node))) workers.push_back(worker);
  }
  return workers;
}

/// Returns `names` as a list after the text `before`; an empty text if there are no names.
std::string joined_text(const std::vector<std::string>& names, const char* before) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? before : ", ") + name;
  return text;
}

}  // namespace

bool Driver::can_form_again() const {
  if (rules().replaces_workers()) return false;
  const int edits = lineage_.edits();
  // Before the first copy, a run without checkpoints can begin again. Later this would repeat too many steps.
  return copies_.has(edits) || (lineage_.known() && (checkpoints_ || (can_be_copied() && !copies_.ever_had(edits))));
}

bool Driver::members_lost(const Error& error) const {
  return error.code() == ErrorCode::worker_lost || error.code() == ErrorCode::timeout || node_lost();
}

bool Driver::node_lost() const {
  if (!run_) return false;
  const Members& members = run_->members();
  const std::vector<int> nodes = members.nodes();
  return std::ranges::any_of(nodes, [&](int node) { return members.lost(node); });
}

void Driver::expect_survivors(const Error& loss) {
  lost_at_ = steps_done();
  loss_ = loss;
  if (!run_) return;
  expected_nodes_ = nodes_after_loss(run_->host(), run_->members(), options_.cluster.num_nodes);
}

void Driver::form_again() {
  end_lost_run();
  restored_ = false;
  try {
    algorithm_.begin_warm_start();
    form();
    settle_members(Needs::members);
    if (restored_)
      renew_copy();
    else
      go_back();
    const std::int64_t from = versions_.committed().step;
    for (std::int64_t before = -1; versions_.committed().step < *lost_at_ && versions_.committed().step > before;) {
      before = versions_.committed().step;
      end_warm_start();
      settle(Needs::step);
      take_step(/*rehearse=*/false);
    }
    if (!losses_.repairs().empty()) losses_.repairs().back().replayed = *lost_at_ - from;
    // If the next loss comes soon, the same steps are not repeated again.
    if (versions_.committed().step > from && can_be_copied()) {
      settle(Needs::members);
      make_copy();
    }
  } catch (const std::bad_alloc&) {
    give_up_run();
    throw no_memory("the run cannot be formed again");
  } catch (const Error& error) {
    const bool again = node_lost();
    give_up_run();
    const std::string why = loss_ && !again ? "; the run is formed again because of a loss: " + loss_->message() : "";
    throw Error(again ? ErrorCode::worker_lost : error.code(), error.message() + why, error.where());
  } catch (...) {
    give_up_run();
    throw;
  }
  lost_at_.reset();
  kept_weights_ = {};
  note_nodes();
}

void Driver::note_nodes() {
  const int nodes = run_->members().num_nodes();
  const NodesChange change =
      node_changes_.note_formed(names_of_nodes(run_->host(), run_->members()), steps_done(), Clock::now());
  run_->host().note_changes(node_changes_.history());
  if (change.empty()) return;
  log_line(LogLevel::info, "the run continues with " + std::to_string(nodes) + (nodes == 1 ? " node" : " nodes") +
                               " after step " + std::to_string(change.step) + joined_text(change.joined, "; joined: ") +
                               joined_text(change.left, "; left: "));
  std::ranges::copy(change.joined, std::back_inserter(nodes_report_.joined));
  std::ranges::copy(change.left, std::back_inserter(nodes_report_.left));
}

void Driver::renew_copy() {
  if (copies_.whole()) return;
  settle(Needs::members);
  make_copy(/*again=*/true);
}

std::optional<Version> Driver::restore_copy(int buffer, const Phase& phase) try {
  Version version = copies_.restore(*run_, buffer, phase);
  restored_ = true;
  if (algorithm_->has_servers()) {  // pushes cannot be repeated, so the run continues without them
    version.step = *lost_at_;
    lost_pushes_ += algorithm_->pushes() - std::exchange(copied_pushes_, algorithm_->pushes());
  }
  return version;
} catch (const Error& error) {
  // If a node or a connection was lost, the copy may still be restored in another attempt.
  if (node_lost() || error.code() == ErrorCode::timeout || !error.where().node.empty()) throw;
  copies_.give_up();
  copy_loss_ = error;
  log_line(LogLevel::warning, std::string("the run cannot continue from a copy of the state: ") + error.what(),
           error.where());
  return std::nullopt;
}

void Driver::end_lost_run() noexcept {
  if (!run_) return;
  try {  // keep the weights, so that they can be read even if too few nodes join
    const HeldFloats weights = fetch_of_nodes(
        kWeightsVector, [this] { return versions_.buffer(); }, "weights");
    kept_weights_.assign(weights.floats.begin(), weights.floats.end());
  } catch (const std::exception&) {
    kept_weights_ = {};
  }
  if (checkpoints_) checkpoints_->abandon();
  give_up_run();
}

void Driver::give_up_run() noexcept {
  end_run();
  algorithm_->forget();
  versions_.forget();
}

void Driver::go_back() {
  std::vector<std::string> sources = lineage_.sources();
  const bool may_begin_anew = checkpoints_ || !copies_.ever_had(lineage_.edits());
  if (!may_begin_anew) std::erase(sources, "");
  const bool began_anew = !sources.empty() && sources.back().empty();  // the initial weights are already in place
  if (began_anew) sources.pop_back();
  // Ignore the learning rate that `load` returns: the rates of this run are kept, because they may have been set after
  // the checkpoint.
  if (load_first_good(options_, sources, [&](const std::string& path) { load(path); }) || began_anew) return;
  if (copy_loss_) throw Error(*copy_loss_);
  throw Error(ErrorCode::bad_file, "there is no valid checkpoint from which the run can continue without the lost node",
              {.object = options_.checkpoint.folder});
}

HeldFloats Driver::fetch_weights_of_nodes() {
  const auto buffer = [this] { return versions_.buffer(); };
  if (run_) try {
      return fetch_of_nodes(kWeightsVector, buffer, "weights");
    } catch (const Error& error) {
      if (!can_form_again() || !members_lost(error)) throw;
    }
  if (!kept_weights_.empty()) return {kept_weights_, nullptr};
  make_ready(Needs::members);
  return fetch_of_nodes(kWeightsVector, buffer, "weights");
}

HeldFloats Driver::fetch_of_nodes(int vector, const std::function<int()>& buffer, const char* name) {
  const bool whole = !lost_at_ && !node_lost() && run_->members().lost_workers().empty();
  if (whole || vector != kWeightsVector) try {
      settle(Needs::members);
      return run_->transfers().fetch({vector, 0, total_size(model().tensors)}, buffer(), saving(name));
    } catch (const Error& error) {
      if (vector != kWeightsVector || !members_lost(error)) throw;
    }
  if (buffer() == versions_.buffer() && algorithm_->has_servers() && !algorithm_->whole())
    throw Error(ErrorCode::worker_lost, "the lost node's slice of the weights is lost", {.phase = name});
  return rescue_weights(buffer(), name);
}

HeldFloats Driver::rescue_weights(int buffer, const char* name) {
  const std::vector<int> live = versions_.live();
  const int place = static_cast<int>(std::ranges::find(live, buffer) - live.begin());
  const Deadline deadline(options_.timeouts.save);
  const Members& members = run_->members();
  const PlanRequest plan = plan_request_of(options_, members.topology());
  const std::vector<int> workers = survivors(members);
  Error why(ErrorCode::worker_lost, "all nodes were lost, and the weights with them", {.phase = name});
  for (std::size_t i = 0; i < workers.size(); ++i) try {
      // Use only a part of the remaining time for this node. If this node hangs, enough time remains for the other
      // nodes.
      const auto share = deadline.left() / static_cast<std::int64_t>(workers.size() - i);
      const Phase at{name, versions_.committed().step + 1, Deadline(share)};
      const std::vector<int> unbuilt = members.unbuilt_workers();
      if (std::ranges::count(unbuilt, workers[i]) > 0) preparation_.build(*run_, {workers[i]}, at);
      run_->generation().begin_alone(workers[i], plan, run_->rounds(), run_->home(), versions_, at);
      HeldFloats weights = run_->transfers().fetch_weights(workers[i], place, total_size(model().tensors), at);
      run_->rounds().unsettle();  // the other nodes do not take part in this generation
      return weights;
    } catch (const Error& error) {
      run_->rounds().unsettle();
      why = error;
    }
  throw Error(why);
}

}  // namespace troupe
