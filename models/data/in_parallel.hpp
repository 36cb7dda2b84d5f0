#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/http/transfers.hpp"

namespace troupe {

/// Calls `work` for each number below `count`, on as many threads as there are connections to servers: the calls spend
/// most of their time waiting for servers. Returns when all calls have returned.
/// @throws the exception of the call with the smallest number that has thrown one. No calls with larger numbers begin
/// after it
template <class Work>
void in_parallel(std::size_t count, const Work& work) {
  std::vector<std::exception_ptr> errors(count);
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) try {
        work(i);
      } catch (...) {
        errors[i] = std::current_exception();
        next = count;  // calls with smaller numbers have begun
      }
  };
  {
    std::vector<std::jthread> threads;
    try {
      while (threads.size() + 1 < std::min<std::size_t>(count, Transfers::kMostConnections)) threads.emplace_back(loop);
    } catch (const std::system_error&) {  // fewer threads do the same
    }
    loop();
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace troupe
