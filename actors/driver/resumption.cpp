#include "actors/driver/resumption.hpp"

#include <algorithm>
#include <filesystem>

#include "actors/driver/driver.hpp"
#include "models/files/checkpoint/folder.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "models/files/checkpoint/series.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"

// How a run begins with the newest checkpoint that verifies.
namespace troupe {
namespace {

[[noreturn]] void throw_none(const std::string& folder, std::size_t damaged) {
  throw Error(ErrorCode::bad_file,
              "none of the checkpoints there verifies (" + std::to_string(damaged) +
                  " were tried): name another folder to begin anew",
              {.object = folder});
}

/// What is not refused, since a configuration also says what the bits do not depend on.
void tell_other_config(const std::string& path, const std::string& ours) {
  const std::string theirs = read_manifest(find_checkpoint(path)).config;
  if (theirs == ours) return;
  log_line(LogLevel::warning,
           printable("the checkpoint " + path + " is of a run with configuration '" + theirs + "', and this one has '" +
                     ours + "': its bits may be others"),
           {.object = path});
}

/// Which the options do not say.
void tell_set_rate(const std::string& path, double rate) {
  log_line(LogLevel::info,
           printable("the run goes on with learning rate " + short_text(rate, 6) +
                     ", which was set by hand before the checkpoint " + path),
           {.object = path});
}

/// Of the newest checkpoint whose manifest can be read.
std::optional<CheckpointManifest> newest_manifest(const Options& options) {
  if (!options.checkpoint.resume) return std::nullopt;
  for (const SavedStep& saved : CheckpointSeries(options.checkpoint.folder).list()) {
    try {
      return read_manifest(find_checkpoint(saved.path));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_file) throw;  // `resume` tells it
    }
  }
  return std::nullopt;
}

}  // namespace

void tell_damaged(const std::string& path, const Error& error) {
  const std::string what = printable("the checkpoint " + path + " does not verify, so an older one is taken: ");
  log_line(LogLevel::warning, what + printable(error.what()), error.where());
}

void set_aside(const Options& options, const std::vector<std::string>& damaged) {
  if (options.checkpoint.folder.empty() || damaged.empty()) return;
  const CheckpointSeries series(options.checkpoint.folder);
  for (const SavedStep& saved : series.list()) {
    std::error_code ignored;
    const auto is_it = [&](const std::string& path) { return std::filesystem::equivalent(saved.path, path, ignored); };
    if (std::ranges::any_of(damaged, is_it)) series.set_aside(saved);
  }
}

void adopt_shards(Options& options) {
  if (options.num_shards != 0) return;
  if (const auto newest = newest_manifest(options)) options.num_shards = newest->num_shards;
}

std::optional<Precision> precision_to_resume(const Options& options) {
  const auto newest = newest_manifest(options);
  // One that was asked for f32 has decided nothing.
  const bool decided = newest && (newest->precision == Precision::bf16 || newest->bf16_given_up);
  return decided ? std::optional(newest->precision) : std::nullopt;
}

void Driver::resume() {
  lineage_.begin("");
  if (!options_.checkpoint.resume) return;
  const CheckpointSeries series(options_.checkpoint.folder);
  std::vector<std::string> damaged;
  for (const SavedStep& saved : series.list()) {
    try {
      const auto rate = load(saved.path);
      set_rates_.begin(versions_.committed().step, rate);
      if (rate) tell_set_rate(saved.path, *rate);
      tell_other_config(saved.path, options_.config);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_file) throw;
      tell_damaged(saved.path, error);
      damaged.push_back(saved.path);
      continue;
    }
    lineage_.begin(saved.path);
    set_aside(options_, damaged);  // only now, since what cannot be read at all need not be damaged
    return;
  }
  if (!damaged.empty()) throw_none(series.folder(), damaged.size());
}

}  // namespace troupe
