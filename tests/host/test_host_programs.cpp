#include <doctest/doctest.h>
#include <signal.h>

#include <sstream>
#include <string>
#include <vector>

#include "cluster/child.hpp"
#include "models/files.hpp"
#include "support/patience.hpp"

// Tests with programs that embed the library and call fork or become daemons.
namespace troupe_test {
namespace {

class HostProgram {
 public:
  explicit HostProgram(const std::string& name)
      : child_({"/proc/self/exe", "--host", name, results()}, folder_ / "log") {}

  std::string results() const { return folder_ / "results"; }
  std::string said() const { return std::filesystem::exists(results()) ? troupe::testing::read_file(results()) : ""; }
  /// Waits until the program, or a child of it, has written its result. Returns whether the result is success.
  bool says_it_went_well() {
    static_cast<void>(comes_true([&] { return said().ends_with('\n'); }, std::chrono::seconds(120)));
    if (said() != "well\n") MESSAGE(said() << child_.err());
    return said() == "well\n";
  }
  bool ends_well() {
    const bool ended_well = child_.wait() == 0;
    return says_it_went_well() && ended_well;
  }
  Child& process() { return child_; }

 private:
  troupe::testing::TemporaryFolder folder_;
  Child child_;
};

TEST_CASE("in a child of fork, calls on a run throw, the child exits at once, and the parent's results do not change") {
  for (const std::string name : {"threads", "threads, late", "processes", "processes, late"}) {
    CAPTURE(name);
    CHECK(HostProgram(name).ends_well());
  }
}

TEST_CASE("a child of fork that returns from a callback into the run gets the error") {
  CHECK(HostProgram("callback").ends_well());
}

TEST_CASE("a child of fork that returns into a worker's thread exits, and the worker still replies") {
  for (const std::string name : {"worker of threads", "worker of processes"}) {
    CAPTURE(name);
    CHECK(HostProgram(name).ends_well());
  }
}

TEST_CASE("a child of fork that returns into a read-ahead thread exits, and the run continues") {
  CHECK(HostProgram("data").ends_well());
}

TEST_CASE("a child of fork does not keep the port and the nodes of its parent's cluster") {
  CHECK(HostProgram("cluster").ends_well());
}

TEST_CASE("runs and trainers can be created, used and destroyed on any thread, also when the process ends") {
  for (const std::string name :
       {"elsewhere, threads", "elsewhere, processes", "static, threads", "static, processes"}) {
    CAPTURE(name);
    CHECK(HostProgram(name).ends_well());
  }
}

TEST_CASE("in a child of fork, calls on a trainer and on its run throw at once, and the parent's run continues") {
  for (const std::string name : {"trainer of threads", "trainer of processes"}) {
    CAPTURE(name);
    CHECK(HostProgram(name).ends_well());
  }
}

TEST_CASE("a child of fork does not affect the trials, the sockets and the temporary folder of its parent's search") {
  for (const std::string name : {"search, returns", "search, throws"}) {
    CAPTURE(name);
    CHECK(HostProgram(name).ends_well());
  }
}

TEST_CASE("a child of fork does not keep locks on its parent's folders and logs") {
  CHECK(HostProgram("folder").ends_well());
}

TEST_CASE("workers end with their driver although a child of the driver holds its sockets") {
  HostProgram program("killed");
  REQUIRE(comes_true([&] { return program.said().ends_with('\n'); }));
  std::istringstream pids(program.said());
  const pid_t driver = program.process().pid();
  ::kill(driver, SIGKILL);
  for (pid_t pid = 0; pids >> pid;) CHECK(comes_true([&] { return resident_bytes(pid) == 0; }));
}

TEST_CASE("a program can become a daemon before init, after init, and after its runs have ended") {
#if defined(__SANITIZE_THREAD__)
  MESSAGE("skipped: ThreadSanitizer treats the threads of a forked child as its parent's");
  return;
#endif
  for (const std::string name : {"daemon before init", "daemon after init", "daemon after runs"}) {
    CAPTURE(name);
    HostProgram program(name);
    CHECK(program.process().wait() == 0);
    CHECK(program.says_it_went_well());
  }
}

}  // namespace
}  // namespace troupe_test
