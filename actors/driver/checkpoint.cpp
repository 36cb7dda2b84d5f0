#include <cmath>

#include "actors/driver/checkpoints/resumption.hpp"
#include "actors/driver/checkpoints/run_manifest.hpp"
#include "actors/driver/driver.hpp"
#include "actors/driver/option_checks.hpp"
#include "models/files/checkpoint/folder.hpp"
#include "models/files/checkpoint/reader.hpp"
#include "models/files/checkpoint/series.hpp"
#include "models/files/checkpoint/writer.hpp"
#include "models/files/network_text.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"
#include "runtime/redaction.hpp"

// The functions of Driver that write and load checkpoints. A checkpoint contains all vectors of one version of the
// state, in canonical order, and a manifest with the number of steps.
namespace troupe {
namespace {

/// Pins the committed version as long as this object exists.
class Pinned {
 public:
  explicit Pinned(Driver& driver) : driver_(driver), pin_(driver.pin()) {}
  ~Pinned() { driver_.unpin(pin_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  Versions::PinId id() const { return pin_; }

 private:
  Driver& driver_;
  Versions::PinId pin_;
};

[[noreturn]] void throw_none(const std::string& folder, std::size_t damaged) {
  throw Error(ErrorCode::bad_file,
              "all checkpoints in this folder are damaged (" + std::to_string(damaged) +
                  " tried); use another folder to start a new run",
              {.object = folder});
}

/// Logs a warning if the run that wrote the checkpoint at `path` had another configuration than `ours`. A difference is
/// not an error, because not every part of a configuration affects the results.
void tell_other_config(const std::string& path, const std::string& config) {
  const std::string ours = without_secrets(config);
  const std::string theirs = read_manifest(find_checkpoint(path)).config;
  if (theirs == ours) return;
  log_line(LogLevel::warning,
           printable("the checkpoint " + path + " was written by a run with configuration '" + theirs +
                     "'; this run has '" + ours + "', so the results may not be bitwise identical"),
           {.object = path});
}

/// Logs that the run continues with `rate`, a learning rate that the user had set before the checkpoint. It is logged
/// because the options do not contain this rate.
void tell_set_rate(const std::string& path, double rate) {
  log_line(LogLevel::info,
           printable("the run continues with learning rate " + short_text(rate, 6) +
                     ", which was set by hand before the checkpoint " + path),
           {.object = path});
}

}  // namespace

class Driver::Source : public CheckpointSource {
 public:
  explicit Source(Driver& driver) : driver_(driver) {}

  Versions::PinId pin() override {
    edits_ = driver_.lineage_.edits();
    return driver_.pin();
  }
  void unpin(Versions::PinId pin) override { driver_.unpin(pin); }
  HeldFloats fetch(Versions::PinId pin, const VectorPart& part) override {
    return driver_.fetch_pinned(pin, part, "checkpoint");
  }
  bool gives_parts() const override {
    // If each node holds only its slices, the whole vector would have to be gathered again for each part.
    return driver_.model().traits.converts_parts && !driver_.run_->home().in_parts();
  }
  bool finds_full_disk(std::int64_t step) override { return driver_.faults_.full_disk(step); }
  CheckpointManifest manifest(Versions::PinId pin) const override {
    return driver_.manifest_of_version(driver_.versions_.version_of(pin), driver_.preparation_.state().saved);
  }
  bool stays() const override { return driver_.run_->generation().layout().singles == 0; }
  const std::vector<TensorInfo>& tensors() const override { return driver_.model().tensors; }
  std::string network() const override { return driver_.model().network; }
  bool is_final(const Error& error) const override {
    // On one machine, `fetch_pinned` replaces lost workers as long as the failure budget allows it, so a loss that is
    // reported here is final. In a cluster, the next call forms the run again.
    return error.code() == ErrorCode::worker_lost && driver_.rules().replaces_workers();
  }
  void note_written(const std::string& path, std::int64_t step) override {
    driver_.written_.push_back({step, path, step});
    if (edits_ == driver_.lineage_.edits()) driver_.lineage_.save(path, step);
  }

 private:
  Driver& driver_;
  int edits_ = 0;  ///< the number of edits of the lineage when the last version was pinned
};

CheckpointManifest Driver::manifest_of_version(const Version& version, const std::vector<std::string>& state) const {
  return manifest_of(options_, model(), preparation_.creator().name(), version, set_rates_.at(version.step), state);
}

void Driver::prepare_checkpoints() {
  if (options_.checkpoint.folder.empty()) return;
  checkpoints_ = std::make_unique<Checkpoints>(options_, std::make_unique<Source>(*this));
}

std::string Driver::checkpoint(std::optional<double> metric) {
  if (!checkpoints_) throw_invalid("there is no folder for checkpoints: set Options::checkpoint.folder");
  if (metric && options_.checkpoint.keep_best == KeepBest::none)
    throw_invalid("a checkpoint's metric requires Options::checkpoint.keep_best");
  if (metric && !std::isfinite(*metric)) throw_invalid("a checkpoint's metric is not finite");
  make_ready(Needs::members);
  if (rules().replaces_workers()) return checkpoints_->make(metric);  // `make` itself replaces lost workers
  std::string path;
  make_ready(Needs::members, [&] { path = checkpoints_->make(metric); });
  return path;
}

void Driver::save_state(const std::string& path) {
  if (can_form_again()) return make_ready(Needs::members, [&] { write_state(path); });
  // If the state consists only of the weights, the members need not be ready, because the weights can be fetched
  // without the lost nodes.
  if (!preparation_.state().saved.empty()) make_ready(Needs::members);
  write_state(path);
}

void Driver::write_state(const std::string& path) {
  const Pinned pinned(*this);
  const std::vector<std::string> saved = preparation_.state().saved;
  const Version version = versions_.version_of(pinned.id());
  CheckpointWriter writer(path, manifest_of_version(version, saved), model().tensors, model().network);
  for (int vector = 0; vector <= std::ssize(saved); ++vector)
    read_pinned(
        pinned.id(), vector, [&](std::span<const float> canonical) { writer.add(canonical); }, "save_state");
  writer.commit();
  written_.push_back({version.step, path, version.step});
}

void Driver::load_state(const std::string& path) {
  std::optional<double> rate;
  make_ready(Needs::spare_buffer, [&] { rate = load(path); });
  set_rates_.begin(versions_.committed().step, rate);
  lineage_.edit();
  if (checkpoints_) checkpoints_->branch(versions_.committed().step);
}

void Driver::place(const CheckpointReader& reader, const std::vector<std::string>& saved, int buffer) {
  const auto& tensors = model().tensors;
  Transfers::Writing writing(run_->transfers(), total_size(tensors), model().traits.size);
  for (int vector = 0; vector <= std::ssize(saved); ++vector) {
    const auto fill = [&](std::span<float> floats) {
      if (vector == 0) return reader.read_weights(tensors, floats);
      reader.read_state(saved[static_cast<std::size_t>(vector - 1)], tensors, floats);
    };
    writing.write(fill, kWeightsVector + vector, buffer, saving("load_state"));
  }
}

void Driver::await_warm_start(std::unique_ptr<AlgorithmRunner> next) {
  algorithm_.await(std::move(next));
  preparation_.follow_algorithm(run_->members());
}

std::optional<double> Driver::load(const std::string& path) {
  const CheckpointReader reader(path);
  const CheckpointManifest& manifest = reader.manifest();
  const std::int64_t epoch = preparation_.steps_per_epoch();
  const bool behind = algorithm_.warm_start_is_over(manifest.step) &&
                      manifest.state == algorithm_.state_of(*algorithm_.awaited(), epoch).saved;
  const bool before = algorithm_.is_of_warm_start(manifest.step, manifest.state, epoch);
  const auto there = behind || before ? manifest.state : preparation_.state().saved;
  check_same_run(path, manifest, manifest_of_version({}, there), options_.checkpoint.reshard);
  check_same_inputs(path, reader.network(), model().network);
  check_same_answers(path, reader.network(), model().network);
  const StateShape shape = run_->generation().layout();
  const Version version = versions_.committed();
  std::unique_ptr<AlgorithmRunner> left;
  if (behind) left = begin_algorithm(algorithm_.take_awaited());
  if (before) left = begin_algorithm(make_runner({}));
  if (before) await_warm_start(make_runner(options_));
  int buffer = 0;
  try {
    settle_members(Needs::spare_buffer);
    buffer = *versions_.spare();
    place(reader, preparation_.state().saved, buffer);
  } catch (...) {
    auto failed = left ? go_back_to(std::move(left), shape, version) : nullptr;
    if (behind) await_warm_start(std::move(failed));
    // Vectors of L-BFGS have only one buffer, so they may already contain values of the checkpoint. Therefore keep only
    // the weights, and start a new history of pairs.
    if (preparation_.state().shape.singles > 0) {
      versions_.commit(versions_.buffer(), {versions_.committed().step, 0});
      algorithm_->forget();
    }
    throw;
  }
  versions_.commit(buffer, {manifest.step, manifest.updates});
  algorithm_->forget();
  warn_of_other_bits(path, manifest, model().traits);
  return manifest.learning_rate;
}

void Driver::resume() {
  lineage_.begin("");
  if (!options_.checkpoint.resume) return;
  const CheckpointSeries series(options_.checkpoint.folder);
  std::vector<std::string> saved;
  for (const SavedStep& each : series.list()) saved.push_back(each.path);
  std::optional<double> rate;
  const auto path = load_first_good(options_, saved, [&](const std::string& from) { rate = load(from); });
  if (!path && !saved.empty()) throw_none(series.folder(), saved.size());
  if (!path) return;
  set_rates_.begin(versions_.committed().step, rate);
  if (rate) tell_set_rate(*path, *rate);
  tell_other_config(*path, options_.config);
  lineage_.begin(*path);
}

}  // namespace troupe
