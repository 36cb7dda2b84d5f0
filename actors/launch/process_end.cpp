#include "actors/launch/process_end.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "runtime/fork/successor.hpp"

namespace troupe {

void leave(int status) {
  // Flushing may block, because the reader of the output may hang, or a thread that hangs may hold a lock that flushing
  // needs. Therefore SIGALRM ends the process after one second.
  std::signal(SIGALRM, SIG_DFL);
  ::alarm(1);
  std::fflush(nullptr);
  std::cout.flush();
  Successor::leave_status(status);
  std::_Exit(status);
}

void wait_for_hangup(int socket) {
  pollfd peer{socket, 0, 0};
  while (::poll(&peer, 1, -1) < 0 && errno == EINTR) {
  }
}

void wait_for_hangup(int socket, std::chrono::milliseconds every, const std::function<void()>& meanwhile) {
  pollfd peer{socket, 0, 0};
  for (;;) {
    const int ready = ::poll(&peer, 1, static_cast<int>(every.count()));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return;
    meanwhile();
  }
}

void go_on_at_hangup(int socket) {
  ::fcntl(socket, F_SETOWN, ::getpid());
  ::fcntl(socket, F_SETSIG, SIGCONT);
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_ASYNC);
}

}  // namespace troupe
