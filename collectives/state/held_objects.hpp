#pragma once

#include <memory>
#include <vector>

#include "runtime/store/store_client.hpp"

namespace troupe {

/// Objects of a store that are released when this is destroyed.
class HeldObjects {
 public:
  explicit HeldObjects(StoreClient& store) : store_(store) {}
  ~HeldObjects();
  HeldObjects(const HeldObjects&) = delete;
  HeldObjects& operator=(const HeldObjects&) = delete;

  // Same as the functions of StoreClient with these names; also holds the object.
  std::shared_ptr<Mapping> create(const ObjectId& id, std::size_t bytes, CreateOptions options = {});
  std::shared_ptr<Mapping> open(const ObjectId& id, std::size_t offset, std::size_t bytes);
  std::shared_ptr<Mapping> get(const ObjectId& id, std::chrono::milliseconds timeout);
  /// Creates an object that only this client writes, and publishes it immediately.
  std::shared_ptr<Mapping> create_sealed(const ObjectId& id, std::size_t bytes);

 private:
  std::shared_ptr<Mapping> hold(const ObjectId& id, std::shared_ptr<Mapping> mapping);

  StoreClient& store_;
  std::vector<ObjectId> held_;
};

}  // namespace troupe
