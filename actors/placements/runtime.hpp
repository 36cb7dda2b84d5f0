#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "actors/placements/host.hpp"
#include "actors/rounds/members.hpp"
#include "actors/rounds/reception.hpp"

namespace troupe {

/// The objects that a driver uses: the record of members, the mailbox through which the driver exchanges messages with
/// members, and the host. A runtime is destroyed with its driver, unless a worker hangs in this process (see
/// `leave_running`).
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

/// Keeps `runtime` until the process ends, instead of destroying it. Called if a worker of this process hangs, because
/// the worker still uses the runtime's memory.
void leave_running(std::unique_ptr<Runtime> runtime);

/// A function that creates the runtime for a driver whose run starts with `num_workers` workers.
using MakeRuntime = std::function<std::unique_ptr<Runtime>(const Hosting&, int num_workers)>;

/// Creates a runtime with an actor system and an object store in this process. Its `make_host` creates the host of the
/// placement `hosting.placement`.
/// @throws Error limit_reached if a limit of this machine does not allow as many threads or files as the driver needs
std::unique_ptr<Runtime> make_actor_runtime(const Hosting& hosting, int num_workers);

}  // namespace troupe
