#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cluster/child.hpp"
#include "cluster/namespaces.hpp"
#include "models/files.hpp"
#include "troupe/sgd.hpp"

namespace troupe_test {

/// A certificate authority with certificates for a driver and some nodes.
class Authority {
 public:
  explicit Authority(int nodes);

  std::string driver() const { return folder_ / "driver"; }
  std::string node(int n) const { return folder_ / ("node" + std::to_string(n)); }
  const troupe::testing::TemporaryFolder& folder() const { return folder_; }

 private:
  troupe::testing::TemporaryFolder folder_;
};

/// Returns a TCP port of 127.0.0.1 on which no program listens.
std::uint16_t free_port();

/// The program of the nodes: this test program with its own models, or `troupe node`.
enum class NodeProgram : unsigned char { own, command };

/// The default for the silence that ends a connection. The thread sanitizer examines each of CAF's races before it
/// suppresses the race. Meanwhile the process makes no progress for seconds.
inline constexpr std::chrono::milliseconds kCutAfter{kSanitized ? 60'000 : 5'000};

/// Nodes on this machine that serve one run after another. They connect to the driver and to each other over loopback
/// or through namespaces.
class Nodes {
 public:
  /// @param more more arguments for each node
  explicit Nodes(int count, const Namespaces* namespaces = nullptr, NodeProgram program = NodeProgram::own,
                 std::vector<std::string> more = {});

  int size() const { return static_cast<int>(nodes_.size()); }
  Child& operator[](int n) { return *nodes_.at(static_cast<std::size_t>(n)); }
  const Authority& authority() const { return authority_; }
  const std::string& listen() const { return listen_; }
  /// Starts node `n`, or restarts it.
  void start(int n);
  /// Returns options of a driver with model "hold" and one worker per node, for `nodes` nodes or (0) all. There are no
  /// copies of the state, so the loss of a node is an error.
  troupe::Options options(int nodes = 0) const;

 private:
  Authority authority_;
  const Namespaces* namespaces_;
  NodeProgram program_;
  std::string listen_;
  std::vector<std::string> more_;
  std::vector<std::string> command(int n) const;
  std::vector<std::string> with_more(std::vector<std::string> command) const;

  std::vector<std::unique_ptr<Child>> nodes_;
};

/// Returns the bits of the weights, because a NaN does not compare equal to itself.
std::vector<std::uint32_t> bits_of(const std::vector<float>& values);

/// Returns the weights after `steps` steps of model "hold" in this process.
std::vector<float> run_here(const std::string& config, int shards, int steps);

}  // namespace troupe_test
