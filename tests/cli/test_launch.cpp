#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/processes.hpp"
#include "cli/refused.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "support/text.hpp"

using namespace troupe_test;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

/// A fake cluster on this machine: a remote shell that runs its command here, and a node that writes its arguments and
/// pid.
class Hosts {
 public:
  explicit Hosts(const std::string& hosts = "# two\nalpha\n  user@beta  # the second\n\n") {
    write_file(folder_ / "hosts", hosts);
    write_script("rsh", R"(host=$1; shift
case $host in
  lost*) printf 'no route to \033[2J%s\n' "$host" >&2; exit 255 ;;
  silent*) exec sleep 1000 ;;
esac
exec sh -c "$*")");
    write_script("node",
                 "trap 'echo told to end; exit 0' TERM\necho \"node: $*\"\necho $$ >\"$0-$$\"; mv \"$0-$$\" \"$0.$$\"\n"
                 "while :; do sleep 0.02; done");
    write_script("driver", "cd '" + folder_.path().string() +
                               "'; while [ $(ls | grep -c '^node\\.') -lt $1 ]; do "
                               "sleep 0.02; done; shift; eval \"$@\"");
  }

  std::vector<std::string> launch(const std::vector<std::string>& options,
                                  const std::vector<std::string>& driver) const {
    std::vector<std::string> all{"launch", "--hosts", folder_ / "hosts", "--rsh", folder_ / "rsh"};
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("--");
    all.insert(all.end(), driver.begin(), driver.end());
    return all;
  }

  /// Launches nodes that write their pids. The driver starts with a wait for `nodes` of them.
  std::vector<std::string> launch_nodes(int nodes, const std::string& script) const {
    return launch({"--troupe", folder_ / "node", "--listen", "10.0.0.1:7070"},
                  {folder_ / "driver", std::to_string(nodes), script});
  }

  std::vector<pid_t> nodes() const {
    std::vector<pid_t> pids;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      if (entry.path().filename().string().starts_with("node.")) {
        std::ifstream file(entry.path());
        for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
      }
    return pids;
  }

  std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  void write_script(const std::string& name, const std::string& lines) const {
    write_file(folder_ / name, "#!/bin/sh\n" + lines + "\n");
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }

  TemporaryFolder folder_;
};

bool holds_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("launch starts a node per host and the driver, forwards their output and ends them") {
  const Hosts hosts;
  const Finished run = run_program(hosts.launch_nodes(2, "echo {listen} {nodes} {certs}; exit 5"));
  CHECK(run.status == 5);
  CHECK(run.out == "10.0.0.1:7070 2 certs/driver\n");
  for (const std::string host : {"alpha", "user@beta"}) {
    const std::string own = host == "alpha" ? "certs/alpha" : "certs/beta";  // each host has its own certificate
    CHECK_MESSAGE(holds_line(run.err, host + ": node: node --join 10.0.0.1:7070 --certs " + own), run.err);
    CHECK_MESSAGE(holds_line(run.err, host + ": told to end"), run.err);
  }
  REQUIRE(hosts.nodes().size() == 2);
  for (const pid_t pid : hosts.nodes()) CHECK(Watch(pid).ends());
}

TEST_CASE("launch passes arguments with special characters unchanged to driver and nodes") {
  const Hosts hosts("alpha\n");
  const auto options = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"--node-program", hosts / "node", "--certs", "it's a\nfolder; $(exit) \"here\""};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Finished run = run_program(hosts.launch(options({}), {hosts / "driver", "1", "printf '[%s]' \"$@\" #",
                                                              "--listen=h:1", "--config", "a  b", "it's", "--"}));
  CHECK_MESSAGE(run.status == 0, run.err);
  CHECK(contains(run.out, "[--listen=h:1][--config][a  b][it's][--]"));
  CHECK_MESSAGE(contains(run.err, "alpha: node: --troupe-join=h:1 --troupe-certs=it's a\n"), run.err);
  CHECK_MESSAGE(contains(run.err, "alpha: folder; $(exit) \"here\"/alpha\n"), run.err);
}

TEST_CASE("launch gives each node the credentials of --node-certs") {
  for (const auto& [certs, given] : {std::pair{"same", "same"}, std::pair{"of-{host}/it", "of-alpha/it"}}) {
    const Hosts hosts("user@alpha\n");
    const Finished run = run_program(
        hosts.launch({"--troupe", hosts / "node", "--listen", "h:1", "--node-certs", certs}, {hosts / "driver", "1"}));
    CHECK_MESSAGE(holds_line(run.err, std::string("user@alpha: node: node --join h:1 --certs ") + given), run.err);
  }
}

TEST_CASE("a host that cannot be reached is named, and the nodes of other hosts end") {
  const auto start_timeout = std::chrono::ceil<std::chrono::seconds>(
      generous_deadline([] { run_program(Hosts("alpha\n").launch_nodes(1, "true")); }));
  for (const std::string name : {"lost1", "silent1"}) {
    const Hosts hosts("alpha\n" + name + "\n");
    auto arguments = hosts.launch_nodes(0, "echo never");
    arguments.insert(arguments.begin() + 1, {"--start-timeout", std::to_string(start_timeout.count())});
    const Finished run = run_program(arguments);
    CHECK(run.status == 1);
    CHECK(run.out.empty());
    CHECK_MESSAGE(contains(run.err, "host " + name + " cannot be reached"), run.err);
    CHECK_FALSE(contains(run.err, "\x1b"));  // control characters from hosts are not printed
    for (const pid_t pid : hosts.nodes()) CHECK(Watch(pid).ends());
  }
}

TEST_CASE("a host without the program is named, and the driver ends") {
  const Hosts hosts("alpha\n");
  const Finished run = run_program(hosts.launch({"--troupe", hosts / "missing", "--listen", "h:1"}, {"sleep", "1000"}));
  CHECK(run.status == 1);
  CHECK_MESSAGE(contains(run.err, "host alpha cannot start the node's program"), run.err);
}

TEST_CASE("the end of a node is reported, and the driver continues") {
  const Hosts hosts("alpha\n");
  Program program(hosts.launch_nodes(1, "kill -9 $(cat node.*); while ! [ -e told ]; do sleep 0.02; done; echo done"));
  CHECK(program.says("the node has ended"));
  write_file(hosts / "told", "");
  const Finished run = program.finish();
  CHECK(run.status == 0);
  CHECK(run.out == "done\n");
  CHECK_MESSAGE(holds_line(run.err, "troupe: alpha: the node has ended with status 137"), run.err);
}

TEST_CASE("launch forwards a signal to the driver and returns its status") {
  for (const int signal : {SIGTERM, SIGHUP}) {
    const Hosts hosts;
    Program program(hosts.launch_nodes(2, "trap 'exit 9' TERM HUP; echo ready; while :; do sleep 0.02; done"));
    REQUIRE(program.prints("ready"));
    ::kill(program.pid(), signal);
    CHECK(program.finish().status == 9);
    for (const pid_t pid : hosts.nodes()) CHECK(Watch(pid).ends());
  }
}

TEST_CASE("nodes end when launch ends, even if it is killed") {
  const Hosts hosts;
  Program program(hosts.launch_nodes(2, "echo ready; sleep 1000"));
  REQUIRE(program.prints("ready"));
  std::vector<Watch> watches;
  for (const pid_t pid : hosts.nodes()) watches.emplace_back(pid);
  REQUIRE(watches.size() == 2);
  ::kill(program.pid(), SIGKILL);
  for (const Watch& watch : watches) CHECK(watch.ends());
}

TEST_CASE("launch refuses invalid arguments") {
  const auto says = [](const std::vector<std::string>& arguments, const std::string& words) {
    check_refused(arguments, {words});
  };
  const Hosts hosts;
  says(hosts.launch({}, {"true"}), "--listen ADDRESS:PORT");
  says(hosts.launch({"--listen", "0.0.0.0:7070"}, {"true"}), "--join");
  says(hosts.launch({"--listen", "[::]:7070"}, {"true"}), "--join");
  says(hosts.launch({"--listen", "here:0"}, {"true"}), "here:0");
  says(hosts.launch({"--listen", "h:1", "--join", "there"}, {"true"}), "there");
  says(Hosts("alpha\n-oProxyCommand=x\n").launch({"--listen", "h:1"}, {"true"}), "line 2");
  says(Hosts("alpha beta\n").launch({"--listen", "h:1"}, {"true"}), "line 1");
  says(Hosts("# nobody\n").launch({"--listen", "h:1"}, {"true"}), "no host");
  says({"launch", "--hosts", hosts / "nothere", "--listen", "h:1", "--", "true"}, "nothere");
}
