#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "actors/control_frames.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe_test {

/// Sits between a node's CAF and the driver, where nobody filters what the node says.
class Tap {
 public:
  /// What goes to the driver in place of a frame of the node's.
  using Change = std::function<std::vector<Frame>(const Frame& whole)>;
  /// Sees a frame of the driver's.
  using See = std::function<void(const Frame& whole)>;

  /// Listens at `path`, where the node's CAF is to connect as to a driver of its machine.
  Tap(troupe::TlsStream driver, const std::string& path, Change change, See see);
  ~Tap() { thread_.detach(); }  // the process ends with it
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

 private:
  void run();
  bool relay_from_node(int node, class FramesOf& frames);
  bool relay_from_driver(int node, class FramesOf& frames);

  troupe::TlsStream driver_;
  Change change_;
  See see_;
  troupe::FileDescriptor listener_;
  std::thread thread_;
};

}  // namespace troupe_test
