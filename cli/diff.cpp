#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "runtime/json/bounded_json.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe::cli {
namespace {

using nlohmann::json;

/// The exit status if the reports differ. The command diff(1) has the same status.
constexpr int kDiffer = 1;
/// The names of a step's hashed quantities in a report, in the order in which a step computes them.
constexpr std::array<const char*, 3> kHashes{"loss", "gradient_norm", "weights"};

/// Reads the lines of a report that describe steps, one after the other.
class Steps {
 public:
  explicit Steps(std::string path) : path_(std::move(path)), file_(path_) {
    if (!file_) refuse("the file cannot be read");
  }

  /// Returns the next line of the report that describes a step, as JSON; none at the end of the report. @throws Error
  /// bad_file
  std::optional<json> next() {
    for (std::string line; std::getline(file_, line);) {
      ++line_;
      json object = parse_bounded(line);
      if (!object.is_object()) refuse("line " + std::to_string(line_) + " is not a JSON object");
      if (object.contains("profile") || object.contains("epoch") || object.contains("evaluation")) continue;
      if (!is_step(object)) refuse("line " + std::to_string(line_) + " is not a step with hashes: see --hash");
      return object;
    }
    if (file_.bad()) refuse("the file cannot be read to its end");
    return std::nullopt;
  }

 private:
  static bool is_step(const json& object) {
    const auto is_number = [&](const char* name) { return object.contains(name) && object[name].is_number_integer(); };
    if (!is_number("step") || !is_number("samples") || !object.contains("hash") || !object["hash"].is_object())
      return false;
    const json& hash = object["hash"];
    return std::ranges::all_of(kHashes,
                               [&](const char* name) { return hash.contains(name) && hash[name].is_string(); });
  }

  [[noreturn]] void refuse(const std::string& why) const { throw Error(ErrorCode::bad_file, why, {.object = path_}); }

  std::string path_;
  std::ifstream file_;
  std::int64_t line_ = 0;
};

/// Returns the name of the first quantity that differs between two steps, in the order in which a step computes its
/// quantities. Returns an empty text if the steps are equal.
/// @param a,b the lines of the two steps
std::string difference(const json& a, const json& b) {
  const auto differ = [&](const json& x, const json& y, const char* name) {
    return x.value(name, json()) != y.value(name, json());
  };
  for (const char* name : {"step", "samples"})
    if (differ(a, b, name)) return name;
  for (const char* name : kHashes)
    if (differ(a["hash"], b["hash"], name)) return name;
  return "";
}

/// Compares the reports in the files `first` and `second`, and prints the first difference. Returns the exit status.
int compare(const std::string& first, const std::string& second) {
  Steps a(first);
  Steps b(second);
  std::int64_t steps = 0;
  for (;; ++steps) {
    const auto x = a.next();
    const auto y = b.next();
    if (!x && !y) break;
    if (!x || !y) {
      std::printf("%s ends after %lld steps, but the other continues\n", printable(x ? second : first).c_str(),
                  static_cast<long long>(steps));
      return kDiffer;
    }
    const std::string what = difference(*x, *y);
    if (what.empty()) continue;
    std::printf("step %lld differs in %s\n", x->at("step").get<long long>(), what.c_str());
    return kDiffer;
  }
  if (steps == 0) throw Error(ErrorCode::bad_file, "the report contains no step", {.object = first});
  std::printf("%lld steps, all identical\n", static_cast<long long>(steps));
  return 0;
}

}  // namespace

void add_diff(CLI::App& app, int& status) {
  struct Files {
    std::string first;
    std::string second;
  };
  auto files = std::make_shared<Files>();
  CLI::App& diff = *app.add_subcommand(
      "diff", "Find the first step and quantity in which two reports of `train --hash` differ; status 1 if they do");
  diff.add_option("FIRST", files->first, "A report of `train --report FILE --hash`")->required();
  diff.add_option("SECOND", files->second, "The other report")->required();
  diff.callback([files, &status] { status = compare(files->first, files->second); });
}

}  // namespace troupe::cli
