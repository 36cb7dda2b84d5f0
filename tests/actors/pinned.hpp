#pragma once

#include <doctest/doctest.h>
#include <sched.h>

namespace troupe_test {

/// Restricts this thread and the threads that it starts to one CPU during the lifetime of this object.
class Pinned {
 public:
  Pinned() {
    REQUIRE(::sched_getaffinity(0, sizeof kept_, &kept_) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &kept_)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  }
  ~Pinned() { ::sched_setaffinity(0, sizeof kept_, &kept_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t kept_{};
};

}  // namespace troupe_test
