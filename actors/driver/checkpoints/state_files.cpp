#include "actors/driver/checkpoints/state_files.hpp"

#include <cmath>
#include <span>

#include "actors/driver/checkpoints/loading.hpp"
#include "models/files/checkpoint/writer.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Pins the committed version as long as this object exists.
class Pinned {
 public:
  explicit Pinned(StateAccess& state) : state_(state), pin_(state.pin()) {}
  ~Pinned() { state_.unpin(pin_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  Versions::PinId id() const { return pin_; }

 private:
  StateAccess& state_;
  Versions::PinId pin_;
};

}  // namespace

class StateFiles::Source : public CheckpointSource {
 public:
  explicit Source(StateFiles& files) : files_(files), run_(files.run_) {}

  Versions::PinId pin() override {
    edits_ = run_.lineage.edits();
    return files_.state_.pin();
  }
  void unpin(Versions::PinId pin) override { files_.state_.unpin(pin); }
  HeldFloats fetch(Versions::PinId pin, const VectorPart& part) override {
    return files_.state_.fetch_pinned(pin, part, "checkpoint");
  }
  bool gives_parts() const override {
    // If each node holds only its slices, the whole vector would have to be gathered again for each part.
    return run_.model().traits.converts_parts && !run_.formed->home().in_parts();
  }
  bool finds_full_disk(std::int64_t step) override { return run_.faults.full_disk(step); }
  CheckpointManifest manifest(Versions::PinId pin) const override {
    return manifest_of(run_, run_.versions.version_of(pin), run_.preparation.state().saved);
  }
  bool stays() const override { return run_.formed->generation().layout().singles == 0; }
  const std::vector<TensorInfo>& tensors() const override { return run_.model().tensors; }
  std::string network() const override { return run_.model().network; }
  bool is_final(const Error& error) const override {
    // On one machine, `fetch_pinned` replaces lost workers as long as the failure budget allows it, so a loss that is
    // reported here is final. In a cluster, the next call forms the run again.
    return error.code() == ErrorCode::worker_lost && run_.rules().replaces_workers();
  }
  void note_written(const std::string& path, std::int64_t step) override {
    files_.written_.push_back({step, path, step});
    if (edits_ == run_.lineage.edits()) run_.lineage.save(path, step);
  }

 private:
  StateFiles& files_;
  Run& run_;
  int edits_ = 0;  ///< the number of edits of the lineage when the last version was pinned
};

StateFiles::StateFiles(Run& run, RunMembers& members, const NodeRecovery& nodes, StateAccess& state)
    : run_(run), members_(members), nodes_(nodes), state_(state) {
  if (!run.saves_checkpoints()) return;
  checkpoints_ = std::make_unique<Checkpoints>(run.options, std::make_unique<Source>(*this));
  run.finish_checkpoint = [this] { finish(); };
  run.abandon_checkpoint = [this] {
    if (checkpoints_) checkpoints_->abandon();
  };
}

std::string StateFiles::checkpoint(std::optional<double> metric) {
  if (!checkpoints_) throw_invalid("there is no folder for checkpoints: set Options::checkpoint.folder");
  if (metric && run_.options.checkpoint.keep_best == KeepBest::none)
    throw_invalid("a checkpoint's metric requires Options::checkpoint.keep_best");
  if (metric && !std::isfinite(*metric)) throw_invalid("a checkpoint's metric is not finite");
  members_.make_ready(Needs::members);
  if (run_.rules().replaces_workers()) return checkpoints_->make(metric);  // `make` itself replaces lost workers
  std::string path;
  members_.make_ready(Needs::members, [&] { path = checkpoints_->make(metric); });
  return path;
}

void StateFiles::save(const std::string& path) {
  if (nodes_.can_form_again()) return members_.make_ready(Needs::members, [&] { write(path); });
  // If the state consists only of the weights, the members need not be ready, because the weights can be fetched
  // without the lost nodes.
  if (!run_.preparation.state().saved.empty()) members_.make_ready(Needs::members);
  write(path);
}

void StateFiles::write(const std::string& path) {
  const Pinned pinned(state_);
  const std::vector<std::string> saved = run_.preparation.state().saved;
  const Version version = run_.versions.version_of(pinned.id());
  CheckpointWriter writer(path, manifest_of(run_, version, saved), run_.model().tensors, run_.model().network);
  for (int vector = 0; vector <= std::ssize(saved); ++vector)
    state_.read_pinned(
        pinned.id(), vector, [&](std::span<const float> canonical) { writer.add(canonical); }, "save_state");
  writer.commit();
  written_.push_back({version.step, path, version.step});
}

void StateFiles::load(const std::string& path) {
  std::optional<double> rate;
  members_.make_ready(Needs::spare_buffer, [&] { rate = load_checkpoint(run_, path); });
  const std::int64_t step = run_.versions.committed().step;
  run_.set_rates.begin(step, rate);
  run_.lineage.edit();
  if (checkpoints_) checkpoints_->branch(step);
}

CheckpointReport StateFiles::advance(std::int64_t before, std::int64_t step, double seconds) noexcept {
  return checkpoints_ && run_.formed ? checkpoints_->advance(before, step, seconds) : CheckpointReport();
}

void StateFiles::throw_final() {
  if (checkpoints_) checkpoints_->throw_final();
}

void StateFiles::finish() noexcept {
  if (checkpoints_) checkpoints_->finish();
}

}  // namespace troupe
