#include "cli/train/run/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace troupe::cli {
namespace {

constexpr double kTerminalSeconds = 0.2;
constexpr double kPlainSeconds = 5;
constexpr int kBarWidth = 20;

std::string bar(std::int64_t done, std::int64_t total) {
  const auto filled = static_cast<std::size_t>(total > 0 ? kBarWidth * done / total : 0);
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "]";
}

/// Returns a text such as ", 12.3 MB/s of data, 5 % waiting"; empty if no data comes from servers.
std::string data_text(const RemoteTraffic& remote, double seconds, double waited) {
  if (remote.bytes + remote.cache_hits == 0) return "";
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), ", %.1f MB/s of data, %.0f %% waiting",
                static_cast<double>(remote.bytes) / 1e6 / seconds, 100 * waited / seconds);
  return text.data() + (remote.retries > 0 ? ", " + std::to_string(remote.retries) + " requests repeated" : "");
}

}  // namespace

std::string clock_text(double seconds) {
  constexpr long long kMinute = 60;
  constexpr long long kHour = 3600;
  const long long whole = std::llround(seconds);
  std::array<char, 48> text{};
  if (whole < kHour)
    std::snprintf(text.data(), text.size(), "%lld:%02lld", whole / kMinute, whole % kMinute);
  else
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld", whole / kHour, whole % kHour / kMinute,
                  whole % kMinute);
  return text.data();
}

std::string throughput_text(double per_second, const std::string& unit) {
  return std::to_string(std::llround(per_second)) + ' ' + unit + "/s";
}

Progress::Progress(std::int64_t steps_done, std::int64_t total_steps, bool quiet)
    : begun_(steps_done), total_steps_(total_steps), quiet_(quiet), terminal_(::isatty(STDOUT_FILENO) == 1) {}

void Progress::step(const StepReport& report) {
  done_ = report.step;
  if (quiet_) return;
  samples_ += report.samples;
  loss_sum_ += report.loss * static_cast<double>(report.samples);
  if (!std::exchange(begins_, false)) remote_ += report.remote;
  if (!report.seconds.data.empty()) waited_ += std::ranges::max(report.seconds.data);
  const double passed = seconds_ + since_.seconds();
  if (passed < (terminal_ ? kTerminalSeconds : kPlainSeconds)) return;
  const auto rate = static_cast<double>(samples_) / passed;
  draw(loss_sum_ / static_cast<double>(samples_),
       throughput_text(rate, report.unit) + data_text(remote_, passed, waited_));
  line_open_ = terminal_;
  samples_ = 0;
  loss_sum_ = 0;
  remote_ = {};
  waited_ = 0;
  seconds_ = 0;
  since_.lap();
}

void Progress::end_line() {
  if (line_open_) std::printf("\r\x1b[K");
  line_open_ = false;
}

void Progress::pause() { seconds_ += since_.lap(); }

double Progress::seconds_left() const {
  return whole_.seconds() * static_cast<double>(total_steps_ - done_) / static_cast<double>(done_ - begun_);
}

void Progress::draw(double loss, const std::string& rate) const {
  const long long done = done_;
  const long long total = total_steps_;
  const std::string left = clock_text(seconds_left());
  if (terminal_) {
    std::printf("\r%s %lld/%lld steps, %s, loss %.4f, ETA %s\x1b[K", bar(done_, total_steps_).c_str(), done, total,
                rate.c_str(), loss, left.c_str());
  } else {
    std::printf("step %lld/%lld, %s, loss %.4f, ETA %s\n", done, total, rate.c_str(), loss, left.c_str());
  }
  std::fflush(stdout);
}

}  // namespace troupe::cli
