#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "models/files/checkpoint/folder.hpp"
#include "models/files/checkpoint/reader.hpp"
#include "models/files/checkpoint/series.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe::cli {
namespace {

namespace fs = std::filesystem;

/// Returns `path` itself if it is a checkpoint. Otherwise returns the paths of all checkpoints in the folder `path`,
/// oldest first.
std::vector<std::string> checkpoints_at(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path + "/" + kManifestFile, ignored)) return {path};
  std::vector<std::string> paths;
  for (const SavedStep& saved : CheckpointSeries(path).list()) paths.insert(paths.begin(), saved.path);
  if (paths.empty())
    throw_bad_file(path,
                   "there is no checkpoint of `troupe train` or a DistributedSGD; those of a Trainer work with its "
                   "program, predict and evaluate only");
  return paths;
}

/// Returns whether the checkpoint at `path` no longer exists. A run that is still active may have removed it as an old
/// checkpoint.
bool is_gone(const std::string& path) {
  std::error_code ignored;
  return !fs::exists(find_checkpoint(path), ignored);
}

/// Returns a text that describes the damage of a checkpoint; none if the checkpoint's checksums are correct.
std::optional<std::string> damage(const std::string& path) try {
  CheckpointReader(path).verify();
  return std::nullopt;
} catch (const Error& error) {
  if (error.code() != ErrorCode::bad_file) throw;
  return error.what();
}

std::string time_of(const std::string& path) {
  struct stat status {};
  std::tm utc{};
  std::array<char, 32> text{};
  if (::stat((find_checkpoint(path) + "/" + kManifestFile).c_str(), &status) != 0 ||
      ::gmtime_r(&status.st_mtime, &utc) == nullptr)
    return "-";
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

std::uintmax_t bytes_of(const std::string& path) {
  std::uintmax_t bytes = 0;
  for (const char* name : {kWeightsFile, kStateFile, kManifestFile}) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(find_checkpoint(path) + "/" + name, error);
    if (!error) bytes += size;
  }
  return bytes;
}

/// Returns the metric that is stored in a checkpoint; none if the checkpoint has no metric, or cannot be read.
std::optional<CheckpointMetric> metric_of(const std::string& path) try {
  return read_manifest(find_checkpoint(path)).metric;
} catch (const Error&) {
  return std::nullopt;
}

std::string text_of(const CheckpointMetric& metric) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", metric.value);
  return text.data();
}

/// Returns the path of the checkpoint in `folder` with the best metric. The newest checkpoint with a metric determines
/// whether the lowest or the highest value is best.
std::optional<std::string> best_of(const std::string& folder) {
  const CheckpointSeries series(folder);
  const auto saved = series.list();
  for (const SavedStep& each : saved) {
    const auto metric = metric_of(each.path);
    const auto best = metric ? best_step(saved, metric->best) : std::nullopt;
    if (best) return series.path_of(*best);
  }
  return std::nullopt;
}

void list(const std::string& folder, int& /*status*/) {
  const auto best = best_of(folder);
  std::printf("%-16s %-21s %15s %12s  %s\n", "checkpoint", "written", "bytes", "metric", "state");
  for (const std::string& path : checkpoints_at(folder)) {
    const auto damaged = damage(path);
    if (damaged && is_gone(path)) continue;
    const auto metric = metric_of(path);
    std::printf("%-16s %-21s %15ju %12s  %s%s\n", fs::path(path).filename().c_str(), time_of(path).c_str(),
                bytes_of(path), metric ? text_of(*metric).c_str() : "-",
                damaged ? ("damaged: " + printable(*damaged)).c_str() : "verifies", path == best ? ", the best" : "");
  }
}

void verify(const std::string& folder, int& status) {
  for (const std::string& path : checkpoints_at(folder)) {
    const auto damaged = damage(path);
    if (damaged && is_gone(path)) continue;
    if (damaged) {
      log_line(LogLevel::error, printable(*damaged));
      status = 1;
    } else {
      std::printf("%s verifies\n", path.c_str());
    }
  }
}

void say(const char* what, const std::string& text) { std::printf("%-14s %s\n", what, printable(text).c_str()); }

std::string text_of(const CheckpointFile& file) {
  return std::to_string(file.tensors.size()) + " tensors, " + std::to_string(file.bytes) + " bytes";
}

void show(const std::string& folder, int& /*status*/) {
  const std::string path = checkpoints_at(folder).back();
  const CheckpointManifest manifest = read_manifest(find_checkpoint(path));
  say("checkpoint", path);
  say("written", time_of(path) + " by Troupe " + manifest.troupe);
  say("step", std::to_string(manifest.step));
  say("updates", std::to_string(manifest.updates));
  say("shards", std::to_string(manifest.num_shards));
  say("seed", std::to_string(manifest.seed));
  say("model", manifest.model.empty() ? "without a name" : manifest.model);
  if (!manifest.config.empty()) say("configuration", manifest.config);
  say("statistics", manifest.statistics ? "yes" : "no");
  say("precision", manifest.precision == Precision::bf16 ? "bf16"
                   : manifest.bf16_given_up              ? "f32 instead of bf16"
                                                         : "f32");
  if (!manifest.computed_by.empty()) say("computed by", manifest.computed_by);
  say("optimizer", manifest.optimizer);
  if (!manifest.data.empty()) say("data", manifest.data);
  if (manifest.samples > 0) say("samples", std::to_string(manifest.samples));
  if (manifest.metric) say("metric", text_of(*manifest.metric) + ", the " + manifest.metric->best + " is the best");
  say("fingerprint", manifest.fingerprint);
  say("weights", text_of(manifest.weights_file));
  for (const std::string& name : manifest.state) say("state vector", name);
  if (!manifest.state.empty()) say("state", text_of(manifest.state_file));
}

void add(CLI::App& checkpoint, int& status, const char* name, const char* what,
         void (*action)(const std::string&, int&)) {
  CLI::App& command = *checkpoint.add_subcommand(name, what);
  auto folder = std::make_shared<std::string>();
  command.add_option("DIR", *folder, "A folder of checkpoints, or one of them")->required();
  command.callback([folder, action, &status] { action(*folder, status); });
}

}  // namespace

void add_checkpoint(CLI::App& app, int& status) {
  CLI::App& checkpoint = *app.add_subcommand("checkpoint", "Inspect checkpoints of `troupe train --checkpoint`");
  checkpoint.require_subcommand(1);
  add(checkpoint, status, "list", "List checkpoints: time, size, metric, whether each verifies, and which is the best",
      &list);
  add(checkpoint, status, "verify", "Read every tensor; name damaged ones and end with status 1", &verify);
  add(checkpoint, status, "show", "Print the content of the newest, or this one", &show);
}

}  // namespace troupe::cli
