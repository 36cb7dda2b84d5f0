#pragma once

#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace troupe_test {

/// Network namespaces joined by a bridge, one for a driver and one for each node: a cluster on one machine. The
/// destructor removes them. The constructor removes namespaces that a killed test left behind.
class Namespaces {
 public:
  /// Returns why namespaces cannot be created here, or an empty text.
  static std::string why_not();

  explicit Namespaces(int nodes);
  Namespaces(const Namespaces&) = delete;
  Namespaces& operator=(const Namespaces&) = delete;
  ~Namespaces();

  std::string driver() const { return prefix_ + "driver"; }
  std::string node(int n) const { return prefix_ + "n" + std::to_string(n); }
  static std::string driver_address() { return "10.77.0.1"; }
  static std::string address(int node) { return "10.77.0." + std::to_string(node + 2); }

  /// Disconnects a node from all others, or connects it again.
  void cut_off(int node) const;
  void join_again(int node) const;

 private:
  void connect(const std::string& name, const std::string& address, const std::string& port) const;
  std::string hub() const { return prefix_ + "hub"; }

  std::string prefix_;
  std::vector<std::string> names_;
};

/// Moves the calling thread, and the processes that it starts, to another network namespace.
class InNamespace {
 public:
  explicit InNamespace(const std::string& name);
  InNamespace(const InNamespace&) = delete;
  InNamespace& operator=(const InNamespace&) = delete;
  ~InNamespace();

 private:
  troupe::FileDescriptor before_;
};

}  // namespace troupe_test
