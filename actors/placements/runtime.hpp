#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "actors/placements/host.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/reception.hpp"

namespace troupe {

/// The objects on which a driver runs: the members, the mailbox through which it reaches them, and the host. They are
/// destroyed with the driver, unless a worker hangs in this process (see `leave_running`).
struct Runtime {
  Runtime(Reception& its_mailbox, Members its_members) : mailbox(its_mailbox), members(std::move(its_members)) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  virtual std::unique_ptr<Host> make_host(const CreateModel& creator) = 0;
  virtual std::unique_ptr<StateHome> make_state_home(Rounds& rounds) = 0;

  Reception& mailbox;
  Members members;
  std::unique_ptr<Host> host;  ///< null until the owner has called `make_host`
  Runtime* given_up_before = nullptr;
};

/// Never destroys `runtime`, because a hanging worker of this process still uses its memory.
void leave_running(std::unique_ptr<Runtime> runtime);

/// A function that creates the runtime of a driver with `num_workers` workers at the start.
using MakeRuntime = std::function<std::unique_ptr<Runtime>(const Hosting&, int num_workers)>;

/// Creates a runtime with an actor system and an object store in this process. Its host is the host of
/// `hosting.placement`.
/// @throws Error limit_reached if a limit of this machine does not allow as many threads or files
std::unique_ptr<Runtime> make_actor_runtime(const Hosting& hosting, int num_workers);

}  // namespace troupe
