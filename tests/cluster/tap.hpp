#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "actors/control_frames.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/net/tls/tls_stream.hpp"

namespace troupe_test {

/// A proxy between a node's CAF and the driver. On the node's side, no filter checks the frames.
class Tap {
 public:
  /// Returns the frames that the driver receives instead of a frame of the node.
  using Change = std::function<std::vector<Frame>(const Frame& whole)>;
  /// Called with each frame of the driver.
  using See = std::function<void(const Frame& whole)>;

  /// Listens at `path`. The node's CAF connects to `path` as to a driver on the same machine.
  Tap(troupe::TlsStream driver, const std::string& path, Change change, See see);
  ~Tap() { thread_.detach(); }  // the thread ends with the process
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
