#include "cli/train/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace troupe::cli {
namespace {

constexpr double kTerminalSeconds = 0.2;
constexpr double kPlainSeconds = 5;
constexpr int kBarWidth = 30;

std::string bar(std::int64_t done, std::int64_t total) {
  const auto filled = static_cast<std::size_t>(total > 0 ? kBarWidth * done / total : 0);
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "]";
}

}  // namespace

Progress::Progress(std::int64_t total_steps, bool quiet)
    : total_steps_(total_steps), quiet_(quiet), terminal_(::isatty(STDOUT_FILENO) == 1) {}

void Progress::step(const StepReport& report) {
  done_ = report.step;
  if (quiet_) return;
  samples_ += report.samples;
  loss_sum_ += report.loss * static_cast<double>(report.samples);
  const double passed = since_drawn_.seconds();
  if (passed < (terminal_ ? kTerminalSeconds : kPlainSeconds)) return;
  draw(loss_sum_ / static_cast<double>(samples_), static_cast<double>(samples_) / passed);
  line_open_ = terminal_;
  samples_ = 0;
  loss_sum_ = 0;
  since_drawn_.lap();
}

void Progress::end_line() {
  if (line_open_) std::printf("\r\x1b[K");
  line_open_ = false;
}

void Progress::draw(double loss, double images_per_second) const {
  const long long done = done_;
  const long long total = total_steps_;
  if (terminal_) {
    std::printf("\r%s %lld/%lld steps, %.0f images/s, loss %.4f\x1b[K", bar(done_, total_steps_).c_str(), done, total,
                images_per_second, loss);
  } else {
    std::printf("step %lld/%lld, %.0f images/s, loss %.4f\n", done, total, images_per_second, loss);
  }
  std::fflush(stdout);
}

}  // namespace troupe::cli
