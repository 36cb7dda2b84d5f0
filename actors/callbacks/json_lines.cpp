#include <optional>
#include <string>
#include <utility>

#include "actors/callbacks/begun.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/log_file.hpp"
#include "runtime/json/bounded_json.hpp"
#include "troupe/callback.hpp"

namespace troupe {
namespace {

using Line = nlohmann::ordered_json;

class JsonLines : public Callback {
 public:
  explicit JsonLines(std::string path) : path_(std::move(path)) {}

  void on_start(const RunStart& run) override {
    if (run.attempt == 1 || !file_)
      file_.emplace(path_, run.attempt > 1 || run.resumed, [&](const std::string& text) { return whole(text); });
    start_ = text_of({{"event", "start"},
                      {"name", run.name},
                      {"world_size", run.world_size},
                      {"config", run.config},
                      {"attempt", run.attempt},
                      {"resumed", run.resumed}});
  }
  void on_report(const Report& report) override {
    write({{"event", "report"},
           {"iteration", report.iteration},
           {"seconds", report.seconds},
           {"metrics", report.metrics}});
  }
  void on_checkpoint(const CheckpointInfo& checkpoint) override {
    write({{"event", "checkpoint"},
           {"number", checkpoint.number},
           {"path", checkpoint.path},
           {"iteration", checkpoint.iteration}});
  }
  void on_failure(const Error& error, bool goes_on) override {
    write({{"event", "failure"}, {"code", to_string(error.code())}, {"error", error.what()}, {"goes_on", goes_on}});
  }
  void on_end(const RunEnd& end) override {
    write({{"event", "end"}, {"seconds", end.seconds}, {"iterations", end.iterations}, {"failed", end.failed}});
  }

 private:
  /// Checks that an existing file contains events, and returns the length in bytes of the file's complete lines.
  /// @param text the contents of the file
  /// @throws Error bad_file if the first line is not an event
  std::size_t whole(const std::string& text) const {
    const std::size_t end = text.find('\n');
    constexpr int kDeepest = 102;  // a config may have 100 levels of nesting, and the event around it adds two levels
    std::string fault;
    const Json first = parse_bounded(std::string_view(text).substr(0, end), {.deepest = kDeepest}, fault);
    if (end == std::string::npos || !first.is_object() || !first.contains("event"))
      throw_bad_file(path_, "cannot append to it: it does not contain events of runs");
    return text.rfind('\n') + 1;
  }
  static std::string text_of(const Line& line) {
    return line.dump(-1, ' ', /*ensure_ascii=*/false, Line::error_handler_t::replace) + '\n';
  }
  void write(const Line& line) { begun(file_).write(std::exchange(start_, "") + text_of(line)); }

  std::string path_;
  std::string start_;  ///< the line of the event "start", which is written together with the next line, so that a full
                       ///< disk does not prevent the start of a run
  std::optional<LogFile> file_;
};

}  // namespace

std::shared_ptr<Callback> callbacks::json_lines(const std::string& path) { return std::make_shared<JsonLines>(path); }

}  // namespace troupe
