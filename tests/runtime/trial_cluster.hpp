#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/net/data/data_plane.hpp"
#include "runtime/net/data/frame.hpp"
#include "runtime/net/gate/gate.hpp"
#include "support/patience.hpp"
#include "trial_authority.hpp"

namespace troupe_test {

/// One node: a data plane behind its own gate, in this process.
class TrialNode {
 public:
  explicit TrialNode(int number, int threads = 2, const troupe::Address& listen = {"127.0.0.1", 0})
      : credentials_(trial_authority().node(number)),
        plane(credentials_, threads),
        gate(
            listen, credentials_,
            [this](const troupe::Hello& hello, const troupe::TlsStream& stream) {
              return hello.purpose == troupe::Purpose::data ? plane.admit(hello, stream) : "only data here";
            },
            [this](const troupe::Hello& hello, troupe::TlsStream stream) { plane.take(hello, std::move(stream)); }) {}

 private:
  std::shared_ptr<const troupe::Credentials> credentials_;

 public:
  troupe::DataPlane plane;
  troupe::Gate gate;
};

/// The connected nodes of one membership.
class TrialCluster {
 public:
  explicit TrialCluster(int nodes, int streams = 2, int threads = 2) : streams_(streams) {
    for (int n = 0; n < nodes; ++n) nodes_.push_back(std::make_unique<TrialNode>(n, threads));
    begin(1);
  }

  void begin(std::uint64_t generation) {
    for (int n = 0; n < size(); ++n) nodes_[static_cast<std::size_t>(n)]->plane.begin(membership(n, generation));
    for (const auto& node : nodes_) node->plane.connect(soon());
  }
  troupe::Membership membership(int self, std::uint64_t generation = 1) const {
    troupe::Membership made;
    made.run = 77;
    made.generation = generation;
    made.token.fill(std::byte{0x5a});
    made.self = self;
    made.streams = streams_;
    for (int n = 0; n < size(); ++n)
      made.nodes.push_back({"node" + std::to_string(n), nodes_[static_cast<std::size_t>(n)]->gate.address()});
    return made;
  }
  int size() const { return static_cast<int>(nodes_.size()); }
  troupe::DataPlane& operator[](int n) { return nodes_.at(static_cast<std::size_t>(n))->plane; }
  const troupe::Address& address(int n) const { return nodes_.at(static_cast<std::size_t>(n))->gate.address(); }
  void kill(int n) { (*this)[n].end(); }

 private:
  int streams_;
  std::vector<std::unique_ptr<TrialNode>> nodes_;
};

/// Returns the hello that opens a data connection.
inline troupe::Hello data_hello(const troupe::Membership& membership, int stream) {
  troupe::Hello hello = troupe::make_hello(troupe::Purpose::data);
  hello.run = membership.run;
  hello.generation = membership.generation;
  hello.token = membership.token;
  hello.node = membership.self;
  hello.stream = static_cast<std::uint32_t>(stream);
  return hello;
}

}  // namespace troupe_test
