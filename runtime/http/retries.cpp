#include "runtime/http/retries.hpp"

#include <algorithm>
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

}  // namespace

Retries::Retries() : patience_(remote_patience()), deadline_(Clock::now() + patience_), pause_(kFirstPause) {}

void Retries::progress() {
  pause_ = kFirstPause;
  deadline_ = Clock::now() + patience_;
}

Retries::Decision Retries::after(const HttpResponse& response) {
  const bool answered = response.status != 0 && response.failure.empty() && !may_change(response.status);
  const bool truncated = answered && (response.status == 200 || response.status == 206);
  if (response.is_final || (answered && !truncated)) return {{}, ErrorCode::bad_file, said(response)};
  const std::string why = truncated ? "the answer was truncated" : said(response);
  if (Clock::now() >= deadline_)
    return {{}, ErrorCode::timeout, "no bytes for " + std::to_string(patience_.count() / 1000) + " s: " + why};
  const Clock::duration pause = pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
  return {pause};
}

}  // namespace troupe
