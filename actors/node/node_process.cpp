#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <thread>

#include "actors/launch/launch.hpp"
#include "actors/launch/process_end.hpp"
#include "actors/node/node_actor.hpp"
#include "actors/transport/start_needs.hpp"
#include "actors/transport/tls_transport.hpp"
#include "models/network/accelerators.hpp"
#include "runtime/arithmetic.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/net/certificates/expiry.hpp"
#include "runtime/net/gate/gate.hpp"
#include "runtime/processes/child_process.hpp"
#include "runtime/processes/cores.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/silence.hpp"

// The process of a node. The process serves one run after another, each in a new child process. So the remains of a
// failed run, such as a worker that hangs, do not affect later runs.
namespace troupe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The pause of a node between two runs.
constexpr milliseconds kPauseBetweenRuns{50};
constexpr milliseconds kFirstPause{200};
constexpr milliseconds kLongestPause{3000};
/// The pause of a node that the driver will take into its run after the present step. At most `kHellosPerSecond` hellos
/// per second are allowed.
constexpr milliseconds kSoon{400};
constexpr seconds kJoinTimeout{10};
/// The time for which a node keeps copies of the state of a run after the run's driver has disappeared.
constexpr seconds kKeepTime{600};
/// After a node has announced that it leaves, it waits at most this time until the driver has ended its part in the
/// run.
constexpr seconds kLeaveTimeout{60};
/// After a node has joined, it waits at most this time for the driver's first request. If the connection is then still
/// open, the node assumes that the driver has accepted it.
constexpr milliseconds kVerdictTimeout{500};
/// The join timeout in seconds for all runs after the first successful run. It replaces `NodeLaunch::join_timeout`,
/// unless `join_timeout` is 0 (no limit).
constexpr int kLaterTimeout = 20;
constexpr int kNoDriverCame = 3;  ///< exit status of a child process that found no driver in time
/// The exit status of a child process with `NodeLaunch::leaves` that has served a run. The next run may need the node's
/// copies of the state, too.
constexpr int kWantsToLeave = 4;
constexpr milliseconds kLookForSignal{500};
/// The time for which a node that leaves looks for a driver that needs its copies.
constexpr int kLeaverTimeout = 3;
constexpr const char* kWhose = "the node";

Token random_token() {
  Token token;
  std::random_device random;
  for (std::byte& each : token) each = static_cast<std::byte>(random());
  return token;
}

/// The signal SIGTERM requests a node to leave its run. The supervisor passes the signal on to its child process.
volatile std::sig_atomic_t asked_to_leave = 0;
volatile std::sig_atomic_t child_of_supervisor = 0;

void note_sigterm(int /*signal*/) {
  asked_to_leave = 1;
  if (child_of_supervisor > 0) ::kill(static_cast<pid_t>(child_of_supervisor), SIGTERM);
}

void handle_sigterm() {
  struct sigaction action {};
  action.sa_handler = note_sigterm;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTERM, &action, nullptr);
}

/// A connection to the driver, and the credentials with which it was made.
struct FoundDriver {
  std::shared_ptr<const Credentials> credentials;
  TlsStream control;
};

/// Connects to the driver at `launch.join`, sends `hello`, and waits until the driver's gate has accepted it.
/// @param name set to the name in this node's certificate, once the certificate has been read
FoundDriver dial_driver(const NodeLaunch& launch, const Hello& hello, std::string& name) {
  auto credentials = std::make_shared<const Credentials>(launch.certs, Role::node, launch.driver_name);
  name = credentials->name();
  TlsStream control = TlsStream::dial(launch.join, *credentials, Role::driver, Deadline(kJoinTimeout));
  say_hello(control, hello, Deadline(kJoinTimeout));
  return {std::move(credentials), std::move(control)};
}

/// Connects to the driver at `launch.join`, and retries until a driver accepts the connection. Reads the certificates
/// again for each attempt, because they may be renewed or revoked while the node waits. Ends the process if no driver
/// accepts the connection within the join timeout. If the user started the node for a single run (`launch.once`) and
/// the driver refuses the node, throws instead of retrying. If no driver accepts the connection for kKeepTime, frees
/// the copies of the state of an earlier run.
FoundDriver find_driver(const NodeLaunch& launch, const Hello& hello, NodeCopies& copies) {
  milliseconds pause = kFirstPause;
  std::string name = launch.certs;
  std::string said;
  const auto join_deadline = [&] {
    return launch.join_timeout > 0 ? Deadline(seconds(launch.join_timeout)) : Deadline::never();
  };
  Deadline deadline = join_deadline();
  Deadline keep(kKeepTime);
  for (;;) {
    if (deadline.passed()) leave(kNoDriverCame);
    if (asked_to_leave != 0 || (launch.leaves && said.find(kMayLeave) != std::string::npos)) leave(0);
    if (keep.passed()) copies.clear();
    try {
      return dial_driver(launch, hello, name);
    } catch (const Error& error) {
      if (launch.once && !launch.watched && error.code() == ErrorCode::protocol) throw;
      if (said != error.message())
        log_line(LogLevel::info, "node " + name + " waits for a driver: " + error.message(), {.node = name});
      said = error.message();
    }
    const bool soon = said.find(kTryAgainSoon) != std::string::npos;
    if (soon) {  // there is a driver
      deadline = join_deadline();
      keep = Deadline(kKeepTime);
      pause = kFirstPause;
    }
    Clock::sleep_for(soon ? kSoon : pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

/// Opens this node's gate, at which other nodes and the driver open data connections to this node.
/// @param control the control connection to the driver
Gate open_gate(const NodeLaunch& launch, const TlsStream& control, std::shared_ptr<const Credentials> credentials,
               DataPlane& data_plane, std::shared_ptr<net::RefusalLog> log) {
  const Address address = launch.listen.host.empty() ? Address{control.local_host(), 0} : launch.listen;
  return Gate(
      address, std::move(credentials),
      [&data_plane](const Hello& hello, const TlsStream& stream) {
        return hello.purpose == Purpose::data ? data_plane.admit(hello, stream) : "this is a node, not a driver";
      },
      [&data_plane](const Hello& hello, TlsStream stream) { data_plane.take(hello, std::move(stream)); },
      Gate::kHandshakeTimeout, std::move(log));
}

/// Returns the message with which this node joins the driver's run.
/// @param devices the number of accelerators of this machine
/// @param gate the address of this node's gate
/// @param copies the copies of the state that this node offers
/// @param own the local address of the control connection. If the gate listens on all addresses of the machine, the
/// message contains `own` instead of `gate.host`
NodeJoin make_join(const Hello& hello, int devices, std::vector<OfferedCopy> copies, const Address& gate,
                   const std::string& own) {
  NodeJoin join;
  join.token.assign(reinterpret_cast<const char*>(hello.token.data()), hello.token.size());
  join.pid = static_cast<std::int32_t>(::getpid());
  join.cores = usable_cores();
  join.devices = devices;
  join.host = gate.host == "0.0.0.0" || gate.host == "::" ? own : gate.host;
  join.port = gate.port;
  join.arithmetic = arithmetic();
  join.copies = std::move(copies);
  return join;
}

/// Blocks until it is known whether the driver has accepted this node. Returns true if the driver sends a request, or
/// keeps the control connection open for kVerdictTimeout. Returns false if the connection ends before that.
bool is_taken(caf::scoped_actor& self, const NodeService& service) {
  constexpr milliseconds kLookEvery{5};
  const Deadline verdict(kVerdictTimeout);
  while (!service.was_asked() && !verdict.passed())
    if (self->await_data(std::chrono::high_resolution_clock::now() + kLookEvery)) return service.was_asked();
  return true;
}

/// Logs why the driver ended the control connection before the run began, and ends the process. To learn the reason,
/// connects to the driver once more with the same `hello`, because the driver's gate replies with the reason.
[[noreturn]] void end_refused(const NodeLaunch& launch, const Hello& hello, std::string name) {
  std::string why = "the driver at " + launch.join.text() + " ended the connection before the run began";
  try {
    dial_driver(launch, hello, name);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::protocol) why = "the driver refuses this node: " + error.message();
  }
  log_line(LogLevel::error, std::string(to_string(ErrorCode::protocol)) + ": " + why, {.node = name});
  leave(1);
}

/// Announces to the driver that this node, which has joined with `hello`, leaves the run after the present step.
void announce_leave(const NodeLaunch& launch, Hello hello, const Credentials& credentials) try {
  hello.purpose = Purpose::leave;
  TlsStream stream = TlsStream::dial(launch.join, credentials, Role::driver, Deadline(kJoinTimeout));
  say_hello(stream, hello, Deadline(kJoinTimeout));
  log_line(LogLevel::info, "node " + credentials.name() + ": " + hear_status(stream, Deadline(kJoinTimeout)),
           {.node = credentials.name()});
} catch (const Error& error) {
  log_line(LogLevel::warning, std::string("the driver does not know that this node leaves: ") + error.what());
}

/// Blocks until the driver's actor ends, or until the driver has sent nothing for `cut_after`. In the second case, logs
/// a warning. If this process is asked to leave, calls `announce` once, and then waits at most kLeaveTimeout. If
/// `announce` is empty, does not wait. Returns whether the run has ended.
bool wait_for_end_of(caf::scoped_actor& self, const ControlLink& link, milliseconds cut_after,
                     const std::function<void()>& announce) {
  Silence silence({.cut_after = cut_after});
  std::optional<Deadline> leaves;
  while (!self->await_data(std::chrono::high_resolution_clock::now() + Silence::kEvery)) {
    if (leaves && leaves->passed()) return false;
    if (asked_to_leave != 0 && !leaves) {
      if (!announce) return false;
      announce();
      leaves.emplace(kLeaveTimeout);
    }
    if (silence.look(link.heard(), Clock::now()) != Silence::Verdict::gone) continue;
    log_line(LogLevel::warning, "the driver at " + link.address() + " shows " + silence.text());
    return true;
  }
  return true;
}

/// Tells the supervisor that this process has joined a run.
void report_joined() {
  const char byte = 1;
  if (::send(NodeLaunch::kParentSocket, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
    return;  // it waits a little longer
}

/// Returns whether the child process at the other end of `socket` has joined a run.
bool has_joined(const FileDescriptor& socket) {
  char byte = 0;
  return ::recv(socket.get(), &byte, 1, MSG_DONTWAIT) == 1;
}

void serve_one_run(const NodeLaunch& launch) {
  try_start(needs_of_node(), kWhose);  // tested before a driver counts on this node
  Hello hello = make_hello(launch.leaves ? Purpose::hand_over : Purpose::control);
  hello.token = random_token();
  const int devices = accelerator_count();  // counting may take seconds, so it is done before a driver waits for the
                                            // node
  NodeCopies copies =
      launch.watched ? NodeCopies({FileDescriptor(NodeLaunch::kFirstCopy), FileDescriptor(NodeLaunch::kSecondCopy)})
                     : NodeCopies();
  auto [credentials, control] = find_driver(launch, hello, copies);
  note_expiry(launch.certs);
  ObjectStore store(launch.store_bytes);
  const auto log = std::make_shared<net::RefusalLog>();
  const std::vector<OfferedCopy> offers = copies.offers();
  auto service =
      std::make_shared<NodeService>(store, credentials, launch.join, node_receivers(), log, std::move(copies));
  const Gate gate = open_gate(launch, control, credentials, service->data_plane(), log);
  const NodeJoin join = make_join(hello, devices, offers, gate.address(), control.local_host());
  try_start(needs_of_system(), kWhose);  // tested again, because other processes may have taken resources meanwhile
  SystemConfig config(1, Reach::machines, launch.cut_after);
  caf::actor_system system(config);
  const auto link = std::make_shared<ControlLink>(control, [log](const ControlLink& ended, const std::string& why) {
    log->dropped("the driver at " + ended.address(), why);
  });
  const caf::actor driver = connect_tls(system, std::move(control), link, kJoinTimeout);
  const Where here{.node = credentials->name()};
  caf::scoped_actor self(system);
  self->monitor(driver);
  before_send();
  system.spawn<caf::detached>(node_actor, service, &store, driver, join);
  if (is_taken(self, *service)) {
    if (launch.watched) report_joined();
    log_line(LogLevel::info, "node " + here.node + " joined the driver at " + link->address(), here);
    std::function<void()> announce;
    if (!launch.leaves) announce = [&launch, &hello, known = credentials] { announce_leave(launch, hello, *known); };
    if (!wait_for_end_of(self, *link, launch.cut_after, announce)) leave(0);
  }
  if (!service->was_asked() && !launch.leaves && asked_to_leave == 0) end_refused(launch, hello, here.node);
  log_line(LogLevel::info, "node " + here.node + ": the run has ended", here);
  leave(launch.leaves && service->was_asked() ? kWantsToLeave : 0);
}

/// Starts a thread that ends this process when the process that started it ends.
void follow_parent() {
  start_thread([] {
    wait_for_hangup(NodeLaunch::kParentSocket);
    leave(0);
  }).detach();
}

/// Returns whether a file contains a complete copy of the state.
bool has_copies(const NodeCopies::Files& files) {
  return !NodeCopies({duplicate(files[0].get()), duplicate(files[1].get())}).offers().empty();
}

/// Waits for the end of a child process, and passes SIGTERM on to it. Kills the child when the time to leave is over.
/// @param leaves when the time to leave is over; set by this function if SIGTERM comes while it waits
void await_child(ChildProcess& child, std::optional<Deadline>& leaves) {
  child_of_supervisor = child.pid();
  if (asked_to_leave != 0 && !leaves) child.signal(SIGTERM);
  while (!child.wait(kLookForSignal)) {
    if (asked_to_leave != 0 && !leaves) leaves.emplace(kLeaveTimeout);
    if (leaves && leaves->passed()) child.signal(SIGKILL);
  }
  child_of_supervisor = 0;
}

/// Starts one child process after the other; each child serves one run. After each child, pauses before the next start.
/// The pause grows while children fail before they have joined a run. Ends this process if a child found no driver
/// within the join timeout. The exit status is 0 if a run was served before, and otherwise 1. If this process is asked
/// to leave, its children serve as long as the driver needs the node's copies of the state, at most kLeaveTimeout.
[[noreturn]] void serve_runs(NodeLaunch launch) {
  launch.once = true;
  launch.watched = true;
  // The copies of the state outlive the child processes, so a run can continue from them after a child has died.
  const NodeCopies::Files copies = NodeCopies::make_files();
  bool served = false;
  milliseconds pause = kPauseBetweenRuns;
  std::optional<Deadline> leaves;
  for (;;) {
    if (asked_to_leave != 0) {
      if (!leaves) leaves.emplace(kLeaveTimeout);
      if (leaves->passed() || !has_copies(copies)) leave(0);
      launch.leaves = true;
      launch.join_timeout = kLeaverTimeout;
    }
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("socketpair");
    const FileDescriptor ours(ends[0]);
    FileDescriptor theirs(ends[1]);
    auto child = ChildProcess::start_again(program_arguments(),
                                           {{theirs.get(), NodeLaunch::kParentSocket},
                                            {copies[0].get(), NodeLaunch::kFirstCopy},
                                            {copies[1].get(), NodeLaunch::kSecondCopy}},
                                           {launch_variable(launch.arguments())});
    theirs = {};
    await_child(child, leaves);
    if (launch.leaves && child.exit_status() != kWantsToLeave) leave(0);
    if (child.exit_status() == kNoDriverCame && asked_to_leave == 0) leave(served ? 0 : 1);
    const bool well = child.exit_status() == 0 || launch.leaves || has_joined(ours);
    served = served || well;
    if (served && launch.join_timeout > 0) launch.join_timeout = kLaterTimeout;
    pause = well ? kPauseBetweenRuns : std::clamp(2 * pause, kFirstPause, kLongestPause);
    if (asked_to_leave == 0) Clock::sleep_for(pause);
  }
}

}  // namespace

void run_node(const NodeLaunch& launch) {
  try {
    handle_sigterm();
    Silence::check(launch.cut_after, "cut_after");
    // Check the certificates once at the start of the node, so that a mistake is reported at once. Later, certificates
    // may be invalid for some time until they are renewed.
    if (!launch.watched) const Credentials checked(launch.certs, Role::node);
    if (!launch.once) {
      try_start(needs_of_supervisor(), kWhose);
      serve_runs(launch);
    }
    if (launch.watched) follow_parent();
    serve_one_run(launch);
  } catch (const Error& error) {
    log_line(LogLevel::error, std::string(to_string(error.code())) + ": " + error.what(), error.where());
  } catch (const std::exception& error) {
    log_line(LogLevel::error, error.what());
  }
  leave(1);
}

}  // namespace troupe
