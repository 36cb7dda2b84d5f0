#pragma once

#include <string>
#include <vector>

#include "runtime/net/data/data_plane.hpp"

namespace troupe {

/// The nodes of a run as members of the data plane: their identities, and the driver's own end of the data plane.
class Memberships {
 public:
  Memberships() = default;
  Memberships(const Memberships&) = delete;
  Memberships& operator=(const Memberships&) = delete;
  virtual ~Memberships() = default;

  virtual DataPlane& data_plane() = 0;
  /// Describes a new membership of all nodes, in order of their numbers, and the driver.
  template <class Request>
  void describe_members(Request& request) const {
    request.token = new_token();
    request.peers = peers();
    request.streams = streams();
  }

 private:
  virtual std::vector<PeerNode> peers() const = 0;
  /// Number of data connections from each node to each other node.
  virtual int streams() const = 0;
  static std::string new_token();
};

}  // namespace troupe
