#include "actors/driver/checkpoints/run_manifest.hpp"

#include <algorithm>

#include "actors/messages/options_json.hpp"
#include "models/optimizers/settings.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"
#include "runtime/redaction.hpp"

namespace troupe {
namespace {

[[noreturn]] void differs(const std::string& path, const std::string& theirs, const std::string& ours) {
  throw Error(ErrorCode::model_mismatch,
              "the checkpoint was written by a run with " + theirs + "; this run has " + ours, {.object = path});
}

std::string text_of(const std::vector<std::string>& state) {
  std::string text = state.empty() ? "an optimizer without state" : "optimizer state";
  for (const std::string& name : state) text += (&name == state.data() ? " " : ", ") + name;
  return text;
}

bool has_state_of_shards(const CheckpointManifest& manifest) {
  return std::ranges::any_of(manifest.state, [](const std::string& name) { return name.ends_with(" of shard 0"); });
}

}  // namespace

CheckpointManifest manifest_of(const Options& options, const ModelDescription& model, const std::string& name,
                               const Version& version, std::optional<double> rate,
                               const std::vector<std::string>& state) {
  CheckpointManifest manifest;
  manifest.step = version.step;
  manifest.updates = version.updates;
  manifest.num_shards = options.num_shards;
  manifest.seed = options.seed;
  manifest.model = name;
  manifest.config = without_secrets(options.config);
  manifest.statistics = model.traits.learned_size < model.traits.size;
  manifest.precision = static_cast<Precision>(model.traits.precision);
  manifest.bf16_given_up = options.compute.precision == Precision::bf16 && manifest.precision == Precision::f32;
  if (model.traits.fingerprint != ModelInfo().fingerprint) manifest.computed_by = model.traits.fingerprint;
  manifest.optimizer = to_json(settings_of(options));
  manifest.learning_rate = rate;
  manifest.state = state;
  manifest.samples = model.traits.num_samples;
  return manifest;
}

void check_same_run(const std::string& path, const CheckpointManifest& theirs, const CheckpointManifest& ours,
                    bool reshard) {
  const auto count = [](std::int64_t number, const char* what) { return std::to_string(number) + what; };
  if (theirs.num_shards != ours.num_shards && has_state_of_shards(theirs))
    differs(path, count(theirs.num_shards, " shards"),
            std::to_string(ours.num_shards) + "; the optimizer state of each shard cannot be redistributed" +
                " (num_shards)");
  if (theirs.num_shards != ours.num_shards && !reshard)
    differs(path, count(theirs.num_shards, " shards"),
            std::to_string(ours.num_shards) + " (to continue with bitwise identical results, set num_shards to " +
                std::to_string(theirs.num_shards) +
                "; to continue with other results, set CheckpointOptions::reshard)");
  if (theirs.seed != ours.seed) differs(path, "seed " + std::to_string(theirs.seed), std::to_string(ours.seed));
  if (theirs.samples != ours.samples)
    differs(path, count(theirs.samples, " training samples"), std::to_string(ours.samples));
  if (theirs.state != ours.state) differs(path, text_of(theirs.state), text_of(ours.state));
  // Compare the names of the optimizers as well: different optimizers, such as adam and adamw, may have vectors with
  // the same names.
  const std::string kind = optimizer_kind(theirs.optimizer);
  const std::string our_kind = optimizer_kind(ours.optimizer);
  if (kind != our_kind) differs(path, "optimizer " + printable(kind), our_kind);
}

void warn_of_other_bits(const std::string& path, const CheckpointManifest& theirs, const ReplicaTraits& ours) {
  std::string how;
  if (const auto precision = static_cast<Precision>(ours.precision); theirs.precision != precision)
    how = std::string(" computed in ") + to_string(theirs.precision) + "; this run computes in " + to_string(precision);
  else if (!theirs.computed_by.empty() && theirs.computed_by != ours.fingerprint)
    how = " computed by " + theirs.computed_by + "; this run computes by " + ours.fingerprint;
  if (how.empty()) return;
  log_line(
      LogLevel::warning,
      printable("the run of the checkpoint " + path + how + ": from here on the results are not bitwise identical"),
      {.object = path});
}

}  // namespace troupe
