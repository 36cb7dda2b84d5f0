#pragma once

#include <memory>
#include <vector>

#include "runtime/store/store_client.hpp"

namespace troupe {

/// A list of objects of a store that this process uses. The destructor releases every object in the list.
class HeldObjects {
 public:
  explicit HeldObjects(StoreClient& store) : store_(store) {}
  ~HeldObjects();
  HeldObjects(const HeldObjects&) = delete;
  HeldObjects& operator=(const HeldObjects&) = delete;

  // Each of the next three functions calls the function of StoreClient with the same name, and adds the object to the
  // list.
  std::shared_ptr<Mapping> create(const ObjectId& id, std::size_t bytes, CreateOptions options = {});
  std::shared_ptr<Mapping> open(const ObjectId& id, std::size_t offset, std::size_t bytes);
  std::shared_ptr<Mapping> get(const ObjectId& id, std::chrono::milliseconds timeout);
  /// Creates an object, publishes it immediately, and adds it to the list. Because the object is published, only the
  /// returned mapping can write it.
  std::shared_ptr<Mapping> create_sealed(const ObjectId& id, std::size_t bytes);

 private:
  std::shared_ptr<Mapping> hold(const ObjectId& id, std::shared_ptr<Mapping> mapping);

  StoreClient& store_;
  std::vector<ObjectId> held_;
};

}  // namespace troupe
