#include "runtime/http/retries.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace troupe {
namespace {

constexpr Clock::duration kFirstPause = std::chrono::milliseconds(100);
constexpr Clock::duration kLongestPause = std::chrono::seconds(5);
constexpr double kSeconds = 60;

std::string said(const HttpResponse& response) {
  if (!response.failure.empty()) return response.failure;
  return response.status == 0 ? "no answer" : "the server answers with status " + std::to_string(response.status);
}

std::chrono::milliseconds remote_patience() {
  const char* const text = std::getenv("TROUPE_DATA_TIMEOUT");
  const double seconds = text == nullptr ? kSeconds : std::strtod(text, nullptr);
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(1000 * (seconds > 0 && seconds < 1e6 ? seconds : kSeconds)));
}

/// Returns whether the same request may get another status.
bool may_change(int status) { return status == 408 || status == 429 || (status >= 500 && status <= 504); }

/// Returns the pause that a server asks for: its header Retry-After, if it is a number of seconds, at most 30.
Clock::duration wanted_pause(const HttpResponse& response) {
  const std::string text = response.header("retry-after");
  int seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(std::clamp(seconds, 0, 30));
}

}  // namespace

Retries::Retries() : patience_(remote_patience()), pause_(kFirstPause) {}

void Retries::begin() {
  if (!deadline_) deadline_ = Clock::now() + patience_;
}

void Retries::progress() {
  pause_ = kFirstPause;
  deadline_ = Clock::now() + patience_;
}

Retries::Decision Retries::after(const HttpResponse& response) {
  const bool answered = response.status != 0 && response.failure.empty() && !may_change(response.status);
  const bool truncated = answered && (response.status == 200 || response.status == 206);
  if (response.is_final || (answered && !truncated)) return {{}, ErrorCode::bad_file, said(response)};
  const std::string why = truncated ? "the answer was truncated" : said(response);
  if (deadline_ && Clock::now() >= *deadline_)
    return {{}, ErrorCode::timeout, "no bytes for " + std::to_string(patience_.count() / 1000) + " s: " + why};
  const Clock::duration pause = std::max(pause_, wanted_pause(response));
  pause_ = std::min(2 * pause_, kLongestPause);
  return {pause};
}

}  // namespace troupe
