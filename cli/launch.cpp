#include "cli/launch.hpp"

#include <poll.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <list>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/hosts_file.hpp"
#include "cli/remote_node.hpp"
#include "cli/run_options.hpp"
#include "cli/words.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/net/address.hpp"
#include "runtime/processes/child_process.hpp"
#include "runtime/processes/held_signals.hpp"
#include "troupe/error.hpp"

namespace troupe::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 50ms;  // maximum wait for output of the nodes before the next check whether nodes have ended
// Maximum time to wait for the nodes to end after a request, and for the driver to end after SIGTERM.
constexpr auto kPatience = 5000ms;

struct LaunchOptions {
  std::string hosts;
  std::string listen;
  std::string join;
  std::string certs = "certs";
  std::string node_certs;
  std::string troupe = "troupe";
  std::string node_program;
  std::string remote_shell = "ssh -o BatchMode=yes -o ConnectTimeout=10";
  std::chrono::milliseconds start_timeout = TimeoutOptions().start;
  std::vector<std::string> command;
};

/// Returns the number of a signal of `kEndingSignals` that has arrived while it was blocked, and removes this signal
/// from the pending signals. Returns 0 if no such signal has arrived.
int take_signal() {
  const sigset_t ending = ending_signals();
  const timespec now{};
  return std::max(0, ::sigtimedwait(&ending, nullptr, &now));
}

/// Sets options that the user did not give, and whose defaults depend on other options. @throws Error invalid_argument
/// if the driver's address cannot be determined
void complete(LaunchOptions& options) {
  if (options.listen.empty()) options.listen = flag_value(options.command, "--listen");
  if (options.listen.empty())
    throw Error(ErrorCode::invalid_argument, "the driver's address is missing: give --listen ADDRESS:PORT");
  const std::string host = Address::parse(options.listen, 1).host;
  if (options.join.empty() && (host == "0.0.0.0" || host == "::"))
    throw Error(ErrorCode::invalid_argument, "nodes cannot dial " + options.listen + ": give --join HOST:PORT");
  if (options.join.empty()) options.join = options.listen;
  Address::parse(options.join, 1);
  if (options.node_certs.empty()) options.node_certs = options.certs + "/{host}";
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Returns the command that starts a node on `host`. In the path of the node's certificates, `{host}` is replaced by
/// the name of the host, without "USER@".
std::vector<std::string> node_command(const LaunchOptions& options, const std::string& host) {
  const std::string certs = replaced(options.node_certs, "{host}", host.substr(host.find('@') + 1));
  if (!options.node_program.empty())
    return {options.node_program, "--troupe-join=" + options.join, "--troupe-certs=" + certs};
  return {options.troupe, "node", "--join", options.join, "--certs", certs};
}

std::vector<std::string> driver_command(const LaunchOptions& options, std::size_t nodes) {
  std::vector<std::string> arguments{"env", "--"};
  for (const std::string& word : options.command)
    arguments.push_back(replaced(replaced(replaced(word, "{listen}", options.listen), "{nodes}", std::to_string(nodes)),
                                 "{certs}", options.certs + "/driver"));
  return arguments;
}

/// The nodes on all hosts of the hosts file. The destructor ends the nodes.
class Nodes {
 public:
  explicit Nodes(const LaunchOptions& options) {
    for (const std::string& host : read_hosts(options.hosts))
      nodes_.emplace_back(host, words(options.remote_shell), node_command(options, host));
  }

  ~Nodes() { stop(); }
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  std::size_t size() const { return nodes_.size(); }

  /// Waits until the node's program has been started on all hosts, or a signal arrives. Returns the number of the
  /// signal, or 0.
  /// @throws Error timeout or system, both with the name of the host, if a program was not started
  int reach(std::chrono::milliseconds timeout) {
    const Deadline deadline(timeout);
    for (;;) {
      pass_on();
      if (const int signal = take_signal(); signal != 0) return signal;
      const auto missing = std::find_if(nodes_.begin(), nodes_.end(), [](const auto& each) { return !each.reached(); });
      if (missing == nodes_.end()) return 0;
      if (deadline.passed()) fail(*missing, ErrorCode::timeout, "cannot be reached in time");
      check();
    }
  }

  /// Waits at most kLook for output of the nodes, and prints the available output.
  void pass_on() {
    std::vector<pollfd> waiting;
    for (const RemoteNode& node : nodes_) waiting.push_back({node.output(), POLLIN, 0});
    ::poll(waiting.data(), waiting.size(), static_cast<int>(kLook.count()));
    auto node = nodes_.begin();
    for (const pollfd& each : waiting) {
      if (each.revents != 0) node->pass_on();
      ++node;
    }
  }

  /// Logs a line for each node that has ended, and removes this node from the list. @throws Error system with the name
  /// of the host, if a node could not be started
  void check() {
    for (auto node = nodes_.begin(); node != nodes_.end();) {
      if (node->output() >= 0 || !node->ended()) {
        ++node;
        continue;
      }
      if (!node->reached()) fail(*node, ErrorCode::system, "cannot be reached");
      if (node->exit_status() == 126 || node->exit_status() == 127)
        fail(*node, ErrorCode::system, "cannot start the node's program");
      log_line(LogLevel::error,
               node->host() + ": the node has ended with status " + std::to_string(node->exit_status()));
      node = nodes_.erase(node);
    }
  }

 private:
  [[noreturn]] static void fail(const RemoteNode& node, ErrorCode code, const std::string& what) {
    const std::string& words = node.last_line();
    throw Error(code, "host " + node.host() + " " + what + (words.empty() ? "" : ": " + words),
                {.node = node.host(), .phase = "start"});
  }

  /// Makes all nodes end, and waits at most kPatience for their end.
  void stop() {
    // The destructor of RemoteNode kills the remote shell.
    nodes_.remove_if([](const RemoteNode& node) { return !node.reached(); });
    for (RemoteNode& node : nodes_) node.stop();
    const Deadline deadline(kPatience);
    while (!nodes_.empty() && !deadline.passed()) {
      pass_on();
      nodes_.remove_if([](RemoteNode& node) { return node.output() < 0 && node.ended(); });
    }
  }

  std::list<RemoteNode> nodes_;
};

/// Runs the driver with the command line `command`, and returns the driver's exit status. If a node could not be
/// started, ends the driver and throws.
int run_driver(Nodes& nodes, const std::vector<std::string>& command) {
  auto driver = ChildProcess::start("/usr/bin/env", command, {});
  try {
    while (!driver.wait(0ms)) {
      nodes.pass_on();
      const int signal = take_signal();
      if (signal != 0 && signal != SIGINT)
        driver.signal(signal);  // SIGINT is not passed on, because on Ctrl-C the terminal sends it to the driver, too
      nodes.check();
    }
  } catch (const Error&) {
    driver.signal(SIGTERM);
    driver.wait(kPatience);
    throw;
  }
  return driver.exit_status();
}

int launch(LaunchOptions options) {
  complete(options);
  const HeldSignals held;
  Nodes nodes(options);
  const auto command = driver_command(options, nodes.size());
  const int signal = nodes.reach(options.start_timeout);
  return signal != 0 ? 128 + signal : run_driver(nodes, command);
}

}  // namespace

void add_launch(CLI::App& app, int& status) {
  auto options = std::make_shared<LaunchOptions>();
  CLI::App& launching = *app.add_subcommand(
      "launch", "Start nodes on other hosts over ssh, run COMMAND (the driver), and stop the nodes when it ends");
  launching.add_option("--hosts", options->hosts, "File with one host per line; # starts a comment")->required();
  launching.add_option("--listen", options->listen, "ADDRESS:PORT of the driver; default: COMMAND's --listen");
  launching.add_option("--join", options->join, "HOST:PORT by which nodes reach the driver; default: as --listen");
  launching
      .add_option("--certs", options->certs,
                  "Folder of credentials: driver/ on this machine, a folder with its name on each host")
      ->envname("TROUPE_CERTS");
  launching.add_option("--node-certs", options->node_certs,
                       "The node's credentials on the hosts; {host} is the host's name; default: CERTS/{host}");
  auto* troupe = launching.add_option("--troupe", options->troupe, "The troupe program on the hosts");
  launching.add_option("--node-program", options->node_program, "Your own program to start as node instead")
      ->excludes(troupe);
  launching.add_option("--rsh", options->remote_shell, "Remote shell, called with a host and a command");
  add_seconds(launching, "--start-timeout", options->start_timeout, "Timeout to reach all hosts, in seconds")
      ->check(CLI::Range(0.001, 1e6));
  launching
      .add_option("COMMAND", options->command,
                  "The driver, such as: troupe train --placement cluster ...; "
                  "{listen}, {nodes} and {certs} are replaced by its values of --listen, --nodes and --certs")
      ->required();
  launching.positionals_at_end();
  launching.callback([options, &status] { status = launch(*options); });
}

}  // namespace troupe::cli
