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

/// One message of a run: the n-th of its kind between the driver and a member.
struct Spot {
  Direction direction = Direction::to_driver;
  int member = 0;
  std::string kind;
  int number = 0;

  auto operator<=>(const Spot&) const = default;
  std::string text() const;
};

/// What is done to a run: one field of one message has another value.
struct Lie {
  Spot spot;
  std::string path;  ///< as `Mutant` has it
  std::string what;

  std::string field() const;  ///< such as "Applied.square_bits[]", without numbers of elements
  std::string text() const;
};

/// Records all messages of a run, and changes one of them where it is told so.
class Tamper : public Wire {
 public:
  /// @param others where values of another run come from
  Tamper(std::optional<Lie> lie, std::vector<caf::message> others) : lie_(std::move(lie)), others_(std::move(others)) {}

  caf::message pass(Direction direction, int member, caf::message message) override;
  void note_hanging() override { hangs_ = true; }
  bool hangs() const { return hangs_; }

  /// All that has passed, unchanged. Only where there is no lie.
  std::map<Spot, caf::message> recorded() const;
  /// The message as it should have been and as it went; empty where it has not come.
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
