#include "cli/train/options/fault_text.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

/// The words of one fault in the value of --fault, which are read one after the other.
class Words {
 public:
  explicit Words(std::string text) : text_(std::move(text)) {
    std::istringstream stream(text_);
    words_.assign(std::istream_iterator<std::string>(stream), {});
  }

  bool empty() const { return words_.empty(); }
  std::string text() const { return printable(text_); }
  bool done() const { return next_ == words_.size(); }
  /// Returns whether the next word is `word`. If so, also moves to the word after it.
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

constexpr std::int64_t kMostOfInt = INT32_MAX;

/// Parses the rest of a fault, such as "at step 5 phase apply", and returns `fault` with this step and phase.
template <class Fault>
testing::Fault at_its_time(Fault fault, Words& words) {
  words.expect("at");
  words.expect("step");
  fault.step = words.number(1, INT64_MAX);
  if (words.take("phase")) fault.phase = words.word();
  return fault;
}

int number_of(const char* what, Words& words) {
  words.expect(what);
  return static_cast<int>(words.number(0, kMostOfInt));
}

/// Parses a factor such as "10x".
int factor_of(Words& words) {
  const std::string factor = words.word();
  if (!factor.ends_with('x')) words.refuse();
  return static_cast<int>(words.number_of(factor.substr(0, factor.size() - 1), 0, kMostOfInt));
}

/// Parses the rest of a random fault, such as "of steps 10-500 seed 7", and returns `fault` with these steps and this
/// seed.
template <class Fault>
testing::Fault drawn(Fault fault, Words& words) {
  words.expect("of");
  words.expect("steps");
  const std::string range = words.word();
  const std::size_t dash = std::min(range.find('-'), range.size());
  fault.first_step = words.number_of(range.substr(0, dash), 1, INT64_MAX);
  fault.last_step = words.number_of(range.substr(std::min(dash + 1, range.size())), 1, INT64_MAX);
  words.expect("seed");
  fault.seed = static_cast<std::uint64_t>(words.number(0, INT64_MAX));
  return fault;
}

testing::Fault random_fault(Words& words) {
  if (words.take("slow")) {
    const int factor = factor_of(words);
    return drawn(testing::RandomSlowness{.factor = factor}, words);
  }
  const std::int64_t count = words.number(1, INT64_MAX);
  words.expect("kills");
  return drawn(testing::RandomKills{.count = count}, words);
}

testing::Fault slow_worker(Words& words) {
  const int factor = factor_of(words);
  return at_its_time(testing::SlowWorker{.worker = number_of("worker", words), .factor = factor}, words);
}

testing::Fault full_disk(Words& words) {
  for (const char* word : {"disk", "at", "step"}) words.expect(word);
  return testing::FullDisk{words.number(1, INT64_MAX)};
}

testing::Fault fault_of(Words& words) {
  if (words.take("kill")) return at_its_time(testing::KillWorker{number_of("worker", words)}, words);
  if (words.take("stop")) return at_its_time(testing::StopWorker{number_of("worker", words)}, words);
  if (words.take("cut")) return at_its_time(testing::CutNode{number_of("node", words)}, words);
  if (words.take("slow")) return slow_worker(words);
  if (words.take("full")) return full_disk(words);
  if (words.take("random")) return random_fault(words);
  words.refuse();
}

}  // namespace

std::vector<testing::Fault> faults_of(const std::string& text) {
  std::vector<testing::Fault> faults;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    Words words(part);
    if (words.empty()) continue;
    faults.push_back(fault_of(words));
    if (!words.done()) words.refuse();
  }
  return faults;
}

}  // namespace troupe::cli
