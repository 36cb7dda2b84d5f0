#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/files/input_file.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {

/// The task of a trial's process. The search writes the task into the trial's folder, and the process reads it.
struct TrialTask {
  Trainable trainable = {};
  Json config = {};               ///< the trainable's config, updated with the values that were drawn or suggested for
                                  ///< the trial
  std::size_t memory = 0;         ///< maximum private memory in bytes of each process of the trial; 0: no limit
  std::int64_t most_reports = 0;  ///< maximum number of reports, after which the trial is told to end; 0: no limit
};

/// Returns `task` as JSON, in the form that `task_from_json` reads.
Json to_json(const TrialTask& task);
/// Returns the task that `json` contains.
/// @param path the file that contained `json`, for error messages
/// @throws Error bad_file if `json` was not written by `to_json`
TrialTask task_from_json(const Json& json, const std::string& path);

/// Returns the data sets of a trial: the data sets `datasets` of the trainable, with each {KEY} in a name replaced by
/// the value at that key in `config`. The key of a value in a nested object contains dots, such as "data.fold".
/// @throws Error invalid_argument if the config has no value at a key, or the value is a list or an object
RunDatasets datasets_of(const RunDatasets& datasets, const Json& config);

/// The paths of a trial's files in its folder.
struct TrialFiles {
  std::string folder;

  std::string task() const { return folder + "/trial.json"; }
  std::string reports() const { return folder + "/reports.jsonl"; }
  /// The text that the trial's process prints.
  std::string output() const { return folder + "/output.txt"; }
  /// The result, state and error of the trial. The file exists only if the trial has ended.
  std::string end() const { return folder + "/end.json"; }
  std::string checkpoints() const { return folder + "/checkpoints"; }
};

/// The next two functions read and write a JSON file.
/// @throws Error bad_file if the file cannot be read or written
Json read_json(const std::string& path);
void write_json(const std::string& path, const Json& json);

}  // namespace troupe::tune
