#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "actors/launch/launch.hpp"
#include "actors/launch/process_end.hpp"
#include "actors/placements/local/last_words.hpp"
#include "actors/placements/local/store_memory.hpp"
#include "actors/transport/local_transport.hpp"
#include "actors/transport/start_needs.hpp"
#include "actors/worker/worker_actor.hpp"
#include "runtime/fork/successor.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/held_signals.hpp"
#include "runtime/silence.hpp"

namespace troupe {
namespace {

bool has_hung_up(int socket) {
  pollfd peer{socket, 0, 0};
  return ::poll(&peer, 1, 0) > 0;
}

/// Removes the socket at which the driver accepts workers, and the socket's folder. Both still exist only if the driver
/// was killed while workers joined.
void remove_socket(const WorkerLaunch& launch) {
  const std::filesystem::path socket(launch.socket);
  std::error_code ignored;
  std::filesystem::remove(socket, ignored);
  std::filesystem::remove(socket.parent_path(), ignored);
}

/// Duplicates the inherited file descriptor `number`, closes the original, and returns the duplicate, which child
/// processes of this process do not inherit.
/// @param missing the error message if there is no descriptor `number`
FileDescriptor take_inherited(int number, const char* missing) {
  FileDescriptor inherited(number);
  FileDescriptor taken(::fcntl(inherited.get(), F_DUPFD_CLOEXEC, 0));
  if (!taken) throw_errno(missing);
  return taken;
}

/// Makes this worker process survive signals such as SIGINT and SIGTERM, by installing handlers that do nothing.
/// Ctrl-C, timeout(1) and systemd send these signals to the whole process group. Only the driver reacts to such a
/// signal; workers end when the driver ends. The signals are not simply ignored, because a program that users' code
/// executes would inherit this; handlers, in contrast, are reset in an executed program.
void leave_signals_to_the_driver() {
  struct sigaction nothing = {};
  nothing.sa_handler = [](int) {};
  nothing.sa_flags = SA_RESTART;
  for (const int number : kEndingSignals) ::sigaction(number, &nothing, nullptr);
}

/// Runs the worker in this process until the driver ends, and then ends the process.
/// @param watched the socket to the driver's object store, whose other end is closed when the driver ends
/// @param signs the file into which this process writes its signs of life
void serve(const WorkerLaunch& launch, int watched, int signs) {
  auto store = std::make_shared<StoreClient>(store::make_socket_channel(duplicate(watched)));
  share_memory(make_store_memory(store));
  auto worker = std::make_shared<Worker>(launch.worker, std::move(store), CreateModel());

  try_start(needs_of_system(), "its process");
  SystemConfig config(1, Reach::processes);
  caf::actor_system system(config);
  const caf::actor driver = connect_local(system, launch.socket, std::chrono::seconds(20));
  before_send();
  system.spawn(worker_actor, worker, driver);
  std::uint64_t count = 0;
  const pid_t parent = ::getppid();
  wait_for_hangup(watched, Silence::kEvery, [&] {
    show_life(signs, ++count);
    if (::getppid() == parent || !Successor::is_started_process()) return;
    // The driver has ended, although its sockets are open: a child that the driver has forked keeps them open.
    remove_socket(launch);
    leave(0);
  });
  remove_socket(launch);
  leave(0);
}

}  // namespace

void run_worker_process(const WorkerLaunch& launch) {
  leave_signals_to_the_driver();
  FileDescriptor watched;
  FileDescriptor last_words;
  try {
    last_words = take_inherited(WorkerLaunch::kLastWords, "cannot inherit the file for last words");
    watched = take_inherited(WorkerLaunch::kStoreSocket, "cannot inherit the object store's socket");
    go_on_at_hangup(watched.get());
    serve(launch, watched.get(), last_words.get());
  } catch (const std::exception& error) {
    if (watched && has_hung_up(watched.get())) {
      remove_socket(launch);
    } else if (last_words) {
      leave_last_words(last_words.get(), error);
    } else {
      log_line(LogLevel::error, "worker " + std::to_string(launch.worker) + ": " + error.what(),
               {.worker = launch.worker});
    }
  }
  leave(1);
}

}  // namespace troupe
