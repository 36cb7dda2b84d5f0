#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "actors/driver/copies/copy_record.hpp"
#include "runtime/random.hpp"
#include "support/errors.hpp"
#include "troupe/error.hpp"

using namespace troupe;

namespace {

constexpr std::uint64_t kRun = 7;

/// Returns the checksum of a range of a vector of the version `step`: the sum of one number per float.
std::uint64_t sum_of(std::int64_t step, int vector, const Range& range) {
  std::uint64_t sum = 0;
  for (std::size_t i = range.begin; i < range.end; ++i)
    sum +=
        (static_cast<std::uint64_t>(step) * 31 + static_cast<std::uint64_t>(vector)) * 0x9E3779B97F4A7C15 + i * i + 1;
  return sum;
}

/// Divides `size` floats among `nodes` nodes; some may get none.
std::vector<Range> slices_for(std::size_t size, std::size_t nodes) {
  std::vector<Range> slices;
  for (std::size_t node = 0; node < nodes; ++node) slices.push_back({size * node / nodes, size * (node + 1) / nodes});
  return slices;
}

/// A record of a copy of `nodes` nodes named "a", "b" and so on.
CopyRecord record_of(std::size_t nodes, std::size_t size, int vectors, std::int64_t step = 5) {
  CopyRecord record{.number = 3, .version = {step, step}, .size = size, .vectors = vectors};
  record.weights_sum = sum_of(step, 0, {0, size});
  for (const Range& slices : slices_for(size, nodes)) {
    CopyRecord::Owner owner{std::string(1, static_cast<char>('a' + record.owners.size())), slices, {}};
    for (int vector = 1; vector < vectors; ++vector) owner.sums.push_back(sum_of(step, vector, slices));
    record.owners.push_back(owner);
  }
  return record;
}

Returned returned(const CopyRecord& record, int holder, const Range& slices) {
  return {record.owners[static_cast<std::size_t>(holder)].name, OfferedCopy{kRun, record.number, holder}, slices};
}

/// A part of a node's copy.
enum class Part { none, weights, own, kept };

Part part_of(const CopyPiece& piece) {
  if (piece.vector == 0) return Part::weights;
  return piece.kept ? Part::kept : Part::own;
}

/// The memory of a machine: its two copies, by the parity of their numbers.
struct Machine {
  struct Copy {
    std::uint64_t number = 0;
    int holder = 0;
    std::int64_t step = 0;
    Part lies = Part::none;  ///< the part of the copy with false values
  };
  std::string name;
  std::array<std::optional<Copy>, 2> copies;

  bool lies() const {
    return std::ranges::any_of(copies, [](const auto& copy) { return copy && copy->lies != Part::none; });
  }
};

/// A run on simulated machines, of which some die, join, leave, lie, and are cut off for a time. The driver's decisions
/// are those of the real driver.
class NodeSchedule {
 public:
  explicit NodeSchedule(std::uint64_t seed)
      : random_(seed), size_(1 + random_.below(12)), vectors_(1 + int(random_.below(3))) {
    const auto nodes = 1 + random_.below(5);
    for (std::uint64_t node = 0; node < nodes; ++node) join();
  }

  void run() {
    for (int event = 0; event < 30; ++event) {
      step_ += 1 + static_cast<std::int64_t>(random_.below(3));
      switch (random_.below(8)) {
        case 0:
        case 1:
          copy(/*breaks=*/false);
          break;
        case 2:  // a node dies while the copy is made
          copy(/*breaks=*/true);
          break;
        case 3:
          die(random_.below(3) == 0 ? 2 : 1);
          break;
        case 4:
          if (copy(/*breaks=*/false)) join();
          break;
        case 5:
          leave();
          break;
        case 6:
          cut();
          break;
        default:
          lie();
      }
      if (event % 4 == 3) form_again();
    }
  }
  int restored() const { return restored_; }
  int lost() const { return lost_; }
  int found_out() const { return found_out_; }

 private:
  void join() { machines_.push_back({"node" + std::to_string(joined_++), {}}); }

  /// A machine leaves politely: all machines copy the present state first, so no step is lost.
  void leave() {
    if (machines_.size() < 2) return;
    copy(/*breaks=*/false);
    machines_.erase(machines_.begin() + static_cast<std::ptrdiff_t>(random_.below(machines_.size())));
    const std::int64_t step = step_;
    const bool lies = std::ranges::any_of(machines_, [](const Machine& machine) { return machine.lies(); });
    form_again();
    CHECK((lies || step_ == step));
  }

  /// Cuts off a machine, which keeps its memory, or joins again a machine that was cut off before. Its copies may be
  /// older than the newest one.
  void cut() {
    if (!away_.empty()) {
      machines_.push_back(away_.back());
      away_.pop_back();
    } else if (machines_.size() > 1) {
      const auto victim = machines_.begin() + static_cast<std::ptrdiff_t>(random_.below(machines_.size()));
      away_.push_back(*victim);
      machines_.erase(victim);
    }
    form_again();
  }

  /// Makes a copy. If it breaks, only some machines complete it, and the driver does not record it.
  bool copy(bool breaks) {
    number_ = next_number(number_, record_ ? &*record_ : nullptr);
    CopyRecord record{.number = number_, .version = {step_, step_}, .size = size_, .vectors = vectors_};
    record.weights_sum = sum_of(step_, 0, {0, size_});
    const auto slices = slices_for(size_, machines_.size());
    for (std::size_t node = 0; node < machines_.size(); ++node) {
      CopyRecord::Owner owner{machines_[node].name, slices[node], {}};
      for (int vector = 1; vector < vectors_; ++vector) owner.sums.push_back(sum_of(step_, vector, slices[node]));
      record.owners.push_back(owner);
      auto& slot = machines_[node].copies[number_ % 2];
      slot.reset();  // begun, not complete
      if (!breaks || random_.below(2) == 0) slot = {number_, static_cast<int>(node), step_, Part::none};
    }
    if (breaks) return false;
    record_ = record;
    return true;
  }

  void die(std::uint64_t count) {
    for (; count > 0 && machines_.size() > 1; --count)
      machines_.erase(machines_.begin() + static_cast<std::ptrdiff_t>(random_.below(machines_.size())));
  }

  void lie() {
    auto& slot = machines_[random_.below(machines_.size())].copies[random_.below(2)];
    if (slot) slot->lies = static_cast<Part>(1 + random_.below(3));
  }

  /// Forms the run again from the machines that remain, and restores the newest copy. As in the real driver, the copy
  /// of a machine that has sent false values is left out, and the restoration is tried again.
  void form_again() {
    if (!record_) return;
    left_out_.clear();
    const auto slices = slices_for(size_, machines_.size());
    for (std::size_t attempt = 0; attempt <= machines_.size(); ++attempt) {
      std::vector<CopyPiece> pieces;
      try {
        pieces = pieces_of(*record_, offers(slices));
      } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::worker_lost);
        CHECK(is_lost());
        return begin_anew();
      }
      CHECK_FALSE((vectors_ > 1 && is_lost()));
      if (check(pieces, slices)) return;
    }
    FAIL("a liar was left out twice");
  }

  std::vector<Returned> offers(const std::vector<Range>& slices) const {
    std::vector<Returned> nodes;
    for (std::size_t node = 0; node < machines_.size(); ++node) {
      Returned each{machines_[node].name, std::nullopt, slices[node]};
      const auto& slot = machines_[node].copies[record_->number % 2];
      if (slot && slot->number == record_->number && !left_out_.contains(each.name))
        each.copy = OfferedCopy{kRun, slot->number, slot->holder};
      nodes.push_back(each);
    }
    return nodes;
  }

  void begin_anew() {
    ++lost_;
    record_.reset();
    step_ = 0;
  }

  /// Returns whether neither the owner nor its buddy remains, for some slices; or no machine has a copy.
  bool is_lost() const {
    // As long as a machine lives, the newest recorded copy stays in its memory.
    const auto has = [&](int holder) {
      const std::string& name = record_->owners[static_cast<std::size_t>(holder)].name;
      return std::ranges::count(machines_, name, &Machine::name) > 0 && !left_out_.contains(name);
    };
    bool any = false;
    bool all = true;
    for (int owner = 0; owner < static_cast<int>(record_->owners.size()); ++owner) {
      any = any || has(owner);
      const bool empty = vectors_ == 1 || record_->owners[static_cast<std::size_t>(owner)].slices.empty();
      all = all && (empty || has(owner) || has(record_->buddy_of(owner)));
    }
    return !any || !all;
  }

  /// Checks that each node gets all weights and its slices exactly once, from copies of the recorded version, and that
  /// false values are found. Returns false if a machine has sent false values.
  bool check(const std::vector<CopyPiece>& pieces, const std::vector<Range>& slices) {
    std::map<std::pair<int, int>, std::vector<int>> times;  // by node and vector: how often each float arrives
    std::vector<std::uint64_t> sums;
    bool false_values = false;
    bool right = true;
    for (const CopyPiece& piece : pieces) {
      auto& counts = times[{piece.to, piece.vector}];
      counts.resize(size_);
      for (std::size_t i = piece.begin; i < piece.end; ++i) ++counts.at(i);
      const auto& slot = machines_.at(static_cast<std::size_t>(piece.from)).copies[record_->number % 2];
      right = right && slot->step == record_->version.step;
      const int owner =
          piece.kept ? (slot->holder + int(record_->owners.size()) - 1) % int(record_->owners.size()) : slot->holder;
      const Range& owned = record_->owners[static_cast<std::size_t>(owner)].slices;
      right = right && (piece.vector == 0 || (piece.begin >= owned.begin && piece.end <= owned.end));
      sums.push_back(sum_of(slot->step, piece.vector, {piece.begin, piece.end}) +
                     (slot->lies == part_of(piece) ? 1 : 0));
      false_values = false_values || slot->lies == part_of(piece);
    }
    for (std::size_t node = 0; node < machines_.size(); ++node)
      for (int vector = 0; vector < vectors_; ++vector) {
        const auto& counts = times[{static_cast<int>(node), vector}];
        for (std::size_t i = 0; i < size_; ++i) {
          const bool needed = vector == 0 || (i >= slices[node].begin && i < slices[node].end);
          right = right && (counts.empty() ? 0 : counts[i]) == (needed ? 1 : 0);
        }
      }
    CHECK(right);
    const auto liar = find_false_copy(*record_, pieces, sums);
    CHECK(liar.has_value() == false_values);
    if (liar) {
      const Machine& machine = machines_[static_cast<std::size_t>(*liar)];
      CHECK(machine.copies[record_->number % 2]->lies != Part::none);
      CHECK(left_out_.insert(machine.name).second);
      ++found_out_;
      return false;
    }
    step_ = record_->version.step;
    ++restored_;
    return true;
  }

  Random random_;
  std::size_t size_;
  int vectors_;
  int joined_ = 0;
  std::vector<Machine> machines_;
  std::vector<Machine> away_;       ///< cut off
  std::set<std::string> left_out_;  ///< machines whose copies are not used, because they have lied
  std::int64_t step_ = 0;
  std::uint64_t number_ = 0;
  std::optional<CopyRecord> record_;
  int restored_ = 0;
  int lost_ = 0;
  int found_out_ = 0;
};

}  // namespace

TEST_CASE("a new node gets the weights and its slices from the nodes that have them") {
  const CopyRecord record = record_of(2, 8, 2);
  const auto pieces = pieces_of(record, {returned(record, 0, {0, 4}), {"new", std::nullopt, {4, 8}}});
  const auto is = [](const CopyPiece& piece, const CopyPiece& expected) {
    return piece.vector == expected.vector && piece.begin == expected.begin && piece.end == expected.end &&
           piece.from == expected.from && piece.to == expected.to && piece.kept == expected.kept;
  };
  REQUIRE(pieces.size() == 4);
  CHECK(is(pieces[0], {0, 0, 8, 0, 0, false}));
  CHECK(is(pieces[1], {1, 0, 4, 0, 0, false}));
  CHECK(is(pieces[2], {0, 0, 8, 0, 1, false}));
  CHECK(is(pieces[3], {1, 4, 8, 0, 1, true}));  // node a is the buddy of the lost node b
}

TEST_CASE("lost slices are named, and a node cannot offer the copy of another node") {
  const CopyRecord record = record_of(3, 9, 2);
  const auto said = [&](const std::vector<Returned>& nodes) { return message_of([&] { pieces_of(record, nodes); }); };
  CHECK(said({returned(record, 2, {0, 9})}).find("the slices of a of the optimizer's state are lost") !=
        std::string::npos);
  Returned pretends = returned(record, 1, {0, 4});
  pretends.name = "c";
  CHECK(said({pretends, returned(record, 2, {4, 9})}).find("the slices of a of") != std::string::npos);
  Returned outside = returned(record, 1, {0, 9});
  outside.copy->holder = 3;
  CHECK(said({outside}).find("all nodes that had copies") != std::string::npos);
  CHECK(said({returned(record, 1, {0, 4}), returned(record, 2, {4, 9})}).empty());
}

// 100,000 schedules; TROUPE_SCHEDULES sets another number.
TEST_CASE("whatever nodes die, join, leave, lie or are cut off, a restored state is one version and without doubles") {
  const char* const wanted = std::getenv("TROUPE_SCHEDULES");
  const std::uint64_t schedules = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 100'000;
  int restored = 0;
  int lost = 0;
  int found_out = 0;
  for (std::uint64_t seed = 1; seed <= schedules; ++seed) {
    CAPTURE(seed);
    NodeSchedule schedule(seed);
    schedule.run();
    restored += schedule.restored();
    lost += schedule.lost();
    found_out += schedule.found_out();
  }
  CHECK(restored > 0);
  CHECK(lost > 0);
  CHECK(found_out > 0);
}
