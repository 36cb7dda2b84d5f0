#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/files/input_file.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {

/// What a trial's process is to do, as it stands in the trial's folder.
struct TrialTask {
  Trainable trainable = {};
  Json config = {};               ///< of the trial, with what the trainable has besides
  std::size_t memory = 0;         ///< bytes of its own that each process may take; 0: what there is
  std::int64_t most_reports = 0;  ///< after which it is ended; 0: none
};

Json to_json(const TrialTask& task);
/// @throws Error bad_file, which names the path, for what is none of `to_json`'s
TrialTask task_from_json(const Json& json, const std::string& path);

/// A trainable's data for a trial: {KEY} in a name becomes that value of its config. Keys of nested values have dots
/// between. @throws Error invalid_argument for a key that the config does not have
RunDatasets datasets_of(const RunDatasets& datasets, const Json& config);

/// Where a trial's things lie in its folder.
struct TrialFiles {
  std::string folder;

  std::string task() const { return folder + "/trial.json"; }
  std::string reports() const { return folder + "/reports.jsonl"; }
  std::string output() const { return folder + "/output.txt"; }  ///< what its process prints
  std::string end() const { return folder + "/end.json"; }       ///< how it ended; there once it has
  std::string checkpoints() const { return folder + "/checkpoints"; }
};

/// JSON in a file. @throws Error bad_file
Json read_json(const std::string& path);
void write_json(const std::string& path, const Json& json);

}  // namespace troupe::tune
