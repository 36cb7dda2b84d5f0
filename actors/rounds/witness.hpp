#pragma once

#include <chrono>
#include <string>

namespace troupe {

/// Who can tell of members what errors say.
class Witness {
 public:
  Witness() = default;
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  virtual ~Witness() = default;

  /// Where a member is: "in-process", "pid N", or the name of a node.
  virtual std::string node(int member) const = 0;
  /// Why a member is no longer there, such as "its process was ended by signal 9"; empty where that is not known within
  /// `timeout`.
  virtual std::string how_it_ended(int member, std::chrono::milliseconds timeout) = 0;
  /// The end of a member has been seen.
  virtual void note_end(int /*member*/) {}
};

}  // namespace troupe
