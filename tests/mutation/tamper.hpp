#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "mutation/wire.hpp"

namespace troupe_test {

/// The position of one message in a run: the n-th of its kind between the driver and a member.
struct Spot {
  Direction direction = Direction::to_driver;
  int member = 0;
  std::string kind;
  int number = 0;

  auto operator<=>(const Spot&) const = default;
  std::string text() const;
};

/// A lie: one field of one message has another value.
struct Lie {
  Spot spot;
  std::string path;  ///< as in `Mutant`
  std::string what;

  std::string field() const;  ///< such as "Applied.square_bits[]", without indices of elements
  std::string text() const;
};

/// Records all messages of a run and changes one of them if there is a lie.
class Tamper : public Wire {
 public:
  /// @param others messages of another run; the values of their fields are used, too
  Tamper(std::optional<Lie> lie, std::vector<caf::message> others) : lie_(std::move(lie)), others_(std::move(others)) {}

  caf::message pass(Direction direction, int member, caf::message message) override;
  void note_hanging() override { hangs_ = true; }
  bool hangs() const { return hangs_; }

  /// Returns all messages, unchanged. Call it only if there is no lie.
  std::map<Spot, caf::message> recorded() const;
  /// Returns the original and the changed message, or "" if the message did not occur.
  std::string change() const;

 private:
  const std::optional<Lie> lie_;
  const std::vector<caf::message> others_;
  std::atomic<bool> hangs_{false};
  mutable std::mutex mutex_;
  std::map<std::tuple<Direction, int, std::string>, int> counts_;
  std::map<Spot, caf::message> recorded_;
  std::string change_;
};

}  // namespace troupe_test
