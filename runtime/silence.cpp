#include "runtime/silence.hpp"

#include <algorithm>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr std::chrono::milliseconds kLeast{500};

}  // namespace

void Silence::check(std::chrono::milliseconds limit, const std::string& name) {
  if (limit.count() != 0 && limit < kLeast)
    throw_invalid(name + " is " + std::to_string(limit.count()) + " ms; it must be 0 (never) or at least " +
                  std::to_string(kLeast.count()));
}

Silence::Silence(Limits limits) : limits_(limits) {
  for (auto* each : {&limits_.suspect_after, &limits_.cut_after})
    *each = std::min<std::chrono::milliseconds>(*each, std::chrono::hours(24 * 365));
}

Silence::Verdict Silence::look(std::uint64_t sign, Clock::time_point now) {
  const bool lives = !looked_before_ || sign != sign_;
  lasted_ = lives ? Clock::duration(0) : lasted_ + std::min<Clock::duration>(now - looked_, kMostCounted);
  looked_before_ = true;
  sign_ = sign;
  looked_ = now;
  if (lives) told_ = false;
  if (limits_.cut_after.count() > 0 && lasted_ >= limits_.cut_after) return Verdict::gone;
  if (told_ || limits_.suspect_after.count() == 0 || lasted_ < limits_.suspect_after) return Verdict::lives;
  told_ = true;
  return Verdict::suspect;
}

std::string Silence::text() const {
  return "no sign of life for " + fixed_text(std::chrono::duration<double>(lasted_).count(), 1) + " s";
}

}  // namespace troupe
