#include "actors/driver/resumption.hpp"

#include <filesystem>
#include <iostream>

#include "actors/driver/driver.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "models/files/checkpoint/series.hpp"

// How a run begins with the newest checkpoint that verifies.
namespace troupe {
namespace {

[[noreturn]] void throw_none(const std::string& folder, std::size_t damaged) {
  throw Error(ErrorCode::bad_file,
              "none of the checkpoints there verifies (" + std::to_string(damaged) +
                  " were tried): name another folder to begin anew",
              {.object = folder});
}

}  // namespace

void tell_damaged(const std::string& path, const Error& error) {
  std::cerr << "troupe: the checkpoint " + path + " does not verify, so an older one is taken: " + error.what() + "\n"
            << std::flush;
}

void adopt_shards(Options& options) {
  if (options.resume_from.empty() || options.num_shards != 0) return;
  for (const SavedStep& saved : CheckpointSeries(options.resume_from).list()) {
    try {
      options.num_shards = read_manifest(saved.path).num_shards;
      return;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_file) throw;  // `resume` tells it
    }
  }
}

void Driver::resume() {
  lineage_.begin("");
  if (options_.resume_from.empty()) return;
  const CheckpointSeries series(options_.resume_from);
  std::vector<SavedStep> damaged;
  for (const SavedStep& saved : series.list()) {
    try {
      load(saved.path);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_file) throw;
      tell_damaged(saved.path, error);
      damaged.push_back(saved);
      continue;
    }
    lineage_.begin(saved.path);
    // Only now, since what cannot be read at all need not be damaged.
    std::error_code ignored;
    if (checkpoints_ && std::filesystem::equivalent(series.folder(), options_.checkpoint.folder, ignored))
      for (const SavedStep& each : damaged) series.set_aside(each);
    return;
  }
  if (!damaged.empty()) throw_none(series.folder(), damaged.size());
}

}  // namespace troupe
