#pragma once

#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace troupe_test {

/// Network namespaces joined by a bridge, one for a driver and one for each node: a cluster on one machine. They go
/// with this object; those that a test left which was killed go when the next one begins.
class Namespaces {
 public:
  /// Why there can be none here; empty when there can.
  static std::string why_not();

  explicit Namespaces(int nodes);
  Namespaces(const Namespaces&) = delete;
  Namespaces& operator=(const Namespaces&) = delete;
  ~Namespaces();

  std::string driver() const { return prefix_ + "driver"; }
  std::string node(int n) const { return prefix_ + "n" + std::to_string(n); }
  static std::string driver_address() { return "10.77.0.1"; }
  static std::string address(int node) { return "10.77.0." + std::to_string(node + 2); }

  /// Cuts a node off from all others, or joins it again.
  void cut_off(int node) const;
  void join_again(int node) const;

 private:
  void connect(const std::string& name, const std::string& address, const std::string& port) const;
  std::string hub() const { return prefix_ + "hub"; }

  std::string prefix_;
  std::vector<std::string> names_;
};

/// The calling thread, and what it starts, in another network namespace.
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
