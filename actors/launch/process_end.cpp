#include "actors/launch/process_end.hpp"

#include <poll.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace troupe {

void leave(int status) {
  std::fflush(nullptr);
  std::cout.flush();
  std::_Exit(status);
}

void wait_for_hangup(int socket) {
  pollfd peer{socket, 0, 0};
  while (::poll(&peer, 1, -1) < 0 && errno == EINTR) {
  }
}

}  // namespace troupe
