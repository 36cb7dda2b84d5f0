#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace troupe {

/// Blocks while `word` has the value `value`, at most for `timeout`. Returns after `wake_all` for the same word, and
/// sometimes without a reason. The word may be in memory that several processes share.
void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::milliseconds timeout);
/// Wakes all threads, of this and other processes, that sleep in `sleep_while` for `word`.
void wake_all(const std::atomic<std::uint32_t>& word);

}  // namespace troupe
