#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

#include "actors/callbacks/step_callbacks.hpp"
#include "runtime/printable.hpp"
#include "troupe/callback.hpp"

namespace troupe {
namespace {

constexpr double kSecondsBetween = 0.1;

std::string shown(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_float()) return value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
  return short_text(value.get<double>(), 6);
}

void say(const Report& report) {
  std::string text = "iteration " + std::to_string(report.iteration);
  const char* before = ": ";
  for (const auto& [name, value] : report.metrics.items()) {
    if (std::ranges::count(kPhaseTimes, name) > 0) continue;  // the times of phases are written to files only
    text += std::exchange(before, ", ");
    text += printable(name + " " + shown(value));
  }
  std::cout << text << std::endl;
}

class ProgressLines : public Callback {
 public:
  void on_start(const RunStart& run) override {
    if (run.attempt == 1) shown_at_.reset();
    waiting_.reset();
  }
  void on_report(const Report& report) override {
    waiting_ = report;
    if (!shown_at_ || report.seconds - *shown_at_ >= kSecondsBetween) show();
  }
  void on_end(const RunEnd& end) override {
    if (waiting_) show();
    std::cout << (end.failed ? "failed" : "ended") << " after " << end.iterations << " iterations" << std::endl;
  }

 private:
  void show() {
    say(*waiting_);
    shown_at_ = waiting_->seconds;
    waiting_.reset();
  }

  std::optional<double> shown_at_;
  std::optional<Report> waiting_;  ///< the last report, if it has not been shown
};

}  // namespace

std::shared_ptr<Callback> callbacks::progress() { return std::make_shared<ProgressLines>(); }

}  // namespace troupe
