#include "cli/train/run/patience.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "models/files/strict_json.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/output_file.hpp"
#include "runtime/log.hpp"
#include "troupe/error.hpp"

namespace troupe::cli {
namespace {

constexpr int kDeepestRecord = 3;
constexpr std::string_view kDamaged = "the file is damaged; remove it, and --patience counts anew";

/// Converts the stored value of an evaluation to a number. Null represents infinity or NaN; for null, returns infinity,
/// the worst value.
double value_of(const nlohmann::json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

/// Returns the step of a stored evaluation.
/// @param before the step of the previous stored evaluation
/// @throws Error bad_file if the step is not a whole number, or not greater than `before`
std::int64_t step_of(const std::string& path, const nlohmann::json& epoch, std::int64_t before) {
  const nlohmann::json& step = epoch.at("step");
  if (!step.is_number_integer() || step.get<double>() >= 9e18 || step.get<std::int64_t>() <= before)
    throw_bad_file(path, std::string(kDamaged));
  return step.get<std::int64_t>();
}

}  // namespace

Patience::Patience(std::int64_t epochs, std::string metric, const std::string& folder, std::int64_t steps_done)
    : epochs_(epochs), metric_(std::move(metric)) {
  if (epochs_ == 0 || folder.empty()) return;
  path_ = folder + "/watched.json";
  if (steps_done > 0 && std::filesystem::exists(path_)) read(steps_done);
}

void Patience::watch(std::int64_t step, double value) {
  if (epochs_ == 0 || (!watched_.empty() && watched_.back().first == step)) return;
  count(value);
  watched_.emplace_back(step, value);
  if (!path_.empty()) keep();
}

void Patience::count(double value) {
  since_best_ = value < best_ ? 0 : since_best_ + 1;
  best_ = std::min(best_, value);
}

void Patience::read(std::int64_t steps_done) {
  const nlohmann::json all = parse_strictly(path_, "it", InputFile(path_).read_text(kMostText), kDeepestRecord);
  try {
    if (all.at("metric") != metric_) {
      log_line(LogLevel::warning, path_ + " is for another metric or set: --patience counts anew");
      return;
    }
    for (const nlohmann::json& each : all.at("epochs")) {
      const std::int64_t step = step_of(path_, each, watched_.empty() ? 0 : watched_.back().first);
      if (step > steps_done) break;
      watched_.emplace_back(step, value_of(each.at("value")));
      count(watched_.back().second);
    }
  } catch (const nlohmann::json::exception&) {
    throw_bad_file(path_, std::string(kDamaged));
  }
}

/// Writes the values of all evaluations to the file. If this fails, logs a warning, and the training continues.
void Patience::keep() const try {
  nlohmann::ordered_json all{{"metric", metric_}, {"epochs", nlohmann::ordered_json::array()}};
  for (const auto& [step, value] : watched_) all["epochs"].push_back({{"step", step}, {"value", value}});
  const std::string text = all.dump() + '\n';
  OutputFile file(path_);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
} catch (const Error& error) {
  log_line(LogLevel::warning, std::string("the state of --patience is not saved for --resume: ") + error.what());
}

}  // namespace troupe::cli
