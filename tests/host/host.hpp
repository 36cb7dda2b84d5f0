#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/troupe.hpp"

// What host programs have in common.
namespace troupe_test {

/// The arguments of a host program.
struct Host {
  int argc;
  char** argv;
  std::string results = {};

  void init() { troupe::init(argc, argv); }
  void write(const std::string& text) const;
};

using Programs = std::map<std::string, std::function<int(Host&)>>;
/// Those about where and when a run begins and ends, and about clusters.
Programs lifetime_programs();

void check(bool holds, const std::string& what);

/// Checks that a call throws the error of a foreign process within a second.
void check_refused(const char* name, const std::function<void()>& call);

using Calls = std::map<const char*, std::function<void()>>;
void check_all_refused(const Calls& calls);

/// Waits for the child, which must end by itself, with status 0.
void await(pid_t child);

/// Waits for a child that ends by itself, in whichever way.
void await_end(pid_t child);

/// The two ends of a pipe, over which a parent holds its child back.
class Hold {
 public:
  Hold() { check(::pipe(ends_) == 0, "pipe"); }
  void wait() {
    char byte = 0;
    ::close(ends_[1]);
    check(::read(ends_[0], &byte, 1) == 0, "read");
  }
  void release() { ::close(ends_[1]); }

 private:
  int ends_[2] = {-1, -1};
};

troupe::Options options_of(troupe::Placement placement);

std::unique_ptr<troupe::Model> shapes(std::uint64_t seed);

/// Model "shapes" and function "count".
void register_models();

/// The weights after so many steps.
std::vector<float> train(troupe::Placement placement, int steps);

}  // namespace troupe_test
