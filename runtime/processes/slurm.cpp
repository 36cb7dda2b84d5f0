#include "runtime/processes/slurm.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "troupe/error.hpp"

namespace troupe {
namespace {

using Environment = std::map<std::string, std::string>;

constexpr std::uint64_t kFirstPort = 20000;
constexpr std::uint64_t kPorts = 10000;
constexpr std::uint64_t kMostTasks = 1'000'000;
// Ids from this one on belong to steps that srun has not started.
constexpr std::uint64_t kFirstSpecialStep = 0xfffffff0;

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::invalid_argument, message); }

/// The name of an environment variable, and the name of another variable, which is read if the first is missing.
struct Variable {
  const char* name;
  const char* other = nullptr;
};

const std::string& value_of(const Environment& environment, const Variable& variable) {
  for (const char* name : {variable.name, variable.other})
    if (const auto found = name == nullptr ? environment.end() : environment.find(name); found != environment.end())
      return found->second;
  fail(std::string("this looks like a task of srun, but ") + variable.name + " is not set");
}

std::uint64_t number_of(const Environment& environment, const Variable& variable) {
  const std::string& text = value_of(environment, variable);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    fail(std::string(variable.name) + " is '" + text + "', which is not a number");
  return number;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_of_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';
}

/// Parses a host list with the grammar: host (',' host)*. A host consists of name characters and of ranges '[' digits
/// ['-' digits] (',' ...)* ']'.
class HostList {
 public:
  explicit HostList(std::string_view text) : text_(text), rest_(text) {}

  std::string first() {
    std::string first = host();
    while (take(',')) host();
    return first;
  }

 private:
  [[noreturn]] void refuse() const { fail("'" + std::string(text_) + "' is not a Slurm host list"); }

  bool take(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view take_while(bool (*belongs)(char)) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), belongs);
    const auto taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    if (taken.empty()) refuse();
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string host() {
    std::string name;
    do {
      name += take('[') ? numbers() : take_while(is_of_name);
    } while (!rest_.empty() && rest_.front() != ',');
    return name;
  }

  /// Parses the rest of a list of numbers after '[', such as "07-12,20]", and returns the first number with its leading
  /// zeros ("07").
  std::string_view numbers() {
    const auto first = take_while(is_digit);
    if (take('-')) take_while(is_digit);
    while (take(',')) {
      take_while(is_digit);
      if (take('-')) take_while(is_digit);
    }
    if (!take(']')) refuse();
    return first;
  }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

std::map<std::string, std::string> slurm_environment() {
  constexpr std::string_view prefix = "SLURM_";
  Environment found;
  for (char** each = ::environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const auto equals = variable.find('=');
    if (variable.starts_with(prefix) && equals != std::string_view::npos)
      found.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return found;
}

std::optional<SlurmTask> find_slurm_task(const Environment& environment) {
  if (!environment.contains("SLURM_STEP_ID") || number_of(environment, {"SLURM_STEP_ID"}) >= kFirstSpecialStep)
    return std::nullopt;
  const auto tasks = number_of(environment, {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"});
  const auto rank = number_of(environment, {"SLURM_PROCID"});
  if (tasks > kMostTasks || rank >= tasks)
    fail("Slurm's environment gives an invalid task: " + std::to_string(rank) + " of " + std::to_string(tasks));
  return SlurmTask{.rank = static_cast<int>(rank),
                   .tasks = static_cast<int>(tasks),
                   .leader = first_slurm_host(value_of(environment, {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"})),
                   .port = static_cast<std::uint16_t>(
                       kFirstPort + number_of(environment, {"SLURM_JOB_ID", "SLURM_JOBID"}) % kPorts)};
}

std::string first_slurm_host(std::string_view list) { return HostList(list).first(); }

}  // namespace troupe
