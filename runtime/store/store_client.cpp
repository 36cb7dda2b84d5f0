#include "runtime/store/store_client.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>

#include "runtime/processes/limits.hpp"

namespace troupe {
namespace {

/// Timeout of requests that the store answers without waiting for other clients. If no answer arrives in this time, the
/// store has ended or hangs.
constexpr std::chrono::seconds kTimeout{10};

std::string text(const store::Reply& reply) {
  using store::Status;
  switch (reply.status) {
    case Status::full:
      return "the object store is full: its quota is " + std::to_string(reply.quota >> 20) +
             " MB (MemoryOptions::store_bytes; default: half of the memory; " + memory_limit_text() + ")";
    case Status::no_memory:
      return "not enough memory for an object: " + object_limit_text();
    case Status::no_files:
      return "the object store has too many files open: " + file_limit_text();
    case Status::machine_refused:
      return "the machine refused the object store a memory file";
    case Status::exists:
      return "an object of this id exists with another creator or size";
    case Status::unknown:
      return "the object store has no such object";
    case Status::not_creator:
      return "only its creator may seal an object";
    case Status::not_shared:
      return "the object is not open for other writers";
    case Status::creator_died:
      return "the object's creator ended before it was sealed";
    case Status::timed_out:
      return "the object was not sealed in time";
    default:
      return "the object store refused a request";
  }
}

ErrorCode code_of(store::Status status) {
  using store::Status;
  switch (status) {
    case Status::full:
    case Status::no_memory:
      return ErrorCode::store_full;
    case Status::no_files:
      return ErrorCode::limit_reached;
    case Status::timed_out:
      return ErrorCode::timeout;
    default:
      return ErrorCode::store_failed;
  }
}

[[noreturn]] void fail(const store::Reply& reply, const ObjectId& id, std::size_t bytes) {
  const std::string size = bytes > 0 ? ", " + std::to_string(bytes) + " bytes" : "";
  throw Error(code_of(reply.status), text(reply), {.object = to_string(id) + size});
}

/// Maps `bytes` bytes of a memory file that the store has sent, starting at byte `offset`. First checks that the file
/// is large enough and cannot shrink, because an access beyond the end of a file would raise SIGBUS.
std::shared_ptr<Mapping> map(const FileDescriptor& file, std::size_t offset, std::size_t bytes, Access access,
                             const ObjectId& id) {
  struct stat status = {};
  const bool known = file && ::fstat(file.get(), &status) == 0;
  const std::size_t size = known ? static_cast<std::size_t>(status.st_size) : 0;
  if (bytes == 0 || offset > size || bytes > size - offset || (::fcntl(file.get(), F_GET_SEALS) & F_SEAL_SHRINK) == 0)
    throw Error(ErrorCode::store_failed, "the object store returned a slab of the wrong size",
                {.object = to_string(id)});
  return std::make_shared<Mapping>(file.get(), offset, bytes, access);
}

store::Request request(store::Operation operation, const ObjectId& id = {}) {
  store::Request made;
  made.operation = operation;
  made.id = id;
  return made;
}

}  // namespace

std::unique_lock<std::mutex> StoreClient::lock_here() {
  // Checked before the lock, because in a forked child the mutex may stay locked forever.
  owner_.check("this client of an object store");
  return std::unique_lock(mutex_);
}

StoreClient::Called StoreClient::call(store::Request request, std::chrono::milliseconds timeout,
                                      store::Status accepted) {
  Called called;
  called.reply = channel_->call(request, timeout, called.file);
  if (called.reply.status != store::Status::ok && called.reply.status != accepted)
    fail(called.reply, request.id, request.bytes);
  return called;
}

std::shared_ptr<Mapping> StoreClient::create(const ObjectId& id, std::size_t bytes, CreateOptions options) {
  auto wanted = request(store::Operation::create, id);
  wanted.bytes = bytes;
  wanted.shared_writers = options.shared_writers ? 1 : 0;
  const auto accepted = options.may_exist ? store::Status::exists : store::Status::ok;
  const auto lock = lock_here();
  Called called;
  try {
    called = call(wanted, kTimeout, accepted);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::store_full || own_slabs_.empty()) throw;
    drop_free_slabs();
    called = call(wanted, kTimeout, accepted);
  }
  if (called.reply.status == store::Status::exists) return nullptr;
  // The store does not reuse the slab of an object with shared writers, so the client does not keep the mapping.
  if (options.shared_writers) return map(called.file, 0, bytes, Access::write, id);
  auto& mapping = own_slabs_[called.reply.slab];
  if (!mapping || mapping->bytes() != bytes) mapping = map(called.file, 0, bytes, Access::write, id);
  return mapping;
}

std::shared_ptr<Mapping> StoreClient::open(const ObjectId& id, std::size_t offset, std::size_t bytes) {
  const auto lock = lock_here();
  const Called called = call(request(store::Operation::open, id), kTimeout);
  if (offset > called.reply.bytes || bytes > called.reply.bytes - offset)
    throw Error(ErrorCode::store_failed, "the requested part exceeds the object", {.object = to_string(id)});
  return map(called.file, offset, bytes, Access::write, id);
}

void StoreClient::seal(const ObjectId& id) {
  const auto lock = lock_here();
  call(request(store::Operation::seal, id), kTimeout);
}

std::shared_ptr<Mapping> StoreClient::get(const ObjectId& id, std::chrono::milliseconds timeout) {
  auto wanted = request(store::Operation::get, id);
  wanted.deadline_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(timeout.count(), 0));
  const auto lock = lock_here();
  const Called called = call(wanted, timeout + kTimeout);
  return map(called.file, 0, called.reply.bytes, Access::read, id);
}

void StoreClient::release(const ObjectId& id) {
  const auto lock = lock_here();
  call(request(store::Operation::release, id), kTimeout);
}

void StoreClient::trim() {
  const auto lock = lock_here();
  drop_free_slabs();
}

void StoreClient::drop_free_slabs() {
  std::erase_if(own_slabs_, [this](const auto& own) {
    auto drop = request(store::Operation::trim);
    drop.bytes = own.first;
    FileDescriptor none;
    return channel_->call(drop, kTimeout, none).status == store::Status::ok;
  });
}

}  // namespace troupe
