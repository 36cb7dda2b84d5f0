#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/files/input_file.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {

/// The task of a trial's process, as stored in the trial's folder.
struct TrialTask {
  Trainable trainable = {};
  Json config = {};               ///< the trial's values, merged into the trainable's config
  std::size_t memory = 0;         ///< bytes of private memory that each process may use; 0: no limit
  std::int64_t most_reports = 0;  ///< number of reports after which the trial is ended; 0: no limit
};

Json to_json(const TrialTask& task);
/// @throws Error bad_file, which names the path, if the JSON was not written by `to_json`
TrialTask task_from_json(const Json& json, const std::string& path);

/// Returns a trainable's data for a trial. Replaces {KEY} in a name by that value of the config. Keys of nested values
/// contain dots.
/// @throws Error invalid_argument if the config does not have a key
RunDatasets datasets_of(const RunDatasets& datasets, const Json& config);

/// The paths of a trial's files in its folder.
struct TrialFiles {
  std::string folder;

  std::string task() const { return folder + "/trial.json"; }
  std::string reports() const { return folder + "/reports.jsonl"; }
  std::string output() const { return folder + "/output.txt"; }  ///< the output of the trial's process
  std::string end() const { return folder + "/end.json"; }       ///< how the trial ended; exists once it has ended
  std::string checkpoints() const { return folder + "/checkpoints"; }
};

/// Reads and writes JSON files.
/// @throws Error bad_file
Json read_json(const std::string& path);
void write_json(const std::string& path, const Json& json);

}  // namespace troupe::tune
