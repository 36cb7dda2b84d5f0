#include "models/files/checkpoint/series.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <system_error>

#include "models/files/checkpoint/folder.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "runtime/files/file_lock.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/written_file.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStem = "step-";
constexpr std::string_view kBeside = ".tmp-";  ///< start of the suffixes of temporary folders: kReplaced, and that of
                                               ///< unfinished checkpoints
constexpr std::size_t kStepDigits = 8;
constexpr const char* kLockFile = "lock";
constexpr std::chrono::milliseconds kLockTimeout{1000};

std::string name_of(std::int64_t step) {
  const std::string digits = std::to_string(step);
  return std::string(kStem) + std::string(kStepDigits - std::min(kStepDigits, digits.size()), '0') + digits;
}

/// Returns the step that the name of a checkpoint's folder contains. Returns nothing if `name` is not a name that
/// `name_of` returns.
std::optional<std::int64_t> step_of(const std::string& name) {
  if (!name.starts_with(kStem)) return std::nullopt;
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data() + kStem.size(), name.data() + name.size(), step);
  if (error != std::errc{} || step < 0 || name != name_of(step)) return std::nullopt;
  return step;
}

/// Returns the names of all entries of `folder`; none if the folder does not exist.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    names.push_back(entry->path().filename().string());
  if (error) throw_bad_file(folder, "cannot read the folder: " + error.message());
  return names;
}

/// Returns the metric in the manifest of the checkpoint at `path`. Returns nothing if there is no metric, or the
/// manifest cannot be read.
std::optional<CheckpointMetric> metric_of(const std::string& path) try {
  return read_manifest(find_checkpoint(path)).metric;
} catch (const Error&) {
  return std::nullopt;
}

/// Prepends `prefix` to the name of a checkpoint's folder. If a folder with the resulting name exists, also appends a
/// number from 2 to 100. Returns false if renaming fails.
bool rename_as(const std::string& prefix, const SavedStep& saved, const std::string& folder) {
  const std::string aside = folder + "/" + prefix + name_of(saved.step);
  constexpr int kAttempts = 100;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    const std::string name = attempt == 1 ? aside : aside + "-" + std::to_string(attempt);
    if (std::rename(saved.path.c_str(), name.c_str()) == 0) return true;
    if (errno != ENOTEMPTY && errno != EEXIST) return false;
  }
  return false;
}

/// Creates the folder and those of its parents that do not exist. All created folders are durable when this function
/// returns.
void make_folder(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> made;
  for (fs::path path = fs::absolute(folder, error); !error && !fs::exists(path, error); path = path.parent_path())
    made.push_back(path);
  fs::create_directories(folder, error);
  if (error) throw_bad_file(folder, "cannot create the folder of checkpoints: " + error.message());
  for (const fs::path& path : made) sync_folder_of(path);
}

}  // namespace

std::optional<std::int64_t> best_step(const std::vector<SavedStep>& saved, const std::string& best) {
  std::optional<std::pair<double, std::int64_t>> found;  // best metric so far (negated if the highest is the best) and
                                                         // its step
  for (const SavedStep& each : saved) {
    const auto metric = metric_of(each.path);
    if (!metric || metric->best != best) continue;
    const std::pair next{best == kHighest ? -metric->value : metric->value, each.step};
    found = found ? std::min(*found, next) : next;
  }
  return found ? std::optional(found->second) : std::nullopt;
}

std::string CheckpointSeries::path_of(std::int64_t step) const { return folder_ + "/" + name_of(step); }

std::vector<SavedStep> CheckpointSeries::list() const {
  std::set<std::int64_t, std::greater<>> steps;
  for (const std::string& name : names_in(folder_)) {
    const auto step = step_of(name.substr(0, name.find(kBeside)));
    if (step && (name == name_of(*step) || name.ends_with(kReplaced))) steps.insert(*step);
  }
  std::vector<SavedStep> saved;
  saved.reserve(steps.size());
  for (const std::int64_t step : steps) saved.push_back({step, path_of(step)});
  return saved;
}

void CheckpointSeries::tidy() const {
  std::set<std::string> paths;
  for (const std::string& name : names_in(folder_)) {
    const std::string stem = name.substr(0, name.find(kBeside));
    if (stem != name && step_of(stem)) paths.insert(folder_ + "/" + stem);
  }
  for (const std::string& path : paths) tidy_checkpoint(path);
}

void CheckpointSeries::prune(std::int64_t newest, int keep, const std::string& best) const {
  tidy();  // also removes checkpoints that an earlier call could not remove completely
  std::vector<SavedStep> known = list();
  std::erase_if(known, [&](const SavedStep& saved) { return saved.step > newest; });
  const auto kept = best.empty() ? std::nullopt : best_step(known, best);
  std::optional<Error> failure;
  for (const SavedStep& saved : known) try {
      if (--keep < 0 && saved.step != kept) remove_checkpoint(saved.path);
    } catch (const Error& error) {
      failure = error;
    }
  if (failure) throw Error(*failure);
}

bool CheckpointSeries::set_aside(const SavedStep& damaged) const { return rename_as("damaged-", damaged, folder_); }

void CheckpointSeries::branch(std::int64_t at, std::int64_t first) const {
  bool renamed = false;
  for (const SavedStep& saved : list())
    if (saved.step > at && saved.step != first) renamed = rename_as("left-", saved, folder_) || renamed;
  if (renamed) sync_folder_of(path_of(first));
}

SeriesLock::SeriesLock(const CheckpointSeries& series) {
  make_folder(series.folder());
  const std::string path = series.folder() + "/" + kLockFile;
  file_ = open_lock_file(path);
  if (!lock_in_time(file_.get(), kLockTimeout))
    throw Error(ErrorCode::in_use, "another run is writing its checkpoints to this folder",
                {.object = series.folder()});
  unlock_ = UnlockAtEnd(file_.get());
}

}  // namespace troupe
