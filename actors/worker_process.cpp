#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "actors/launch.hpp"
#include "actors/local_transport.hpp"
#include "actors/worker_actor.hpp"

namespace troupe {
namespace {

/// Ends without destructors: replicas may be in the middle of a long computation, and all that others could miss is
/// given back by the end of the process.
[[noreturn]] void leave(int status) {
  std::fflush(nullptr);
  std::cout.flush();
  std::_Exit(status);
}

void wait_for_hangup(int socket) {
  pollfd peer{socket, 0, 0};
  while (::poll(&peer, 1, -1) < 0 && errno == EINTR) {
  }
}

void serve(const WorkerLaunch& launch) {
  FileDescriptor store_socket(WorkerLaunch::kStoreSocket);
  if (::fcntl(store_socket.get(), F_SETFD, FD_CLOEXEC) != 0) throw_errno("the object store's socket is not there");
  const int watched = ::fcntl(store_socket.get(), F_DUPFD_CLOEXEC, 0);
  auto store = std::make_unique<StoreClient>(store::make_socket_channel(std::move(store_socket)));
  auto worker = std::make_shared<Worker>(launch.worker, std::move(store), CreateModel());

  SystemConfig config(1, true);
  caf::actor_system system(config);
  const caf::actor driver = connect_local(system, launch.socket, std::chrono::seconds(20));
  system.spawn(worker_actor, worker, driver);
  wait_for_hangup(watched);
  leave(0);
}

}  // namespace

void run_worker_process(const WorkerLaunch& launch) {
  // Ctrl-C reaches the whole process group; the driver decides what it means, and its end is the workers' end.
  std::signal(SIGINT, SIG_IGN);
  try {
    serve(launch);
  } catch (const std::exception& error) {
    std::cerr << "troupe: worker " << launch.worker << ": " << error.what() << '\n';
  }
  leave(1);
}

}  // namespace troupe
