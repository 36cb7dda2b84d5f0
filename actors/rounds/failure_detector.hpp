#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Who can tell of members what errors say.
class FailureDetector {
 public:
  FailureDetector() = default;
  FailureDetector(const FailureDetector&) = delete;
  FailureDetector& operator=(const FailureDetector&) = delete;
  virtual ~FailureDetector() = default;

  /// Where a member is: "in-process", "pid N", or the name of a node.
  virtual std::string node(int member) const = 0;
  /// Why a member is no longer there, such as "its process was ended by signal 9"; empty where that is not known within
  /// `timeout`.
  virtual std::string how_it_ended(int member, std::chrono::milliseconds timeout) = 0;
  /// Why nobody is to blame for a member's end, such as "this process had been stopped for 10.2 s"; empty otherwise.
  virtual std::string excuse(int /*member*/) const { return ""; }
  /// The end of a member has been seen.
  virtual void note_end(int /*member*/) {}

  /// How often to look at members that are waited for; none where they show no signs of life.
  virtual std::optional<std::chrono::milliseconds> looks_every() const { return std::nullopt; }
  /// Looks for signs of life. Who has shown none for too long is ended. Returns those who have ended, be it that their
  /// connection has not, since somebody else holds it, too.
  virtual std::vector<int> look_at(const std::vector<int>& /*members*/) { return {}; }
};

}  // namespace troupe
