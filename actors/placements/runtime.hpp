#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "actors/placements/host.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/reception.hpp"

namespace troupe {

/// What a driver stands on: who is there, how it reaches them, and where they and the state live. It goes when the
/// driver goes, unless a worker hangs in it.
struct Runtime {
  Runtime(Reception& its_mailbox, Members its_members) : mailbox(its_mailbox), members(std::move(its_members)) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  virtual std::unique_ptr<Host> make_host(const CreateModel& creator) = 0;
  virtual std::unique_ptr<StateHome> make_state_home(Rounds& rounds) = 0;

  Reception& mailbox;
  Members members;
  std::unique_ptr<Host> host;  ///< none before it is made
  Runtime* given_up_before = nullptr;
};

/// It goes on as it is, whoever hangs in it: all that may be touched stays.
void leave_running(std::unique_ptr<Runtime> runtime);

/// Makes what a driver stands on that begins with so many workers.
using MakeRuntime = std::function<std::unique_ptr<Runtime>(const Hosting&, int num_workers)>;

/// An actor system and an object store of this process, and the host of the placement.
/// @throws Error limit_reached where a limit of this machine does not allow it
std::unique_ptr<Runtime> make_actor_runtime(const Hosting& hosting, int num_workers);

}  // namespace troupe
