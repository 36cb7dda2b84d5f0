#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/store/object_id.hpp"

// The protocol between an object store and its clients. A client sends a request as one message of fixed size, and the
// store sends a reply as one message of fixed size. A reply may carry one file descriptor.
namespace troupe::store {

inline constexpr std::uint32_t kMagic = 0x31535254;  // "TRS1"

enum class Operation : std::uint32_t { create = 1, open, seal, get, release, trim };

enum class Status : std::uint32_t {
  ok = 0,
  full,             ///< the object exceeds the quota
  no_memory,        ///< the machine has not enough memory
  no_files,         ///< the store's process has reached its limit on open files
  machine_refused,  ///< the machine refused a memory file for another reason
  exists,           ///< an object with this id exists, and has another creator or size, or is sealed
  unknown,          ///< there is no such object, or the client has no reference to it
  not_creator,      ///< only the creator of an object may seal it
  /// Other clients may not open the object for writing: it was created without shared writers, or
  /// is sealed.
  not_shared,
  creator_died,  ///< the creator ended before it sealed the object
  timed_out,     ///< the object was not sealed before the deadline
  bad_request,   ///< the request is invalid
  waiting,       ///< used only inside the store: the actual answer follows later
};

struct Request {
  std::uint32_t magic = kMagic;
  Operation operation = Operation::get;
  std::uint64_t sequence = 0;  ///< number of the request; the reply contains the same number
  ObjectId id;
  std::uint64_t bytes = 0;           ///< create: size of the object; trim: the number of the slab to free
  std::uint64_t deadline_ms = 0;     ///< get: time to wait for the object, in milliseconds
  std::uint64_t shared_writers = 0;  ///< create: 1 if other clients may open the object for writing until it is sealed
};

/// Returns whether an untrusted request has the magic number, a known operation, a known kind of object, and a
/// `deadline_ms` of at most an hour.
bool well_formed(const Request& request);

struct Reply {
  std::uint32_t magic = kMagic;
  Status status = Status::ok;
  std::uint64_t sequence = 0;
  std::uint64_t slab = 0;   ///< number of the slab that contains the object
  std::uint64_t bytes = 0;  ///< size of the slab
  std::uint64_t quota = 0;  ///< quota of the store in bytes; set if the status is `full`
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);

}  // namespace troupe::store
