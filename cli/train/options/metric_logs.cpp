#include "cli/train/options/metric_logs.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/log.hpp"
#include "troupe/callback.hpp"

namespace troupe::cli {
namespace {

/// A callback that passes all reports to another callback, a log. If the log throws, for example because the disk is
/// full, this object logs a warning, and the training continues without the log.
class Tolerated final : public Callback {
 public:
  Tolerated(std::shared_ptr<Callback> log, std::shared_ptr<bool> broken, std::shared_ptr<const bool> reports_end)
      : log_(std::move(log)), broken_(std::move(broken)), reports_end_(std::move(reports_end)) {}

  void on_start(const RunStart& run) override { log_->on_start(run); }
  void on_report(const Report& report) override {
    if (!*reports_end_) attempt([&] { log_->on_report(report); });
  }
  void on_epoch(const Report& last) override {
    attempt([&] { log_->on_epoch(last); });
  }
  void on_checkpoint(const CheckpointInfo& checkpoint) override {
    attempt([&] { log_->on_checkpoint(checkpoint); });
  }
  void on_failure(const Error& error, bool goes_on) override {
    attempt([&] { log_->on_failure(error, goes_on); });
  }
  void on_end(const RunEnd& end) override {
    attempt([&] { log_->on_end(end); });
  }

 private:
  template <class Call>
  void attempt(const Call& call) {
    try {
      if (log_) call();
    } catch (const Error& error) {
      log_line(LogLevel::warning, std::string(error.what()) + "; training continues without the log");
      log_.reset();
      *broken_ = true;
    }
  }

  std::shared_ptr<Callback> log_;  ///< null once the log has failed
  std::shared_ptr<bool> broken_;
  std::shared_ptr<const bool> reports_end_;
};

}  // namespace

void MetricLogs::add_to(CLI::App& app) {
  app.add_option("--log", texts,
                 "Log steps and evaluations as they happen: csv:FILE, json:FILE, tensorboard:FOLDER (for TensorBoard) "
                 "and progress, separated by commas; may be repeated")
      ->default_str("")
      ->allow_extra_args(false);
}

void MetricLogs::apply(Options& options) const {
  for (const std::string& text : texts)
    for (auto& each : callbacks::from_text(text))
      options.callbacks.push_back(std::make_shared<Tolerated>(std::move(each), broken_, reports_end_));
}

bool MetricLogs::shows_progress() const {
  return std::ranges::any_of(
      texts, [](const std::string& text) { return ("," + text + ",").find(",progress,") != std::string::npos; });
}

}  // namespace troupe::cli
