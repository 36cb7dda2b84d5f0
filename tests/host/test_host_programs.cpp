#include <doctest/doctest.h>
#include <signal.h>

#include <sstream>
#include <string>
#include <vector>

#include "cluster/child.hpp"
#include "models/files.hpp"
#include "support/patience.hpp"

// A program that embeds the library forks, or becomes a daemon.
namespace troupe_test {
namespace {

class HostProgram {
 public:
  explicit HostProgram(const std::string& name)
      : child_({"/proc/self/exe", "--host", name, results()}, folder_ / "log") {}

  std::string results() const { return folder_ / "results"; }
  std::string said() const { return std::filesystem::exists(results()) ? troupe::testing::read_file(results()) : ""; }
  /// Waits until the program, or a child of it, has written its result.
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

TEST_CASE("in a child of fork calls on a run throw at once, it ends at once, and the parent's bits stay") {
  for (const std::string name : {"threads", "threads, late", "processes", "processes, late"}) {
    CAPTURE(name);
    CHECK(HostProgram(name).ends_well());
  }
}

TEST_CASE("a child of fork that returns from a callback into the run gets the error") {
  CHECK(HostProgram("callback").ends_well());
}

TEST_CASE("a child of fork that returns into a worker's thread ends, and the worker answers as ever") {
  for (const std::string name : {"worker of threads", "worker of processes"}) {
    CAPTURE(name);
    CHECK(HostProgram(name).ends_well());
  }
}

TEST_CASE("a child of fork that returns into a thread which reads ahead ends, and the run goes on") {
  CHECK(HostProgram("data").ends_well());
}

TEST_CASE("a child of fork beside a cluster keeps neither its parent's port nor its nodes") {
  CHECK(HostProgram("cluster").ends_well());
}

TEST_CASE("runs and trainers are made, used and ended by whichever thread, also when the process ends") {
  for (const std::string name :
       {"elsewhere, threads", "elsewhere, processes", "static, threads", "static, processes"}) {
    CAPTURE(name);
    CHECK(HostProgram(name).ends_well());
  }
}

TEST_CASE("in a child of fork calls on a trainer and on its run throw at once, and the parent's run goes on") {
  for (const std::string name : {"trainer of threads", "trainer of processes"}) {
    CAPTURE(name);
    CHECK(HostProgram(name).ends_well());
  }
}

TEST_CASE("a child of fork leaves its parent's search alone: trials, their sockets and the temporary folder") {
  for (const std::string name : {"search, returns", "search, throws"}) {
    CAPTURE(name);
    CHECK(HostProgram(name).ends_well());
  }
}

TEST_CASE("a child of fork keeps no lock of its parent's folders and logs") {
  CHECK(HostProgram("folder").ends_well());
}

TEST_CASE("workers end with their driver though a child of it holds its sockets") {
  HostProgram program("killed");
  REQUIRE(comes_true([&] { return program.said().ends_with('\n'); }));
  std::istringstream pids(program.said());
  const pid_t driver = program.process().pid();
  ::kill(driver, SIGKILL);
  for (pid_t pid = 0; pids >> pid;) CHECK(comes_true([&] { return resident_bytes(pid) == 0; }));
}

TEST_CASE("a program becomes a daemon before init, after it, and after its runs have ended") {
#if defined(__SANITIZE_THREAD__)
  MESSAGE("skipped: ThreadSanitizer takes the threads of a forked child for its parent's");
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
