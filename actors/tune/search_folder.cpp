#include "actors/tune/search_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "actors/trainer/trainer_checkpoints.hpp"
#include "actors/tune/trial_reports.hpp"
#include "runtime/files/file_lock.hpp"
#include "runtime/files/temporary.hpp"
#include "runtime/invalid.hpp"

namespace troupe::tune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSearch = "/search.json";
constexpr const char* kLock = "/search.lock";
constexpr std::chrono::milliseconds kLockTimeout{1000};

TrialState state_of(const std::string& text, const std::string& path) {
  for (const TrialState state : {TrialState::done, TrialState::stopped, TrialState::failed})
    if (text == to_string(state)) return state;
  throw_bad_file(path, "contains an invalid state of a trial");
}

}  // namespace

const char* to_string(TrialState state) {
  switch (state) {
    case TrialState::waiting:
      return "waiting";
    case TrialState::running:
      return "running";
    case TrialState::done:
      return "done";
    case TrialState::stopped:
      return "stopped";
    case TrialState::failed:
      return "failed";
  }
  return "";
}

SearchFolder::SearchFolder(const std::string& folder, bool resume, const Json& search) {
  make(folder);
  lock();
  if (!fs::exists(path_ + kSearch))
    write_json(path_ + kSearch, search);
  else if (resume)
    compare(search);
  else
    throw Error(ErrorCode::invalid_argument, "there is a search already: resume it, or choose another folder",
                {.object = path_});
}

SearchFolder::~SearchFolder() {
  std::error_code ignored;
  if (temporary_ && owner_.is_this()) fs::remove_all(path_, ignored);
}

void SearchFolder::make(const std::string& folder) {
  temporary_ = folder.empty();
  std::error_code error;
  if (temporary_) {
    std::string name = (temporary_folder() / "troupe-tune-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw_cannot("make a folder", name);
    path_ = name;
    return;
  }
  path_ = fs::absolute(folder).lexically_normal().string();
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  fs::create_directories(path_, error);
  if (error) throw_bad_file(path_, "cannot be created: " + error.message());
}

void SearchFolder::lock() {
  const std::string path = path_ + kLock;
  lock_ = open_lock_file(path);
  if (!lock_in_time(lock_.get(), kLockTimeout))
    throw Error(ErrorCode::in_use, "another search is running in this folder", {.object = path_});
  unlock_ = UnlockAtEnd(lock_.get());
}

/// Compares the description `search` with the description of the search in the folder.
/// @throws Error invalid_argument if the two descriptions differ; the message contains the first key with different
/// values
void SearchFolder::compare(const Json& search) const {
  const Json before = read_json(path_ + kSearch);
  for (const auto& [key, value] : search.items())
    if (!before.is_object() || !before.contains(key) || before[key] != value)
      throw Error(ErrorCode::invalid_argument, "cannot resume: the search there has another " + key, {.object = path_});
}

TrialFiles SearchFolder::files(int trial) const {
  std::string digits = std::to_string(trial);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return {path_ + "/trial-" + digits};
}

std::optional<Trial> SearchFolder::read(int number) const {
  const TrialFiles files = this->files(number);
  if (!fs::exists(files.task())) return std::nullopt;
  Trial trial;
  trial.number = number;
  try {
    trial.config = read_json(files.task()).at("drawn");
    if (!fs::exists(files.end())) return trial;
    const Json end = read_json(files.end());
    auto reports = read_reports(files.reports());
    const auto count = end.at("reports").get<std::size_t>();
    if (reports.size() < count) return trial;  // some reports were lost when the machine failed
    reports.resize(count);
    trial.state = state_of(end.at("state").get<std::string>(), files.end());
    end.at("error").get_to(trial.error);
    end.at("attempts").get_to(trial.attempts);
    end.at("seconds").get_to(trial.seconds);
    trial.result = end.at("result");
    trial.reports = std::move(reports);
    trial.checkpoint = last_checkpoint(files);
    return trial;
  } catch (const Json::exception& error) {
    throw_bad_file(files.folder, std::string("is damaged: ") + error.what());
  }
}

void SearchFolder::write_task(const Trial& trial, const TrialTask& task) const {
  const TrialFiles files = this->files(trial.number);
  std::error_code error;
  fs::create_directory(files.folder, error);
  if (error) throw_bad_file(files.folder, "cannot be created: " + error.message());
  Json json = to_json(task);
  json["drawn"] = trial.config;
  write_json(files.task(), json);
}

void SearchFolder::write_end(const Trial& trial) const {
  const FileDescriptor reports(::open(files(trial.number).reports().c_str(), O_RDONLY | O_CLOEXEC));
  if (reports && ::fsync(reports.get()) != 0) throw_cannot("write", files(trial.number).reports());
  write_json(files(trial.number).end(), {{"state", to_string(trial.state)},
                                         {"error", trial.error},
                                         {"attempts", trial.attempts},
                                         {"seconds", trial.seconds},
                                         {"reports", trial.reports.size()},
                                         {"result", trial.result}});
}

std::string last_checkpoint(const TrialFiles& files) {
  if (!fs::exists(files.checkpoints())) return "";
  const TrainerCheckpoints checkpoints({.folder = files.checkpoints()});
  const std::int64_t newest = checkpoints.newest();
  return newest > 0 ? checkpoints.path_of(newest) : "";
}

}  // namespace troupe::tune
