#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/troupe.hpp"

// Code that all host programs use.
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
/// Returns the programs that test when and on which thread a run starts and ends, and the programs about clusters.
Programs lifetime_programs();

void check(bool holds, const std::string& what);

/// Checks that the call throws the error for a foreign process within a second.
void check_refused(const char* name, const std::function<void()>& call);

using Calls = std::map<const char*, std::function<void()>>;
void check_all_refused(const Calls& calls);

/// Waits for the child and checks that it exits with status 0.
void await(pid_t child);

/// Waits until the child ends, with any status or signal.
void await_end(pid_t child);

/// A pipe with which a parent blocks its child until release().
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

/// Registers the model "shapes" and the function "count".
void register_models();

/// Returns the weights after `steps` steps.
std::vector<float> train(troupe::Placement placement, int steps);

}  // namespace troupe_test
