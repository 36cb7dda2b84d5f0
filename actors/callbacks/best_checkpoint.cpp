#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>

#include "actors/callbacks/better.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/output_file.hpp"
#include "runtime/invalid.hpp"
#include "runtime/json/bounded_json.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "/best.json";
constexpr std::size_t kMostValues = 10'000;  ///< the maximum number of entries of `KeepsBest::values_`

void write_whole(const std::string& path, std::span<const std::byte> bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

/// Creates the folder `to` and copies all contents of the folder `from` into it, including subfolders. Syncs each
/// copied file to disk.
/// @throws Error bad_file or fs::filesystem_error if a file cannot be read or written
void copy_folder(const std::string& from, const std::string& to) {
  fs::create_directory(to);
  for (const fs::directory_entry& each : fs::directory_iterator(from)) {
    const std::string copy = to + "/" + each.path().filename().string();
    if (each.is_directory())
      copy_folder(each.path().string(), copy);
    else
      write_whole(copy, InputFile(each.path().string()).read_all());
  }
}

/// Checks that `path` may be replaced by the copy of a checkpoint. This is so if `path` does not exist, is an empty
/// folder, or contains the record (best.json) of an earlier copy. The check protects files that this callback did not
/// write.
/// @throws Error bad_file if `path` may not be replaced, or if its parent folder does not exist
void check_place(const std::string& path) {
  std::error_code ignored;
  const fs::path around = fs::path(path).parent_path();
  if (!around.empty() && !fs::is_directory(around, ignored)) throw_bad_file(path, "its folder does not exist");
  const bool free = !fs::exists(path, ignored) || (fs::is_directory(path, ignored) && fs::is_empty(path, ignored));
  if (!free && !fs::exists(path + kRecord, ignored))
    throw_bad_file(path, "exists and is not a copy of a best checkpoint, so it is not replaced");
}

/// Moves `folder` to `path`. If `path` exists, exchanges the folders `path` and `folder` atomically; the earlier copy
/// is then in `folder`. If the file system cannot exchange folders, removes the earlier copy first, so for a moment
/// there is no copy at `path`.
void put_in_place(const std::string& folder, const std::string& path) {
  if (!fs::exists(path)) return fs::rename(folder, path);
  if (::renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) throw_cannot("replace it", path);
  fs::remove_all(path);
  fs::rename(folder, path);
}

class KeepsBest : public Callback {
 public:
  explicit KeepsBest(callbacks::BestCheckpoint options) : options_(std::move(options)) {
    while (options_.path.ends_with('/')) options_.path.pop_back();
    if (options_.path.empty()) throw_invalid("best_checkpoint needs a path for the copy");
  }

  void on_start(const RunStart& run) override {
    check_place(options_.path);
    values_.clear();
    if (run.attempt > 1) return;
    best_ = run.resumed ? recorded() : std::nullopt;
  }
  void on_report(const Report& report) override {
    // If a run resumes from a checkpoint, the run repeats the iterations after that checkpoint. So a report of
    // iteration i discards the earlier values of all iterations after i.
    values_.erase(values_.upper_bound(report.iteration), values_.end());
    if (const auto value = metric_of(report, options_.metric)) values_[report.iteration] = *value;
    if (values_.size() > kMostValues) values_.erase(values_.begin());
  }
  void on_checkpoint(const CheckpointInfo& checkpoint) override {
    if (checkpoint.path.empty()) throw_invalid("best_checkpoint needs checkpoints in a folder");
    const auto behind = values_.upper_bound(checkpoint.iteration);
    if (behind == values_.begin()) return;
    const double value = std::prev(behind)->second;
    if (!improves(value, best_, options_.better)) return;
    copy(checkpoint, value);
    best_ = value;
  }

 private:
  void copy(const CheckpointInfo& checkpoint, double value) const try {
    check_place(options_.path);
    const std::string temporary = options_.path + ".tmp-best";
    fs::remove_all(temporary);
    copy_folder(checkpoint.path, temporary);
    const std::string record =
        Json{{"metric", options_.metric}, {"value", value}, {"checkpoint", checkpoint.number}}.dump() + '\n';
    write_whole(temporary + kRecord, std::as_bytes(std::span(record)));
    put_in_place(temporary, options_.path);
    sync_folder_of(options_.path);
    fs::remove_all(temporary);
  } catch (const fs::filesystem_error& error) {
    throw_bad_file(options_.path, "cannot copy " + checkpoint.path + ": " + error.code().message());
  }

  /// Returns the metric's value of the existing copy at `options_.path`, read from best.json. Returns std::nullopt if
  /// there is no copy, or if the copy was chosen by another metric.
  std::optional<double> recorded() const {
    if (!fs::exists(options_.path + kRecord)) return std::nullopt;
    const Json record = parse_bounded(InputFile(options_.path + kRecord).read_text(kMostText));
    if (!record.is_object() || record.value("metric", Json()) != options_.metric) return std::nullopt;
    const Json value = record.value("value", Json());
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
  }

  callbacks::BestCheckpoint options_;
  std::map<std::int64_t, double> values_;  ///< the reported values of the metric, by iteration
  std::optional<double> best_;
};

}  // namespace

std::shared_ptr<Callback> callbacks::best_checkpoint(const BestCheckpoint& options) {
  return std::make_shared<KeepsBest>(options);
}

}  // namespace troupe
