#include "actors/driver/faults/fault_plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <sstream>
#include <string_view>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "runtime/processes/slowed_process.hpp"
#include "runtime/random.hpp"

namespace troupe {
namespace {

constexpr std::int64_t kMostRandom = 1'000'000;
constexpr std::array<const char*, 2> kRandomPhases{"compute", "apply"};
/// Of all calls, as errors name them; "reduce" is one only where gradients are clipped, and of L-BFGS, which alone has
/// "remember".
constexpr std::array<std::string_view, 13> kPhases{"start",      "settle",     "compute",   "reduce",      "apply",
                                                   "remember",   "fetch",      "evaluate",  "set_weights", "call",
                                                   "checkpoint", "save_state", "load_state"};

/// One part of the text, word by word.
class Words {
 public:
  explicit Words(std::string text) : text_(std::move(text)) {
    std::istringstream stream(text_);
    words_.assign(std::istream_iterator<std::string>(stream), {});
  }

  bool empty() const { return words_.empty(); }
  std::string text() const { return printable(text_); }
  bool done() const { return next_ == words_.size(); }
  /// Goes on behind the word if it is the next one.
  bool take(const std::string& word) {
    const bool is = !done() && words_[next_] == word;
    next_ += is ? 1 : 0;
    return is;
  }
  void expect(const std::string& word) {
    if (!take(word)) refuse();
  }
  std::string word() {
    if (done()) refuse();
    return words_[next_++];
  }
  std::int64_t number(std::int64_t least, std::int64_t most) { return number_of(word(), least, most); }
  std::int64_t number_of(const std::string& word, std::int64_t least, std::int64_t most) const {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size() || number < least || number > most) refuse();
    return number;
  }

  [[noreturn]] void refuse() const {
    throw_invalid(
        "fault '" + text() +
        "' is neither 'kill|stop|slow Fx worker N at step S [phase P]' nor 'cut node N at step S [phase P]' "
        "nor 'random N kills of steps A-B seed S' nor 'random slow Fx of steps A-B seed S' nor 'full disk at step S'");
  }

 private:
  std::string text_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

/// What follows the name of whom it is for.
FaultPlan::Fault at_its_time(FaultPlan::Fault fault, Words& words) {
  words.expect("at");
  words.expect("step");
  fault.step = words.number(1, INT64_MAX);
  if (!words.take("phase")) return fault;
  fault.phase = words.word();
  if (std::ranges::count(kPhases, fault.phase) == 0) {
    std::string all;
    for (const std::string_view each : kPhases) all += (all.empty() ? "" : ", ") + std::string(each);
    throw_invalid("fault '" + words.text() + "' is for phase '" + printable(fault.phase) + "', and phases are " + all);
  }
  return fault;
}

FaultPlan::Fault full_disk_of(Words& words) {
  FaultPlan::Fault fault;
  fault.kind = FaultPlan::Fault::Kind::full_disk;
  fault.phase = "checkpoint";
  for (const char* word : {"disk", "at", "step"}) words.expect(word);
  fault.step = words.number(1, INT64_MAX);
  return fault;
}

FaultPlan::Fault one_fault(FaultPlan::Fault::Kind kind, Words& words, int num_workers) {
  FaultPlan::Fault fault;
  fault.kind = kind;
  words.expect("worker");
  fault.worker = static_cast<int>(words.number(0, num_workers - 1));
  return at_its_time(fault, words);
}

/// Such as 10x.
int factor_of(Words& words) {
  const std::string factor = words.word();
  if (!factor.ends_with('x')) words.refuse();
  return static_cast<int>(words.number_of(factor.substr(0, factor.size() - 1), 2, SlowedProcess::kMostFactor));
}

FaultPlan::Fault slow_worker(Words& words, int num_workers) {
  const int factor = factor_of(words);
  FaultPlan::Fault fault = one_fault(FaultPlan::Fault::Kind::slow, words, num_workers);
  fault.factor = factor;
  return fault;
}

FaultPlan::Fault cut_node(Words& words, int num_nodes) {
  FaultPlan::Fault fault;
  fault.kind = FaultPlan::Fault::Kind::cut;
  words.expect("node");
  fault.node = static_cast<int>(words.number(0, num_nodes - 1));
  return at_its_time(fault, words);
}

/// Such as "of steps 10-500".
struct Steps {
  std::int64_t first = 1;
  std::int64_t last = 1;
};

Steps steps_of(Words& words) {
  words.expect("of");
  words.expect("steps");
  const std::string range = words.word();
  const std::size_t dash = std::min(range.find('-'), range.size());
  const std::int64_t first = words.number_of(range.substr(0, dash), 1, INT64_MAX - 1);
  return {first, words.number_of(range.substr(std::min(dash + 1, range.size())), first, INT64_MAX - 1)};
}

Random seeded(Words& words) {
  words.expect("seed");
  return Random(static_cast<std::uint64_t>(words.number(0, INT64_MAX)));
}

/// In each step another worker.
std::vector<FaultPlan::Fault> random_slowness(Words& words, int num_workers) {
  FaultPlan::Fault fault;
  fault.kind = FaultPlan::Fault::Kind::slow;
  fault.factor = factor_of(words);
  const auto [first, last] = steps_of(words);
  Random random = seeded(words);
  if (num_workers < 2 || last - first >= kMostRandom) words.refuse();
  std::vector<FaultPlan::Fault> faults;
  for (fault.step = first; fault.step <= last; ++fault.step) {
    fault.until = fault.step + 1;
    const int others = static_cast<int>(random.below(static_cast<std::uint64_t>(num_workers) - 1));
    fault.worker = (fault.worker + 1 + others) % num_workers;
    faults.push_back(fault);
  }
  return faults;
}

std::vector<FaultPlan::Fault> random_kills(Words& words, int num_workers) {
  const std::int64_t count = words.number(1, kMostRandom);
  words.expect("kills");
  const auto [first, last] = steps_of(words);
  Random random = seeded(words);
  std::vector<FaultPlan::Fault> faults;
  for (std::int64_t i = 0; i < count; ++i) {
    FaultPlan::Fault fault;
    fault.worker = static_cast<int>(random.below(static_cast<std::uint64_t>(num_workers)));
    fault.step = first + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last - first) + 1));
    fault.phase = kRandomPhases[random.below(kRandomPhases.size())];
    faults.push_back(fault);
  }
  return faults;
}

std::vector<FaultPlan::Fault> parse(const std::string& part, int num_workers, int num_nodes) {
  Words words(part);
  if (words.empty()) return {};
  std::vector<FaultPlan::Fault> faults;
  if (words.take("kill"))
    faults = {one_fault(FaultPlan::Fault::Kind::kill, words, num_workers)};
  else if (words.take("stop"))
    faults = {one_fault(FaultPlan::Fault::Kind::stop, words, num_workers)};
  else if (words.take("full"))
    faults = {full_disk_of(words)};
  else if (words.take("slow"))
    faults = {slow_worker(words, num_workers)};
  else if (words.take("cut"))
    faults = {cut_node(words, num_nodes)};
  else if (words.take("random"))
    faults = words.take("slow") ? random_slowness(words, num_workers) : random_kills(words, num_workers);
  else
    words.refuse();
  if (!words.done()) words.refuse();
  return faults;
}

}  // namespace

FaultPlan::FaultPlan(const std::string& text, int num_workers, int num_nodes) {
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    const auto faults = parse(part, num_workers, num_nodes);
    faults_.insert(faults_.end(), faults.begin(), faults.end());
  }
}

std::vector<FaultPlan::Fault> FaultPlan::due(const std::string& phase, std::int64_t first_step,
                                             std::int64_t last_step) {
  const auto asked = asked_until_.find(phase);
  if (asked != asked_until_.end()) first_step = std::min(first_step, asked->second + 1);
  asked_until_[phase] = last_step;
  const auto later = [&](const Fault& fault) {
    return fault.phase != phase || fault.step < first_step || fault.step > last_step ||
           fault.kind == Fault::Kind::full_disk;
  };
  const auto first = std::stable_partition(faults_.begin(), faults_.end(), later);
  std::vector<Fault> due(first, faults_.end());
  faults_.erase(first, faults_.end());
  return due;
}

bool FaultPlan::hurts_workers() const {
  return std::ranges::any_of(faults_, [](const Fault& fault) {
    return fault.kind != Fault::Kind::cut && fault.kind != Fault::Kind::full_disk;
  });
}

bool FaultPlan::full_disk(std::int64_t step) {
  const auto due = std::ranges::find_if(
      faults_, [&](const Fault& fault) { return fault.kind == Fault::Kind::full_disk && fault.step <= step; });
  if (due == faults_.end()) return false;
  faults_.erase(due);
  return true;
}

}  // namespace troupe
