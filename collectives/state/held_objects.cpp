#include "collectives/state/held_objects.hpp"

#include "troupe/error.hpp"

namespace troupe {

HeldObjects::~HeldObjects() {
  for (const ObjectId& id : held_) {
    try {
      store_.release(id);
    } catch (const Error&) {
      return;  // The store and its objects are gone.
    }
  }
}

std::shared_ptr<Mapping> HeldObjects::hold(const ObjectId& id, std::shared_ptr<Mapping> mapping) {
  held_.push_back(id);
  return mapping;
}

std::shared_ptr<Mapping> HeldObjects::create(const ObjectId& id, std::size_t bytes, CreateOptions options) {
  return hold(id, store_.create(id, bytes, options));
}

std::shared_ptr<Mapping> HeldObjects::open(const ObjectId& id, std::size_t offset, std::size_t bytes) {
  return hold(id, store_.open(id, offset, bytes));
}

std::shared_ptr<Mapping> HeldObjects::get(const ObjectId& id, std::chrono::milliseconds timeout) {
  return hold(id, store_.get(id, timeout));
}

std::shared_ptr<Mapping> HeldObjects::create_sealed(const ObjectId& id, std::size_t bytes) {
  auto mapping = create(id, bytes);
  store_.seal(id);
  return mapping;
}

}  // namespace troupe
