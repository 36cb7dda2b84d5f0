#include "runtime/store/object_table.hpp"

#include <algorithm>

#include "runtime/processes/memory.hpp"
#include "troupe/error.hpp"

namespace troupe::store {
namespace {

Answer refuse(Status status) {
  Answer answer;
  answer.reply.status = status;
  return answer;
}

/// Returns the status that tells a client why no slab could be made. @param error the error of `make_memory_file`
Status status_of(const Error& error) {
  if (error.code() == ErrorCode::store_full) return Status::no_memory;
  return error.code() == ErrorCode::limit_reached ? Status::no_files : Status::machine_refused;
}

}  // namespace

Answer ObjectTable::answer_with(const Slab& slab) {
  Answer answer;
  answer.reply.slab = slab.number;
  answer.reply.bytes = slab.bytes;
  answer.fd = slab.file.get();
  return answer;
}

ClientId ObjectTable::add_client() {
  clients_.emplace(next_client_, Client{});
  return next_client_++;
}

void ObjectTable::drop_client(ClientId client) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) return;
  std::erase_if(waiters_, [client](const Waiter& waiter) { return waiter.client == client; });
  const Client dropped = std::move(found->second);
  clients_.erase(found);
  for (const Slab& slab : dropped.free_slabs) used_ -= slab.bytes;
  for (const ObjectId& id : dropped.referenced) {
    const auto object = objects_.find(id);
    object->second.references.erase(client);
    if (object->second.creator == client && !object->second.sealed) {
      erase(object, Status::creator_died);
    } else {
      free_if_unused(object);
    }
  }
}

Answer ObjectTable::handle(ClientId client, const Request& request) {
  switch (request.operation) {
    case Operation::create:
      return create(client, request);
    case Operation::open:
      return open(client, request);
    case Operation::seal:
      return seal(client, request);
    case Operation::get:
      return get(client, request);
    case Operation::release:
      return release(client, request);
    case Operation::trim:
      return trim(client, request.bytes);
  }
  return refuse(Status::bad_request);
}

Answer ObjectTable::create(ClientId client, const Request& request) {
  if (request.bytes == 0) return refuse(Status::bad_request);
  const auto found = objects_.find(request.id);
  if (found != objects_.end()) {
    const Object& there = found->second;
    const bool same = there.creator == client && there.slab.bytes == request.bytes;
    // Once an object with shared writers is sealed, no client can map it for writing again, not even the object's
    // creator.
    const bool writable = !there.shared_writers || !there.sealed;
    return same && writable ? answer_with(there.slab) : refuse(Status::exists);
  }
  Object object;
  object.creator = client;
  object.shared_writers = request.shared_writers != 0;
  try {
    // An object with shared writers gets a new slab, because other clients must be able to map the slab for writing. A
    // free slab may have been sealed before, so that no client can make such a mapping.
    const bool recycle = !object.shared_writers;
    if (!take_slab(clients_.at(client), request.bytes, recycle, object.slab)) {
      Answer answer = refuse(Status::full);
      answer.reply.quota = quota_;
      return answer;
    }
  } catch (const Error& error) {
    return refuse(status_of(error));
  }
  const auto made = objects_.emplace(request.id, std::move(object)).first;
  refer(client, made);
  return answer_with(made->second.slab);
}

Answer ObjectTable::open(ClientId client, const Request& request) {
  const auto object = objects_.find(request.id);
  if (object == objects_.end()) return refuse(Status::unknown);
  if (object->second.sealed || !object->second.shared_writers) return refuse(Status::not_shared);
  refer(client, object);
  return answer_with(object->second.slab);
}

Answer ObjectTable::seal(ClientId client, const Request& request) {
  const auto found = objects_.find(request.id);
  if (found == objects_.end()) return refuse(Status::unknown);
  Object& object = found->second;
  if (object.creator != client) return refuse(Status::not_creator);
  if (object.sealed) return {};
  if (!object.slab.sealed) seal_against_new_writers(object.slab.file.get());
  object.slab.sealed = true;
  object.sealed = true;
  wake_waiters(request.id, answer_with(object.slab));
  return {};
}

Answer ObjectTable::get(ClientId client, const Request& request) {
  const auto object = objects_.find(request.id);
  if (object == objects_.end() || !object->second.sealed) {
    if (request.deadline_ms == 0) return refuse(Status::timed_out);
    waiters_.insert({client, request.sequence, request.id});
    return refuse(Status::waiting);
  }
  refer(client, object);
  return answer_with(object->second.slab);
}

Answer ObjectTable::release(ClientId client, const Request& request) {
  const auto found = objects_.find(request.id);
  if (found == objects_.end()) return refuse(Status::unknown);
  Object& object = found->second;
  const auto references = object.references.find(client);
  if (references == object.references.end()) return refuse(Status::unknown);
  if (--references->second > 0) return {};
  object.references.erase(references);
  clients_.at(client).referenced.erase(request.id);
  if (object.creator == client && !object.sealed) {
    erase(found, Status::creator_died);
  } else {
    free_if_unused(found);
  }
  return {};
}

Answer ObjectTable::trim(ClientId client, std::uint64_t slab) {
  auto& free_slabs = clients_.at(client).free_slabs;
  const auto found =
      std::find_if(free_slabs.begin(), free_slabs.end(), [slab](const Slab& each) { return each.number == slab; });
  if (found == free_slabs.end()) return refuse(Status::unknown);
  used_ -= found->bytes;
  free_slabs.erase(found);
  return {};
}

void ObjectTable::expire(const Waiter& waiter) {
  if (waiters_.erase(waiter) > 0) wake_(waiter, refuse(Status::timed_out));
}

bool ObjectTable::take_slab(Client& client, std::size_t bytes, bool recycle, Slab& slab) {
  const auto fits = [bytes](const Slab& candidate) { return candidate.bytes == bytes; };
  const auto recycled = std::find_if(client.free_slabs.begin(), client.free_slabs.end(), fits);
  if (recycle && recycled != client.free_slabs.end()) {
    slab = std::move(*recycled);
    client.free_slabs.erase(recycled);
    return true;
  }
  if (bytes > quota_ - used_) return false;
  slab.file = make_memory_file(bytes);
  slab.bytes = bytes;
  slab.number = next_slab_++;
  used_ += bytes;
  return true;
}

void ObjectTable::refer(ClientId client, Objects::iterator object) {
  ++object->second.references[client];
  clients_.at(client).referenced.insert(object->first);
}

void ObjectTable::free_if_unused(Objects::iterator object) {
  if (object->second.references.empty()) erase(object, Status::creator_died);
}

void ObjectTable::erase(Objects::iterator object, Status tell_waiters) {
  const ObjectId id = object->first;
  Object gone = std::move(object->second);
  objects_.erase(object);
  for (const auto& [client, count] : gone.references) {
    const auto holder = clients_.find(client);
    if (holder != clients_.end()) holder->second.referenced.erase(id);
  }
  const auto creator = clients_.find(gone.creator);
  // A slab of an object with shared writers is not reused, because other clients may still have it mapped for writing.
  if (creator != clients_.end() && !gone.shared_writers) {
    creator->second.free_slabs.push_back(std::move(gone.slab));
  } else {
    used_ -= gone.slab.bytes;
  }
  wake_waiters(id, refuse(tell_waiters));
}

void ObjectTable::wake_waiters(const ObjectId& id, const Answer& answer) {
  std::vector<Waiter> ready;
  std::copy_if(waiters_.begin(), waiters_.end(), std::back_inserter(ready),
               [&id](const Waiter& waiter) { return waiter.id == id; });
  for (const Waiter& waiter : ready) {
    waiters_.erase(waiter);
    const auto object = objects_.find(id);
    if (answer.reply.status == Status::ok && object != objects_.end()) refer(waiter.client, object);
    wake_(waiter, answer);
  }
}

}  // namespace troupe::store
