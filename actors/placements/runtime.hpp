#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "actors/placements/host.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/reception.hpp"

namespace troupe {

/// The environment of a driver: the members, the mailbox to reach them, and the host of workers and state. It is
/// destroyed with the driver, unless a worker hangs in it.
struct Runtime {
  Runtime(Reception& its_mailbox, Members its_members) : mailbox(its_mailbox), members(std::move(its_members)) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  virtual std::unique_ptr<Host> make_host(const CreateModel& creator) = 0;
  virtual std::unique_ptr<StateHome> make_state_home(Rounds& rounds) = 0;

  Reception& mailbox;
  Members members;
  std::unique_ptr<Host> host;  ///< null until it is created
  Runtime* given_up_before = nullptr;
};

/// Leaves a runtime running that a hanging worker uses: all its memory stays valid.
void leave_running(std::unique_ptr<Runtime> runtime);

/// Creates the environment of a driver that starts with this number of workers.
using MakeRuntime = std::function<std::unique_ptr<Runtime>(const Hosting&, int num_workers)>;

/// Creates an actor system and an object store in this process, and the host of the placement.
/// @throws Error limit_reached if a limit of this machine does not allow it
std::unique_ptr<Runtime> make_actor_runtime(const Hosting& hosting, int num_workers);

}  // namespace troupe
