#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/store/object_id.hpp"

// The protocol between a store and its clients: one fixed-size message in each direction, with at most one descriptor.
namespace troupe::store {

inline constexpr std::uint32_t kMagic = 0x31535254;  // "TRS1"

enum class Operation : std::uint32_t { create = 1, open, seal, get, release, trim };

enum class Status : std::uint32_t {
  ok = 0,
  full,       ///< the object exceeds the quota
  no_memory,  ///< the machine has not enough memory
  no_files,   ///< the store's process has reached its limit on open files
  machine_refused,
  exists,        ///< another client has made an object of this id, or its size differs
  unknown,       ///< no such object
  not_creator,   ///< only the creator may do this
  not_shared,    ///< not open for other writers
  creator_died,  ///< the creator ended before it sealed the object
  timed_out,
  bad_request,
  waiting,  ///< inside the store only: the answer follows later
};

struct Request {
  std::uint32_t magic = kMagic;
  Operation operation = Operation::get;
  std::uint64_t sequence = 0;
  ObjectId id;
  std::uint64_t bytes = 0;  ///< trim: the number of the slab to drop, if it is free
  std::uint64_t deadline_ms = 0;
  std::uint64_t shared_writers = 0;  ///< create: other clients may open the object for writing until it is sealed
};

/// Checks an untrusted request: its magic, operation and kind, and that its deadline is at most an hour.
bool well_formed(const Request& request);

struct Reply {
  std::uint32_t magic = kMagic;
  Status status = Status::ok;
  std::uint64_t sequence = 0;
  std::uint64_t slab = 0;  ///< number of the memory file behind the object
  std::uint64_t bytes = 0;
  std::uint64_t quota = 0;  ///< set if the status is `full`
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);

}  // namespace troupe::store
