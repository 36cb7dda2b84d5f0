#pragma once

#include <string>
#include <vector>

#include "runtime/net/data/data_plane.hpp"

namespace troupe {

/// The driver's record of the data plane: the identities of all nodes, and the driver's own end of the data plane.
class Memberships {
 public:
  Memberships() = default;
  Memberships(const Memberships&) = delete;
  Memberships& operator=(const Memberships&) = delete;
  virtual ~Memberships() = default;

  /// Returns the driver's own end of the data plane.
  virtual DataPlane& data_plane() = 0;
  /// Sets the fields of `request` that describe a new membership of the data plane. These fields are a new token, the
  /// number of data connections between two nodes, and the list of peers. The peers are all nodes in the order of their
  /// numbers, followed by the driver.
  /// @param request a BeginGeneration or BeginGroup
  template <class Request>
  void describe_members(Request& request) const {
    request.token = new_token();
    request.peers = peers();
    request.streams = streams();
  }

 private:
  virtual std::vector<PeerNode> peers() const = 0;
  /// Returns the number of data connections from each node to each other node.
  virtual int streams() const = 0;
  static std::string new_token();
};

}  // namespace troupe
