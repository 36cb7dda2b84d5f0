#include "cuda/double/races.hpp"

#include <algorithm>

#include "cuda/double/device_memory.hpp"
#include "cuda/double/state.hpp"

namespace troupe::cuda_double {

namespace {

bool is_before(cudaStream_t stream, std::uint64_t time, const Clock& clock) {
  const auto found = clock.find(stream);
  return found != clock.end() && found->second >= time;
}

bool covers(const Touch& outer, const Touch& inner) {
  const auto* const first = static_cast<const std::byte*>(outer.start);
  const auto* const other = static_cast<const std::byte*>(inner.start);
  return first <= other && other + inner.bytes <= first + outer.bytes;
}

bool touch_common(const Touch& one, const Touch& other) {
  return overlap(one.start, one.bytes, other.start, other.bytes);
}

}  // namespace

Races& races() {
  static auto* const kAll = new Races;
  return *kAll;
}

void merge(Clock& clock, const Clock& other) {
  for (const auto& [stream, time] : other) {
    std::uint64_t& own = clock[stream];
    own = std::max(own, time);
  }
}

void Races::add(cudaStream_t stream, int device, const Clock& clock, const std::string& what,
                const std::vector<Touch>& touches) {
  if (!state().settings.races) return;
  for (const Touch& touch : touches)
    if (touch.bytes != 0) add({touch, stream, device, clock.at(stream), what}, clock);
}

void Races::add(const Entry& entry, const Clock& clock) {
  bool complained = false;
  for (auto other = entries_.begin(); other != entries_.end();) {
    const bool ordered = is_before(other->stream, other->time, clock);
    const bool matters = entry.touch.writes || other->touch.writes;
    if (!ordered && matters && !complained && touch_common(entry.touch, other->touch)) {
      complain("race: " + entry.what + " and " + other->what + ", of another stream, touch the same memory unordered");
      complained = true;
    }
    // Work after this touch is also after the other touch, so the other one can be forgotten.
    const bool replaces = ordered && (entry.touch.writes || !other->touch.writes) && covers(entry.touch, other->touch);
    other = replaces ? entries_.erase(other) : std::next(other);
  }
  entries_.push_back(entry);
}

void Races::host_saw(const Clock& clock) {
  std::erase_if(entries_, [&](const Entry& entry) { return is_before(entry.stream, entry.time, clock); });
}

void Races::host_saw_device(int device) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.device == device; });
}

void Races::forget(const void* start, std::size_t bytes) {
  const Touch all{start, bytes, true};
  std::erase_if(entries_, [&](const Entry& entry) { return touch_common(entry.touch, all); });
}

}  // namespace troupe::cuda_double
