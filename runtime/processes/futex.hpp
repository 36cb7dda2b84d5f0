#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace troupe {

/// Sleeps while `word`, which other processes may share, has the given value. Wakes on `wake_all`, at the latest after
/// `timeout`, and sometimes spuriously.
void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::milliseconds timeout);
void wake_all(const std::atomic<std::uint32_t>& word);

}  // namespace troupe
