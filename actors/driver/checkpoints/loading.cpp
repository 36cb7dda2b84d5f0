#include "actors/driver/checkpoints/loading.hpp"

#include <span>
#include <utility>

#include "actors/driver/algorithm_change.hpp"
#include "actors/driver/checkpoints/resumption.hpp"
#include "actors/driver/checkpoints/run_manifest.hpp"
#include "models/files/checkpoint/folder.hpp"
#include "models/files/checkpoint/reader.hpp"
#include "models/files/checkpoint/series.hpp"
#include "models/files/network_text.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"
#include "runtime/redaction.hpp"

namespace troupe {
namespace {

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

/// Writes all vectors of a checkpoint into the buffer `buffer` of the state.
/// @param saved the names of the vectors that follow the weights
void place(Run& run, const CheckpointReader& reader, const std::vector<std::string>& saved, int buffer) {
  const auto& tensors = run.model().tensors;
  Transfers::Writing writing(run.formed->transfers(), total_size(tensors), run.model().traits.size);
  for (int vector = 0; vector <= std::ssize(saved); ++vector) {
    const auto fill = [&](std::span<float> floats) {
      if (vector == 0) return reader.read_weights(tensors, floats);
      reader.read_state(saved[static_cast<std::size_t>(vector - 1)], tensors, floats);
    };
    writing.write(fill, kWeightsVector + vector, buffer, run.saving("load_state"));
  }
}

/// The algorithm of the run that wrote a checkpoint.
enum class WrittenWith : unsigned char {
  present_algorithm,
  awaited_algorithm,  ///< the checkpoint was written after the warm start, in which this run still is
  warm_start,         ///< the checkpoint was written during the warm start, which this run has completed
};

WrittenWith written_with(const Run& run, const CheckpointManifest& manifest) {
  const AlgorithmInUse& algorithm = run.algorithm;
  const std::int64_t epoch = run.preparation.steps_per_epoch();
  if (algorithm.warm_start_is_over(manifest.step) &&
      manifest.state == algorithm.state_of(*algorithm.awaited(), epoch).saved)
    return WrittenWith::awaited_algorithm;
  return algorithm.is_of_warm_start(manifest.step, manifest.state, epoch) ? WrittenWith::warm_start
                                                                          : WrittenWith::present_algorithm;
}

/// Makes the algorithm with which the checkpoint was written the run's algorithm. Returns the change; none if it is the
/// present algorithm.
std::optional<AlgorithmChange> change_algorithm(Run& run, WrittenWith written) {
  std::optional<AlgorithmChange> change;
  if (written == WrittenWith::awaited_algorithm) change.emplace(run, run.algorithm.take_awaited());
  if (written == WrittenWith::warm_start) {
    change.emplace(run, make_runner({}));
    await_warm_start(run, make_runner(run.options));
  }
  return change;
}

}  // namespace

CheckpointManifest manifest_of(const Run& run, const Version& version, const std::vector<std::string>& saved) {
  return manifest_of(run.options, run.model(), run.preparation.creator().name(), version,
                     run.set_rates.at(version.step), saved);
}

std::optional<double> load_checkpoint(Run& run, const std::string& path) {
  const CheckpointReader reader(path);
  const CheckpointManifest& manifest = reader.manifest();
  const WrittenWith written = written_with(run, manifest);
  const auto there = written == WrittenWith::present_algorithm ? run.preparation.state().saved : manifest.state;
  check_same_run(path, manifest, manifest_of(run, {}, there), run.options.checkpoint.reshard);
  check_same_inputs(path, reader.network(), run.model().network);
  check_same_answers(path, reader.network(), run.model().network);
  auto change = change_algorithm(run, written);
  int buffer = 0;
  try {
    run.settle_members(Needs::spare_buffer);
    buffer = *run.versions.spare();
    place(run, reader, run.preparation.state().saved, buffer);
  } catch (...) {
    auto failed = change ? change->undo() : nullptr;
    if (written == WrittenWith::awaited_algorithm) await_warm_start(run, std::move(failed));
    // Vectors of L-BFGS have only one buffer, so they may already contain values of the checkpoint. Therefore keep only
    // the weights, and start a new history of pairs.
    if (run.preparation.state().shape.singles > 0) {
      run.versions.commit(run.versions.buffer(), {run.versions.committed().step, 0});
      run.algorithm->forget();
    }
    throw;
  }
  run.versions.commit(buffer, {manifest.step, manifest.updates});
  run.algorithm->forget();
  warn_of_other_bits(path, manifest, run.model().traits);
  return manifest.learning_rate;
}

void resume(Run& run) {
  const CheckpointOptions& options = run.options.checkpoint;
  run.lineage.begin("");
  if (!options.resume) return;
  const CheckpointSeries series(options.folder);
  std::vector<std::string> saved;
  for (const SavedStep& each : series.list()) saved.push_back(each.path);
  std::optional<double> rate;
  const auto path =
      load_first_good(run.options, saved, [&](const std::string& from) { rate = load_checkpoint(run, from); });
  if (!path && !saved.empty()) throw_none(series.folder(), saved.size());
  if (!path) return;
  run.set_rates.begin(run.versions.committed().step, rate);
  if (rate) tell_set_rate(*path, *rate);
  tell_other_config(*path, run.options.config);
  run.lineage.begin(*path);
}

}  // namespace troupe
