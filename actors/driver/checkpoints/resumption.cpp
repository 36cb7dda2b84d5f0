#include "actors/driver/checkpoints/resumption.hpp"

#include <algorithm>
#include <filesystem>

#include "models/files/checkpoint/folder.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "models/files/checkpoint/series.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

/// Returns the manifest of the newest readable checkpoint in the run's folder. Returns none if the run does not resume,
/// or if there is no such checkpoint.
std::optional<CheckpointManifest> newest_manifest(const Options& options) {
  if (!options.checkpoint.resume) return std::nullopt;
  for (const SavedStep& saved : CheckpointSeries(options.checkpoint.folder).list()) {
    try {
      return read_manifest(find_checkpoint(saved.path));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_file) throw;  // ignored here, because `resume` reports this error
    }
  }
  return std::nullopt;
}

void tell_damaged(const std::string& path, const Error& error) {
  const std::string what = printable("the checkpoint " + path + " is damaged; trying an older one: ");
  log_line(LogLevel::warning, what + printable(error.what()), error.where());
}

/// Renames those checkpoints of the run's series that are in `damaged`, so that they are ignored from then on.
void set_aside(const Options& options, const std::vector<std::string>& damaged) {
  if (options.checkpoint.folder.empty() || damaged.empty()) return;
  const CheckpointSeries series(options.checkpoint.folder);
  for (const SavedStep& saved : series.list()) {
    std::error_code ignored;
    const auto is_it = [&](const std::string& path) { return std::filesystem::equivalent(saved.path, path, ignored); };
    if (std::ranges::any_of(damaged, is_it)) series.set_aside(saved);
  }
}

}  // namespace

std::optional<std::string> load_first_good(const Options& options, const std::vector<std::string>& paths,
                                           const std::function<void(const std::string& path)>& load) {
  std::vector<std::string> damaged;
  for (const std::string& path : paths) {
    try {
      load(path);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_file) throw;
      tell_damaged(path, error);
      damaged.push_back(path);
      continue;
    }
    // Rename damaged checkpoints only after one was loaded: if no checkpoint can be read, the cause may be something
    // other than damage.
    set_aside(options, damaged);
    return path;
  }
  return std::nullopt;
}

void adopt_shards(Options& options) {
  if (options.num_shards != 0) return;
  if (const auto newest = newest_manifest(options)) options.num_shards = newest->num_shards;
}

std::optional<Precision> precision_to_resume(const Options& options) {
  const auto newest = newest_manifest(options);
  // A run with f32 in its options did not have to choose.
  const bool decided = newest && (newest->precision == Precision::bf16 || newest->bf16_given_up);
  return decided ? std::optional(newest->precision) : std::nullopt;
}

}  // namespace troupe
