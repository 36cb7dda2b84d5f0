#include "collectives/exchange/range_parts.hpp"

#include <algorithm>
#include <exception>
#include <thread>

#include "runtime/processes/memory.hpp"

namespace troupe {
namespace {

/// Takes much longer than to start a thread.
constexpr std::size_t kLeastPages = 256;

}  // namespace

std::vector<Range> parts_of(const Range& range, std::size_t learned_size, int threads) {
  const std::size_t end = std::clamp(learned_size, range.begin, range.end);
  const std::size_t pages = (end - range.begin) / kPageFloats;
  const std::size_t count = std::clamp<std::size_t>(pages / kLeastPages, 1, static_cast<std::size_t>(threads));
  std::vector<Range> parts;
  for (std::size_t i = 0; i < count; ++i)
    parts.push_back(
        {range.begin + pages * i / count * kPageFloats, range.begin + pages * (i + 1) / count * kPageFloats});
  parts.back().end = range.end;
  return parts;
}

void work_on(std::size_t parts, const std::function<void(std::size_t part)>& work) {
  if (parts == 1) return work(0);  // as in all steps of small models
  std::vector<std::exception_ptr> failures(parts);
  const auto attempt = [&](std::size_t part) noexcept {
    try {
      work(part);
    } catch (...) {
      failures[part] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(parts);
  try {
    while (threads.size() + 1 < parts) threads.emplace_back(attempt, threads.size());
  } catch (...) {  // the machine gives no more
  }
  for (std::size_t part = threads.size(); part < parts; ++part) attempt(part);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace troupe
