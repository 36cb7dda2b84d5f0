#include <cmath>

#include "actors/driver/driver.hpp"
#include "actors/driver/option_checks.hpp"
#include "actors/messages/options_json.hpp"
#include "models/files/checkpoint/reader.hpp"
#include "models/files/checkpoint/writer.hpp"
#include "models/files/network_text.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"

// Checkpoints: every vector of one version of the state, in canonical order, and where the run stood.
namespace troupe {
namespace {

/// For as long as it is written out.
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

CheckpointManifest manifest_of(const Driver& driver, const Version& version, const std::string& model,
                               const std::vector<std::string>& state) {
  const Options& options = driver.options();
  const ModelDescription& described = driver.model();
  CheckpointManifest manifest;
  manifest.step = version.step;
  manifest.updates = version.updates;
  manifest.num_shards = options.num_shards;
  manifest.seed = options.seed;
  manifest.model = model;
  manifest.config = options.config;
  manifest.statistics = described.traits.learned_size < described.traits.size;
  manifest.precision = static_cast<Precision>(described.traits.precision);
  manifest.bf16_given_up = options.compute.precision == Precision::bf16 && manifest.precision == Precision::f32;
  if (described.traits.fingerprint != ModelInfo().fingerprint) manifest.computed_by = described.traits.fingerprint;
  manifest.optimizer = to_json(settings_of(options));
  manifest.learning_rate = driver.rate_set_at(version.step);
  manifest.state = state;
  manifest.samples = described.traits.num_samples;
  return manifest;
}

[[noreturn]] void differs(const std::string& path, const std::string& theirs, const std::string& ours) {
  throw Error(ErrorCode::model_mismatch, "the checkpoint is of a run with " + theirs + ", and this one has " + ours,
              {.object = path});
}

std::string text_of(const std::vector<std::string>& state) {
  std::string text = state.empty() ? "an optimizer without state" : "optimizer state";
  for (const std::string& name : state) text += (&name == state.data() ? " " : ", ") + name;
  return text;
}

bool has_state_of_shards(const CheckpointManifest& manifest) {
  return std::ranges::any_of(manifest.state, [](const std::string& name) { return name.ends_with(" of shard 0"); });
}

/// What changes a run's meaning without a word: rates may differ, and so may everything that the bits do not depend on.
void check_same_run(const std::string& path, const CheckpointManifest& theirs, const CheckpointManifest& ours,
                    bool reshard) {
  const auto count = [](std::int64_t number, const char* what) { return std::to_string(number) + what; };
  if (theirs.num_shards != ours.num_shards && has_state_of_shards(theirs))
    differs(path, count(theirs.num_shards, " shards"),
            std::to_string(ours.num_shards) + ", to which the state of each shard's own optimizer cannot be dealt out" +
                " (num_shards)");
  if (theirs.num_shards != ours.num_shards && !reshard)
    differs(path, count(theirs.num_shards, " shards"),
            std::to_string(ours.num_shards) + " (num_shards " + std::to_string(theirs.num_shards) +
                ": go on with the same bits; CheckpointOptions::reshard: with others)");
  if (theirs.seed != ours.seed) differs(path, "seed " + std::to_string(theirs.seed), std::to_string(ours.seed));
  if (theirs.samples != ours.samples)
    differs(path, count(theirs.samples, " training samples"), std::to_string(ours.samples));
  if (theirs.state != ours.state) differs(path, text_of(theirs.state), text_of(ours.state));
  const std::string kind = optimizer_kind(theirs.optimizer);  // rules may have the same state, as adam and adamw
  const std::string our_kind = optimizer_kind(ours.optimizer);
  if (kind != our_kind) differs(path, "optimizer " + printable(kind), our_kind);
}

/// Warns if the results will not be bitwise identical to those of the checkpoint's run. Another precision, another
/// library or another processor is no error: the user may want it.
void warn_of_other_bits(const std::string& path, const CheckpointManifest& theirs, const ReplicaTraits& ours) {
  std::string how;
  if (const auto precision = static_cast<Precision>(ours.precision); theirs.precision != precision)
    how = std::string(" computed in ") + to_string(theirs.precision) + ", and this one does in " + to_string(precision);
  else if (!theirs.computed_by.empty() && theirs.computed_by != ours.fingerprint)
    how = " computed by " + theirs.computed_by + ", and this one does by " + ours.fingerprint;
  if (how.empty()) return;
  log_line(
      LogLevel::warning,
      printable("the run of the checkpoint " + path + how + ": from here on the results are not bitwise identical"),
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
    // Nodes would gather the vector anew for each part.
    return driver_.model_->traits.converts_parts && driver_.options_.placement != Placement::cluster;
  }
  bool finds_full_disk(std::int64_t step) override { return driver_.faults_.full_disk(step); }
  CheckpointManifest manifest(Versions::PinId pin) const override {
    return manifest_of(driver_, driver_.versions_.version_of(pin), driver_.creator_.name(), driver_.state().saved);
  }
  bool stays() const override { return driver_.generation_->layout().singles == 0; }
  const std::vector<TensorInfo>& tensors() const override { return driver_.model_->tensors; }
  std::string network() const override { return driver_.model_->network; }
  bool is_final(const Error& error) const override {
    // Of this machine's workers `fetch_pinned` replaces those that the budget allows. Whoever makes a checkpoint among
    // nodes forms the run again.
    return error.code() == ErrorCode::worker_lost && driver_.options_.placement != Placement::cluster;
  }
  void note_written(const std::string& path, std::int64_t step) override {
    driver_.written_.push_back({step, path, step});
    if (edits_ == driver_.lineage_.edits()) driver_.lineage_.save(path);
  }

 private:
  Driver& driver_;
  int edits_ = 0;  ///< before the last pin
};

void Driver::prepare_checkpoints() {
  if (options_.checkpoint.folder.empty()) return;
  checkpoints_ = std::make_unique<Checkpoints>(options_, std::make_unique<Source>(*this));
}

std::string Driver::checkpoint(std::optional<double> metric) {
  if (!checkpoints_) throw_invalid("there is no folder for checkpoints: Options::checkpoint.folder names it");
  if (metric && options_.checkpoint.keep_best == KeepBest::none)
    throw_invalid("a checkpoint's metric says nothing where no best one is kept: Options::checkpoint.keep_best");
  if (metric && !std::isfinite(*metric)) throw_invalid("a checkpoint's metric is not finite");
  make_ready(Needs::members);
  if (options_.placement != Placement::cluster) return checkpoints_->make(metric);  // which replaces workers by itself
  std::string path;
  make_ready(Needs::members, [&] { path = checkpoints_->make(metric); });
  return path;
}

void Driver::save_state(const std::string& path) {
  if (can_form_again()) return make_ready(Needs::members, [&] { write_state(path); });
  // Weights can be had without the nodes that are lost.
  if (!state().saved.empty()) make_ready(Needs::members);
  write_state(path);
}

void Driver::write_state(const std::string& path) {
  const Pinned pinned(*this);
  const std::vector<std::string> saved = state().saved;
  const Version version = versions_.version_of(pinned.id());
  CheckpointWriter writer(path, manifest_of(*this, version, creator_.name(), saved), model_->tensors, model_->network);
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
  const auto& tensors = model_->tensors;
  Transfers::Writing writing(*transfers_, total_size(tensors), model_->traits.size);
  for (int vector = 0; vector <= std::ssize(saved); ++vector) {
    const auto fill = [&](std::span<float> floats) {
      if (vector == 0) return reader.read_weights(tensors, floats);
      reader.read_state(saved[static_cast<std::size_t>(vector - 1)], tensors, floats);
    };
    writing.write(fill, kWeightsVector + vector, buffer, saving("load_state"));
  }
}

/// Whether it is of steps that this run has behind it, which were made synchronously.
bool Driver::is_of_warm_start(const CheckpointManifest& manifest) {
  const AlgorithmTraits traits = traits_of(options_.algorithm);
  if (after_warm_start_ || traits.warm_start == 0 || traits.has_servers) return false;
  const std::int64_t left = traits.warm_start - manifest.step;
  if (left < 0 || manifest.state != state_of(*make_runner({})).saved) return false;
  return left > 0 || manifest.state != state().saved;
}

void Driver::await_warm_start(std::unique_ptr<AlgorithmRunner> next) {
  after_warm_start_ = std::move(next);
  if (built_for() != built_for_) runtime_->members.rebuild();
}

std::optional<double> Driver::load(const std::string& path) {
  const CheckpointReader reader(path);
  const CheckpointManifest& manifest = reader.manifest();
  const bool behind = after_warm_start_ && manifest.step >= traits_of(options_.algorithm).warm_start &&
                      manifest.state == state_of(*after_warm_start_).saved;
  const bool before = is_of_warm_start(manifest);
  const auto there = behind   ? state_of(*after_warm_start_).saved
                     : before ? state_of(*make_runner({})).saved
                              : state().saved;
  check_same_run(path, manifest, manifest_of(*this, {}, creator_.name(), there), options_.checkpoint.reshard);
  check_same_inputs(path, reader.network(), model_->network);
  check_same_answers(path, reader.network(), model_->network);
  const StateShape shape = generation_->layout();
  const Version version = versions_.committed();
  std::unique_ptr<AlgorithmRunner> left;
  if (behind) left = begin_algorithm(std::move(after_warm_start_));
  if (before) left = begin_algorithm(make_runner({}));
  if (before) await_warm_start(make_runner(options_));
  int buffer = 0;
  try {
    settle_members(Needs::spare_buffer);
    buffer = *versions_.spare();
    place(reader, state().saved, buffer);
  } catch (...) {
    auto failed = left ? go_back_to(std::move(left), shape, version) : nullptr;
    if (behind) await_warm_start(std::move(failed));
    // What has one buffer may be another run's by now: the weights stay, and a history begins anew.
    if (state().shape.singles > 0) {
      versions_.commit(versions_.buffer(), {versions_.committed().step, 0});
      algorithm_->forget();
    }
    throw;
  }
  versions_.commit(buffer, {manifest.step, manifest.updates});
  algorithm_->forget();
  warn_of_other_bits(path, manifest, model_->traits);
  return manifest.learning_rate;
}

}  // namespace troupe
