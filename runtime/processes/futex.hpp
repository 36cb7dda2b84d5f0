#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace troupe {

/// Blocks the calling thread until `wake_all` is called for `word`, at most for `timeout`. Returns immediately if
/// `word` does not have the value `value`. May also return without a reason, so callers must check `word` again. `word`
/// may be in memory that several processes share.
void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::milliseconds timeout);
/// Wakes all threads, of this and other processes, that sleep in `sleep_while` for `word`.
void wake_all(const std::atomic<std::uint32_t>& word);

}  // namespace troupe
