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

/// An authority with a driver's and some nodes' certificates.
class Authority {
 public:
  explicit Authority(int nodes);

  std::string driver() const { return folder_ / "driver"; }
  std::string node(int n) const { return folder_ / ("node" + std::to_string(n)); }
  const troupe::testing::TemporaryFolder& folder() const { return folder_; }

 private:
  troupe::testing::TemporaryFolder folder_;
};

/// A TCP port of 127.0.0.1 at which nobody listens now.
std::uint16_t free_port();

/// What nodes are: this test program, as a user's program with models of its own, or `troupe node`.
enum class NodeProgram : unsigned char { own, command };

/// A silence that ends a connection, where a test does not say. The thread sanitizer looks at each race of CAF's before
/// it passes over it, and then nothing else goes on for seconds.
inline constexpr std::chrono::milliseconds kCutAfter{kSanitized ? 60'000 : 5'000};

/// Nodes of this machine that serve run after run. They reach the driver, and one another, over loopback or through
/// namespaces.
class Nodes {
 public:
  /// @param more arguments of each
  explicit Nodes(int count, const Namespaces* namespaces = nullptr, NodeProgram program = NodeProgram::own,
                 std::vector<std::string> more = {});

  int size() const { return static_cast<int>(nodes_.size()); }
  Child& operator[](int n) { return *nodes_.at(static_cast<std::size_t>(n)); }
  const Authority& authority() const { return authority_; }
  const std::string& listen() const { return listen_; }
  /// Starts node `n`, anew where there is one.
  void start(int n);
  /// Of a driver of all nodes, a worker each, or of as many as are told; model "hold".
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

/// The weights' bits, since NaN equals nothing.
std::vector<std::uint32_t> bits_of(const std::vector<float>& values);

/// Weights after `steps` steps of model "hold" in this process, with as many shards.
std::vector<float> run_here(const std::string& config, int shards, int steps);

}  // namespace troupe_test
